"""Paraphrase generation: models that are trained on the pairs (Dong et al. 2021, section 7)."""
