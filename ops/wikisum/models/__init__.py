"""WikiSum's abstractive stage: from title and ranked paragraphs to a lead (Liu et al. 2018, section 4.2)."""
