"""Candidate paraphrase pairs: within a paper, about one term, about one cited paper."""
