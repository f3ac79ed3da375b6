"""A model as a rater: rating sheets are put to it, and what it answered is pinned."""
