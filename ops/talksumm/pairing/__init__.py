"""Which talk presents which paper, by their titles. Not here: what is done with a pair."""
