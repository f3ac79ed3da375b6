"""Toy: riddles, and a model that answers them."""
