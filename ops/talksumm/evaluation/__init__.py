"""Evaluation of summaries: ROUGE, and human ratings. Not here: the models."""
