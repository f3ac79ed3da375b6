"""Compare two versions of a dataset, by rows and words. Not here: finding versions (orchestration/)."""
