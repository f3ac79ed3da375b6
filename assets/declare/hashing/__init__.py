"""The hash of code: what a function reaches, by symbol. Not here: packages, models (declare/code.py)."""
