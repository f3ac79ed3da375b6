"""Names that the tagger took for common words: "Ellen/JJ left", "Robles/NNS was sentenced".

Belongs here: finding them. Not here: names in general (mentions.py).
"""

from __future__ import annotations

from ops.coreference.first_names import first_names
from ops.coreference.lexicon import words
from ops.coreference.tokens import Tokens

NAME_TAGS = frozenset({"NNP", "NNPS"})
_TAGS = frozenset({"NN", "NNS", "JJ", "RB"})
_PLACES = words("nsubj nsubjpass dobj pobj poss appos conj attr dative advmod npadvmod ROOT")
#: Common words that begin sentences and titles and are first names, too.
_COMMON = words("soon many so long art man early young noble season summer spring king queen")


def mistagged_names(tokens: Tokens, entity_of: list[int]) -> set[int]:
    """Return the capitalised words in a noun's place that are first names or words of the document's names.

    `entity_of` has -1 for a token of no entity, and -2 for one of a date or a number.
    """
    candidates = [
        index
        for index, tag in enumerate(tokens.tags)
        if tag in _TAGS
        and tokens.words[index][0].isupper()
        and entity_of[index] == -1
        and tokens.dependencies[index] in _PLACES
        and not tokens.words[index].isupper()
    ]
    if not candidates:
        return set()
    known = {
        word
        for word, tag, entity in zip(tokens.words, tokens.tags, entity_of, strict=True)
        if tag in NAME_TAGS and entity != -2
    }
    given = first_names()
    return {
        index
        for index in candidates
        if tokens.words[index] in known
        or (tokens.lower[index] in given and tokens.lower[index] not in _COMMON)
    }
