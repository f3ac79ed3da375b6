"""How well models fuse: Exact and SARI by phenomenon, and people's judgement. Not here: the models."""
