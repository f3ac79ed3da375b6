"""Two versions of a dataset: which rows differ, in which words. Not here: finding them (orchestration/)."""
