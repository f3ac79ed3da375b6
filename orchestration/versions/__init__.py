"""Comparing two versions of a dataset. Not here: matching their rows (ops/versions)."""
