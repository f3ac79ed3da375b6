"""Filters of documents and of examples: a score each, and the bounds that drop what is beyond them."""
