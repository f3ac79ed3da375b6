"""Two versions of a dataset side by side. Not here: matching their rows (ops/versions)."""
