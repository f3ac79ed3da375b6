"""The words of a sentence that say what it is of, and how many of them two sentences share.

Belongs here: which words count. Not here: what is made of them (scored.py, paraphrases.py).
"""

from __future__ import annotations

from ops.parasci.dataset.release import released_form
from ops.text.stop_words import STOP_WORDS


def content_words(sentence: str) -> list[str]:
    """Return the words of a sentence but for stop words, cases and signs; all words where no other is."""
    words = [word for word in released_form(sentence).split() if word[0].isalnum()]
    return [word for word in words if word not in STOP_WORDS] or words


def shared_words(first: str, second: str) -> float:
    """Return the share of the content words of two sentences that both have (Jaccard coefficient), 0 to 1."""
    one, other = set(content_words(first)), set(content_words(second))
    return len(one & other) / max(1, len(one | other))
