"""NLTK's English stop words, which need a download there.

Belongs here: reading the list (stop_words.txt; its licence and source stand in it). Not here: what is done
with it.
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").splitlines()

#: `stopwords.words("english")`, the 179 words that TalkSumm's released code removed.
STOP_WORDS = frozenset(line for line in _LINES if not line.startswith("#"))
