"""How good the written leads are, by metrics and by human raters (Liu et al. 2018, section 5)."""
