"""The dataset made of candidates: scores, thresholds, splits, statistics, released files."""
