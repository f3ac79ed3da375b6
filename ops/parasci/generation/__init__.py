"""Paraphrase generation: models that learn from the pairs (Dong et al. 2021, section 7)."""
