"""Paraphrases of a part of a sentence: PDBERT, and what it finds (Dong et al. 2021, 4.1.1)."""
