"""The pages of Toy."""
