"""Pairs that may be paraphrases: within a paper, of one term, of one cited paper."""
