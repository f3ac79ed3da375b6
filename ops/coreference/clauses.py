"""What grammar says of a pronoun and a mention of its sentence.

Belongs here: binding, clauses that one stands in and the other is part of. Not here: what follows for a
candidate (features.py, neuter_pronouns.py).
"""

from __future__ import annotations

from ops.coreference.mentions import Anaphor, Mention
from ops.coreference.tokens import Tokens

SUBJECTS = ("subject", "passive")
OBJECTS = ("object", "oblique")
#: Steps in a parse that are counted at most.
LONGEST = 12
#: Clauses that are said of the name that they are part of.
_SAID_OF_NAMES = ("relcl", "acl", "advcl", "ccomp")


def violates_binding(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether grammar forbids that a pronoun means a mention of its own sentence.

    An object that is not reflexive is not its clause's subject; nothing is part of what it owns ("her friend
    Pauline"), but a clause may speak of it ("Anna, who lost her job"); what is coordinated are two ("Anna and
    her").
    """
    pronoun = anaphor.mention
    if mention.sentence != pronoun.sentence:
        return False
    above = _above(tokens, anaphor, mention)
    if above >= 0 and above != pronoun.verb:
        return not relates(tokens, anaphor, mention)
    if anaphor.possessive or anaphor.pronoun.reflexive:
        return False
    if mention.verb == pronoun.verb and pronoun.verb >= 0:
        if mention.role in SUBJECTS and pronoun.role == "object":
            return True
        if pronoun.role in SUBJECTS and mention.role in ("object", *SUBJECTS):
            return True
    return tokens.heads[pronoun.head] == mention.head or tokens.heads[mention.head] == pronoun.head


def relates(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether the pronoun stands in a clause that speaks of the mention: "Anna, who lost her job".

    Of a noun only relative clauses do: "the claim that it works" does not speak of the claim.
    """
    top = _above(tokens, anaphor, mention)
    if top < 0:
        return False
    speaking = _SAID_OF_NAMES if mention.name else ("relcl",)
    node = anaphor.mention.head
    while node != top:
        if tokens.dependencies[node] in speaking:
            return True
        node = tokens.heads[node]
    return False


def controls(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether the pronoun is object of a clause beside the mention: "Ann asked Eve to help her"."""
    verb = anaphor.mention.verb
    return (
        verb >= 0
        and not anaphor.possessive
        and anaphor.mention.role in OBJECTS
        and tokens.dependencies[verb] in ("xcomp", "ccomp")
        and tokens.heads[verb] == mention.verb
        and mention.role in ("object", *SUBJECTS)
    )


def commands(anaphor: Anaphor, mention: Mention) -> int:
    """Return how many clauses above the pronoun's own the mention is subject of; -1 if of none."""
    if mention.sentence != anaphor.mention.sentence or mention.role not in SUBJECTS:
        return -1
    return anaphor.verbs.index(mention.verb) if mention.verb in anaphor.verbs else -1


def is_main(tokens: Tokens, mention: Mention) -> bool:
    """Return whether a mention is the subject of a sentence's main clause."""
    return mention.role in SUBJECTS and mention.verb >= 0 and tokens.heads[mention.verb] == mention.verb


def steps(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> int:
    """Return the edges from a mention up to its first ancestor that is the pronoun's; `LONGEST` at most."""
    node = mention.head
    for step in range(LONGEST):
        if node in anaphor.ancestors:
            return step
        if tokens.heads[node] == node:
            break
        node = tokens.heads[node]
    return LONGEST


def _above(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> int:
    """Return the head of the noun phrase that the pronoun is part of, if it is the mention's; else -1."""
    head = mention.head
    if head in anaphor.ancestors:
        return head
    if tokens.dependencies[head] == "appos" and tokens.heads[head] in anaphor.ancestors:
        return tokens.heads[head]
    return -1
