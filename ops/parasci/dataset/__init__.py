"""From candidates to the dataset: scores, thresholds, splits, statistics, released files."""
