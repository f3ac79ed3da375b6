"""A clause that begins with a participle, made finite: "visited Rome and was robbed" for "visiting Rome and
robbed".

Belongs here: the participle and those coordinated with it. Not here: which noun is the subject (cataphora.py,
subordination.py), verb forms (morphology.py).
"""

from __future__ import annotations

from silverloom.ops.discofuse.rules.morphology import be, finite
from silverloom.ops.discofuse.rules.rule import ParsedSentence, TokenList


def made_finite(
    sentence: ParsedSentence, clause: TokenList, participle: int, subject: int, past: bool
) -> TokenList | None:
    """Return a clause with finite verbs in place of its present participle and those coordinated with it.

    None if a form is unknown.
    """
    clause = list(clause)
    for at in (participle, *_coordinated(sentence, participle)):
        place = clause.index(at)
        if sentence.tags[at] != "VBG":
            clause.insert(place, be(sentence, subject, past))
            continue
        form = finite(sentence, at, subject, past)
        if form is None:
            return None
        clause[place] = form
    return clause


def _coordinated(sentence: ParsedSentence, participle: int) -> list[int]:
    """Return the participles coordinated with another: "leaving the club and joining another", "leaving the
    club and called back"."""
    return [
        at
        for at in sentence.children(participle)
        if sentence.dependencies[at] == "conj"
        and not sentence.auxiliaries(at)
        and (sentence.tags[at] == "VBG" or _is_passive(sentence, at))
    ]


def _is_passive(sentence: ParsedSentence, participle: int) -> bool:
    """Return whether a coordinated past participle lacks "be": "called the Great", "replaced by"."""
    if sentence.child(participle, "oprd") is not None:
        return sentence.tags[participle] in ("VBN", "VBD")
    return sentence.tags[participle] == "VBN" and sentence.child(participle, "dobj") is None
