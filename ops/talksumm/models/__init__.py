"""Extractors trained on silver summaries. Not here: networks (ops/models), scores (evaluation/)."""
