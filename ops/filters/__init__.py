"""Filters for documents and examples: scores, and the bounds that drop documents and examples by them."""
