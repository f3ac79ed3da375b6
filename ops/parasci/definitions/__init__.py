"""Sentences that define a term: which they are, and when two of them define the same one."""
