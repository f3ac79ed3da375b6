"""What written leads are worth, to metrics and to people (Liu et al. 2018, section 5)."""
