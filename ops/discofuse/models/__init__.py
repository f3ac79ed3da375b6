"""Models that learn to fuse, and their outputs. Not here: scoring these (ops/discofuse/evaluation)."""
