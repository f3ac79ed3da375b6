"""Evaluation of fusion: Exact and SARI by phenomenon, and human judgement. Not here: the models."""
