"""Two versions of a dataset side by side: revisions, rows, values."""
