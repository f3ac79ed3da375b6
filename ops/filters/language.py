"""The language of a text.

Belongs here: the call of the library. Not here: the bound on the score (documents.py).

docs/reports/filters.md compares py3langid (Barbaresi; after Lui and Baldwin 2012, langid.py) with resiliparse
and lingua on short sentences in ten languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

#: Only the first characters of a text are classified: more do not change the result.
MOST = 10_000


class FoundLanguage(NamedTuple):
    """The likeliest language of a text, and the probability of the wanted one."""

    likeliest: str | None
    probability: float | None


def languages(texts: Sequence[str], wanted: str) -> list[FoundLanguage]:
    """Return the likeliest language of each text, and the probability of `wanted` (ISO 639-1), to 4 places.

    A text without letters has neither. Raises ValueError for an unknown language.
    """
    if wanted not in _identifier().labels:
        known = ", ".join(sorted(_identifier().labels))
        raise ValueError(f"the language {wanted!r} is not known; known: {known}")
    return [_language(text[:MOST], wanted) for text in texts]


def _language(text: str, wanted: str) -> FoundLanguage:
    if not any(map(str.isalpha, text)):
        return FoundLanguage(None, None)
    ranked = _identifier().rank(text)
    return FoundLanguage(ranked[0][0], round(dict(ranked)[wanted], 4))


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # the import takes a third of a second

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
