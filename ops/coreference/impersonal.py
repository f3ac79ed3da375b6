"""The "it" that means nothing: "it is known that", "it rained", "make it possible to".

Belongs here: recognising it by its clause. Not here: what the other "it" means (neuter_pronouns.py).
"""

from __future__ import annotations

from ops.coreference.lexicon import words
from ops.coreference.tokens import Tokens

#: Verbs in whose clause an impersonal "it" is the subject of a clause that follows.
_RAISING = words(
    "seem seems seemed appear appears appeared happen happens happened turn turns turned follow follows "
    "followed remain remains remained take takes took matter matters mattered cost costs suffice suffices "
    "become becomes became help helps helped make makes made"
)
_BE = words("is was are were be been being 's ’s")
_WEATHER = words("rain rains rained raining snow snows snowed snowing hail thunder late early")
_CLAUSES = words("that whether if how why what who which to for when where")
_MAKING = words(
    "make makes made making find finds found finding consider considers considered think thinks thought "
    "render renders rendered rendering"
)
_REACH = 14


def is_impersonal(tokens: Tokens, index: int) -> bool:
    """Return whether an "it" has a clause, the weather or nothing for a meaning."""
    dependency = tokens.dependencies[index]
    if dependency == "expl":
        return True
    verb = tokens.heads[index]
    end = min(tokens.sentences[tokens.sentence_of[index]][1], index + _REACH)
    made = index > 0 and tokens.lower[index - 1] in _MAKING
    if dependency in ("nsubj", "nsubjpass") and not made:
        return _subject(tokens, index, verb, end)
    follows = index + 1
    while follows < end and tokens.tags[follows][:2] in ("RB",):
        follows += 1
    if follows < end and tokens.tags[follows] in ("JJ", "JJR", "VBN"):
        return any(word in ("to", "that", "for") for word in tokens.lower[follows + 1 : follows + 6])
    return False


def _subject(tokens: Tokens, index: int, verb: int, end: int) -> bool:
    if tokens.lower[verb] in _WEATHER:
        return True
    clauses = [
        place
        for place in range(index + 2, end)
        if tokens.lower[place] in _CLAUSES and tokens.tags[place] != "DT" and _opens(tokens, place, verb)
    ]
    copular = tokens.lower[verb] in _BE or tokens.lower[verb] in _RAISING
    passive = tokens.dependencies[index] == "nsubjpass"
    if not clauses:
        return False
    if passive:
        return tokens.lower[clauses[0]] in ("that", "whether", "how", "why", "if")
    if not copular:
        return False
    between = range(min(index, verb) + 1, clauses[0])
    described = any(tokens.tags[place][:2] in ("JJ", "VB", "NN") for place in between if place != verb)
    raising = tokens.lower[verb] in _RAISING
    return described or raising


def _opens(tokens: Tokens, place: int, verb: int) -> bool:
    """Return whether a word opens a clause below a verb, or below what the verb says of its subject."""
    node = tokens.heads[place]
    for _ in range(6):
        if node == verb:
            return True
        if tokens.heads[node] == node or node < verb:
            break
        if tokens.dependencies[node] in ("pobj", "dobj", "nsubj"):
            return False
        node = tokens.heads[node]
    return False
