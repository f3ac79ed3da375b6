"""Evaluations of systems, in one form for all of them. Not here: metrics (ops/metrics), pages."""
