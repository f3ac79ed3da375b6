"""Models that learn to fuse, and the sentences they write. Not here: their scores (evaluation/)."""
