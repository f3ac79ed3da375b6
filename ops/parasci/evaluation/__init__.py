"""Evaluation: ratings of the pairs by people, and scores of generated paraphrases."""
