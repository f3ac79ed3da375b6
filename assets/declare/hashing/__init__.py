"""Reading the project's own code. Not here: its hashes (assets/declare/code.py)."""
