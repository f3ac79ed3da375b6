"""Paraphrases of a part of a sentence: PDBERT, and the parts that it finds (Dong et al. 2021, 4.1.1)."""
