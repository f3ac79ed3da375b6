"""Models that learn to fuse, and what they write. Not here: their scores (ops/discofuse/evaluation)."""
