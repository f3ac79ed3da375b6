"""A model as a rater: it gets the rating sheets, and its answers are pinned."""
