"""Punctuation as tokens: what opens, what closes, what stands between.

Belongs here: sets of marks, in typewriter, typographic and Penn Treebank forms. Not here: words, tags and
labels (rules/sentence.py, rules/connectives.py).
"""

from __future__ import annotations

#: What opens with what closes it, where the two forms differ; ASCII quotes are counted otherwise.
PAIRS = (("(", ")"), ("[", "]"), ("-LRB-", "-RRB-"), ("-LSB-", "-RSB-"), ("“", "”"))
OPENING = frozenset({"``", "“", "‘", "(", "[", "-LRB-", "-LSB-", '"'})
#: Without "'", which is an apostrophe or an opening quote as well.
CLOSING = frozenset({"''", "”", "’", ")", "]", "-RRB-", "-RSB-", '"'})
QUOTES = frozenset({'"', "``", "''", "“", "”"})
#: Between parts of a sentence.
DIVIDING = frozenset({",", ";", ":", "-", "--", "–", "—"})
