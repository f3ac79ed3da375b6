"""Mentions: the names, noun phrases and pronouns of a text, with their properties from the parse.

Belongs here: finding mentions, their place in the clause, and names that the tagger mistook for common words
("Ellen/JJ left", "Robles/NNS was sentenced"). Not here: which mentions refer to the same entity (entities.py,
features.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from silverloom.ops.coreference.lexicon import (
    FEMALE_NOUNS,
    MALE_NOUNS,
    PERSON_NOUNS,
    PRONOUNS,
    TITLES,
    Pronoun,
    first_names,
    gender_of_name,
    words,
)
from silverloom.ops.coreference.tokens import DocumentTokens

SyntacticRole: TypeAlias = Literal[
    "subject", "passive", "object", "oblique", "possessive", "apposition", "modifier", "other"
]

_ROLES: dict[str, SyntacticRole] = {
    "nsubj": "subject",
    "csubj": "subject",
    "nsubjpass": "passive",
    "dobj": "object",
    "dative": "object",
    "pobj": "oblique",
    "poss": "possessive",
    "appos": "apposition",
    "compound": "modifier",
    "nmod": "modifier",
    "amod": "modifier",
}
#: Types of entities that are never antecedents.
_NO_MENTION = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY", "LANGUAGE"})
_NOUN_TAGS = frozenset({"NN", "NNS"})
#: Tokens that cannot begin or end a name.
_EDGES = frozenset(
    {"the", "The", "a", "A", "an", "'s", "’s", "'", "’", ",", ".", "-", "(", ")", '"', "``", "''"}
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name ("John Smith"), a noun phrase ("the team") or a pronoun."""

    start: int
    end: int
    head: int
    sentence: int
    name: bool
    label: str
    """The type of its entity; empty if no entity was recognised."""
    role: SyntacticRole
    conjunct: bool
    """Whether it follows another mention in a coordination; it then has the role of the first one."""
    verb: int
    """The nearest verb above, which is that of its clause; -1 if no verb is above."""
    female: float
    """The probability that it is a woman if it is a person, by its own words; 0.5 if they do not tell."""
    person: float
    """1 if its words or type denote a person, 0 if they denote something else, in between if in doubt."""
    plural: bool
    determined: bool = False
    """Whether it is a name after an article: "the Lions"."""
    relative: bool = False
    """Whether a relative clause with "who" or "whose" follows it."""
    coordinated: bool = False
    """Whether another mention follows it in a coordination."""


@dataclass(frozen=True, slots=True)
class Anaphor:
    """A pronoun to be resolved."""

    mention: Mention
    pronoun: Pronoun
    possessive: bool
    verbs: tuple[int, ...]
    """The verb of its clause and those of the clauses above, nearest first."""
    ancestors: frozenset[int]


def anaphors(tokens: DocumentTokens) -> list[Anaphor]:
    """Return the third-person pronouns of a document in order."""
    return [
        _anaphor(tokens, index, PRONOUNS[word])
        for index, word in enumerate(tokens.lower)
        if word in PRONOUNS and tokens.tags[index][:3] in ("PRP", "PR")
    ]


def _anaphor(tokens: DocumentTokens, index: int, pronoun: Pronoun) -> Anaphor:
    above = tokens.ancestors(index)
    role, conjunct = _role(tokens, index)
    verbs = tuple(node for node in above if tokens.is_verb(node))
    mention = Mention(
        start=index,
        end=index + 1,
        head=index,
        sentence=tokens.sentence_of[index],
        name=False,
        label="",
        role=role,
        conjunct=conjunct,
        verb=verbs[0] if verbs else -1,
        female={"f": 1.0, "m": 0.0}.get(pronoun.gender, 0.5),
        person={"f": 1.0, "m": 1.0, "n": 0.0}.get(pronoun.gender, 0.5),
        plural=pronoun.gender == "p",
    )
    possessive = pronoun.possessive or tokens.tags[index] == "PRP$"
    return Anaphor(mention, pronoun, possessive, verbs, frozenset(above))


def names(tokens: DocumentTokens) -> list[Mention]:
    """Return the names of a document in order: entities, and runs of proper nouns outside entities."""
    entity_of = [-1] * len(tokens.words)
    for number, (start, end, label) in enumerate(tokens.entities):
        if label not in _NO_MENTION:
            entity_of[start:end] = [number] * (end - start)
        else:
            entity_of[start:end] = [-2] * (end - start)
    spans: list[tuple[int, int]] = []
    start = -1
    mistagged = mistagged_names(tokens, entity_of)
    for index, tag in enumerate(tokens.tags):
        inside = entity_of[index] >= 0 or (
            entity_of[index] != -2 and (tag in NAME_TAGS or index in mistagged)
        )
        if start >= 0 and (not inside or not _joined(tokens, entity_of, index)):
            spans.append((start, index))
            start = -1
        if inside and start < 0:
            start = index
    if start >= 0:
        spans.append((start, len(tokens.words)))
    described = _descriptions(tokens)
    joined = {head for head, label in zip(tokens.heads, tokens.dependencies, strict=True) if label == "conj"}
    names = (_name(tokens, entity_of, described, joined, *span) for span in spans)
    return [mention for mention in names if mention is not None]


def _descriptions(tokens: DocumentTokens) -> dict[int, float]:
    """Return by head the gender according to a noun in apposition or predication: "Sarala, a bright girl"."""
    genders: dict[int, float] = {}
    for index, label in enumerate(tokens.dependencies):
        if label not in ("appos", "attr") or tokens.tags[index] != "NN":
            continue
        female = _gender_of_noun(tokens.lower[index], 0.5)
        singular = tokens.lower[index] in PERSON_NOUNS
        if female == 0.5 and not singular:
            continue
        head = tokens.heads[index]
        if label == "attr":
            before = range(head - 1, max(tokens.sentences[tokens.sentence_of[head]][0], head - 40) - 1, -1)
            subject = next(
                (k for k in before if tokens.heads[k] == head and tokens.dependencies[k] == "nsubj"), -1
            )
            if subject < 0:
                continue
            head = subject
        genders[head] = female
    return genders


def _joined(tokens: DocumentTokens, entity_of: list[int], index: int) -> bool:
    """Return whether a token continues the name that the preceding token belongs to."""
    before = index - 1
    if tokens.sentence_of[before] != tokens.sentence_of[index]:
        return False
    if entity_of[before] >= 0 and entity_of[index] >= 0:
        return entity_of[before] == entity_of[index]
    return (
        tokens.heads[before] >= index and tokens.dependencies[before] in ("compound", "nmod", "amod", "poss")
    ) or (
        tokens.heads[index] == before and tokens.dependencies[index] in ("compound", "flat", "nmod", "punct")
    )


def _name(
    tokens: DocumentTokens,
    entity_of: list[int],
    described: dict[int, float],
    joined: set[int],
    start: int,
    end: int,
) -> Mention | None:
    words = tokens.words
    while start < end and words[start] in _EDGES:
        start += 1
    while end > start and words[end - 1] in _EDGES:
        end -= 1
    if start == end or not any(word[:1].isupper() for word in words[start:end]):
        return None
    head = _head(tokens, start, end)
    label = next((tokens.entities[k][2] for k in reversed(entity_of[start:end]) if k >= 0), "")
    title = next((TITLES[word] for word in tokens.lower[start : end - 1] if word in TITLES), "")
    female = 0.5
    if title in ("f", "m"):
        female = 0.98 if title == "f" else 0.02
    else:
        female = gender_of_name(tokens.lower[start:end])
        if described.get(head, 0.5) != 0.5:
            female = described[head]
        elif tokens.dependencies[head] == "appos" and tokens.tags[tokens.heads[head]] == "NN":
            female = _gender_of_noun(tokens.lower[tokens.heads[head]], female)
        elif start > 0 and start <= tokens.heads[start - 1] < end:
            female = _gender_of_noun(tokens.lower[start - 1], female)
    known = tokens.lower[start] in first_names() or title != ""
    relative = any(word in ("who", "whose", "whom") for word in tokens.lower[end : end + 2])
    if label == "PERSON" or title != "" or relative or head in described:
        person = 1.0
    elif label in ("", "NORP", "ORG", "GPE"):
        person = (0.7 if known else 0.5) if label == "" else (0.4 if known else 0.2)
    else:
        person = 0.1
    determined = start > 0 and tokens.lower[start - 1] in ("the", "a", "an", "this", "these")
    role, conjunct = _role(tokens, head)
    return Mention(
        start=start,
        end=end,
        head=head,
        sentence=tokens.sentence_of[head],
        name=True,
        label=label,
        role=role,
        conjunct=conjunct,
        verb=_verb(tokens, head),
        female=female,
        person=person,
        plural=tokens.tags[head] == "NNPS" or label == "NORP",
        determined=determined,
        relative=relative,
        coordinated=head in joined,
    )


def nouns(tokens: DocumentTokens, taken: list[Mention]) -> list[Mention]:
    """Return the base noun phrases of a document whose head is a common noun outside names."""
    named = {index for mention in taken for index in range(mention.start, mention.end)}
    phrases: list[Mention] = []
    for head, tag in enumerate(tokens.tags):
        if tag not in _NOUN_TAGS or tokens.dependencies[head] in ("compound", "nmod", "npadvmod", "amod"):
            continue
        if head in named:
            continue
        start = tokens.base_start(head)
        role, conjunct = _role(tokens, head)
        word = tokens.lower[head]
        female = _gender_of_noun(word, 0.5)
        singular = word[:-1] if tag == "NNS" and word.endswith("s") else word
        person = 1.0 if female != 0.5 or singular in PERSON_NOUNS else 0.0
        phrases.append(
            Mention(
                start=start,
                end=head + 1,
                head=head,
                sentence=tokens.sentence_of[head],
                name=False,
                label="",
                role=role,
                conjunct=conjunct,
                verb=_verb(tokens, head),
                female=female,
                person=person,
                plural=tag == "NNS",
            )
        )
    return phrases


def _gender_of_noun(word: str, default: float) -> float:
    if word in FEMALE_NOUNS:
        return 0.99
    return 0.01 if word in MALE_NOUNS else default


def _head(tokens: DocumentTokens, start: int, end: int) -> int:
    for index in range(end - 1, start - 1, -1):
        if not start <= tokens.heads[index] < end or tokens.heads[index] == index:
            return index
    return end - 1


def _role(tokens: DocumentTokens, index: int) -> tuple[SyntacticRole, bool]:
    """Return the role of a head, and whether it takes it from the first member of a coordination."""
    conjunct = False
    for _ in range(10):
        if tokens.dependencies[index] != "conj" or tokens.heads[index] == index:
            break
        index = tokens.heads[index]
        conjunct = True
    return _ROLES.get(tokens.dependencies[index], "other"), conjunct


def _verb(tokens: DocumentTokens, index: int) -> int:
    return next((node for node in tokens.ancestors(index) if tokens.is_verb(node)), -1)


NAME_TAGS = frozenset({"NNP", "NNPS"})
_TAGS = frozenset({"NN", "NNS", "JJ", "RB"})
_PLACES = words("nsubj nsubjpass dobj pobj poss appos conj attr dative advmod npadvmod ROOT")
#: Common words that often begin sentences and titles, but are also first names.
_COMMON = words("soon many so long art man early young noble season summer spring king queen")


def mistagged_names(tokens: DocumentTokens, entity_of: list[int]) -> set[int]:
    """Return the capitalised words in a noun's position that are first names or occur in the document's
    names.

    `entity_of` is -1 for a token outside entities, and -2 for a token of a date or a number.
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
