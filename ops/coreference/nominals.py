"""Nominal anaphora: "the team", "the company", "the man", and the name or noun that each refers to.

Belongs here: which definite noun phrases refer to an earlier mention, by head, number and type, and with
which score. Scores are counted shares (docs/reports/coreference.md); the lists of words are our choice. Not
here: pronouns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from silverloom.ops.coreference.entities import Reading
from silverloom.ops.coreference.lexicon import FEMALE_NOUNS, GROUP_NAMES, MALE_NOUNS, PERSON_NOUNS, words
from silverloom.ops.coreference.mentions import NAME_TAGS, Mention
from silverloom.ops.coreference.tokens import DocumentTokens

#: Limits before the noun phrase: sentences and mentions.
_SENTENCES, _MENTIONS = 2, 30
#: "Each curve is a different model" names no model.
_VAGUE = words("different other another similar such each every any no only latter")
_SETTLEMENTS = words("city town village state country nation county kingdom")
#: A town has this probability of being a person, unless its name is also a first name.
_NO_PERSON = 0.2
_PARTS = words("island province region")
_SUBJECTS = ("subject", "passive")
#: "The former president" is a person named before.
_FORMER = frozenset({"former", "late"})
_DEFINITE = frozenset({"the", "this", "that", "these", "those"})

_KINDS: dict[str, frozenset[str]] = {
    "organisation": words(
        "team club company band group organization organisation party university school college firm "
        "corporation agency association league newspaper magazine institution institute franchise squad side "
        "network label studio airline bank army regiment union"
    ),
    "place": words(
        "city town village country state island county district region province municipality nation area "
        "settlement river lake mountain kingdom"
    ),
    "work": words("film movie album song book novel series show game single play opera comic track episode"),
}
#: Every business is one, and every university.
_ANY_COMPANY = words("company firm corporation organization organisation university college")
_TEAMS = words("team club side squad franchise")
#: Last words of the names of events, which recognisers take for organisations.
_EVENTS = words(
    "bowl championship championships conference cup division game games league match olympics open season "
    "series tournament trophy"
)
#: Nouns for an organisation, and words of a sentence that tell that it is one of these.
_FIELDS = (
    (
        _TEAMS,
        words("beat cup defeated drew finished game games goals league lost match played points season won"),
    ),
    (words("band group"), words("album albums concert gig single singles song songs tour toured")),
)
_TYPES: dict[str, frozenset[str]] = {
    "organisation": frozenset({"ORG"}),
    "place": frozenset({"GPE", "LOC"}),
    "work": frozenset({"WORK_OF_ART"}),
    "person": frozenset({"PERSON"}),
}


@dataclass(frozen=True, slots=True)
class Named:
    """A noun phrase with the earlier mention that it refers to."""

    mention: Mention
    antecedent: Mention
    score: float


def nominals(reading: Reading) -> Iterator[Named]:
    """Yield each definite noun phrase that refers to an earlier mention, with this mention."""
    tokens = reading.tokens
    placed = sorted([*reading.names, *reading.nouns], key=lambda mention: mention.start)
    starts = [mention.start for mention in placed]
    for mention in reading.nouns:
        if not _is_anaphoric(tokens, mention):
            continue
        here = bisect_left(starts, mention.start)
        near = [
            earlier
            for earlier in reversed(placed[max(0, here - _MENTIONS) : here])
            if mention.sentence - earlier.sentence <= _SENTENCES and earlier.end <= mention.start
        ]
        link = _by_head(tokens, mention, near) or _by_type(tokens, mention, near)
        if link is not None:
            yield link


def _is_anaphoric(tokens: DocumentTokens, mention: Mention) -> bool:
    """Return whether a noun phrase is only an article and a noun, perhaps with "former" between them, without
    a modifier after it."""
    length = mention.end - mention.start
    former = length == 3 and tokens.lower[mention.start + 1] in _FORMER
    if not (length == 2 or former) or tokens.lower[mention.start] not in _DEFINITE:
        return False
    if mention.role == "modifier" or mention.conjunct:
        return False
    # "The hypothesis that compositionality can be measured"
    if tokens.lower[mention.start] == "that" and tokens.tags[mention.start] != "DT":
        return False
    head = mention.head
    after = range(head + 1, min(head + 8, tokens.sentences[mention.sentence][1]))
    return not any(
        tokens.heads[place] == head
        and tokens.dependencies[place] in ("prep", "relcl", "acl", "appos", "conj", "cc", "punct", "nummod")
        for place in after
    )


def _by_head(tokens: DocumentTokens, mention: Mention, near: list[Mention]) -> Named | None:
    """Return the latest longer mention with the same head: "Stanford University", "a new museum"."""
    word = tokens.lower[mention.head]
    same = [
        earlier for earlier in near if _same_head(tokens, word, earlier) and earlier.plural == mention.plural
    ]
    if not same:
        return None
    latest = same[0]
    if not _VAGUE.isdisjoint(tokens.lower[latest.start : latest.end]):
        return None
    if not latest.name and latest.end - latest.start < 2:
        return None
    # "The dense relationships ... The relationships" may be others.
    plurals = mention.plural and tokens.lower[mention.start] == "the"
    known = not latest.name and tokens.lower[latest.start] in _DEFINITE
    if known and (plurals or latest.end - latest.start == 2):
        return None
    rivals = len({tuple(tokens.lower[earlier.start : earlier.end]) for earlier in same})
    if rivals > 1:
        near_by = _is_near_by(tokens, mention, latest, same)
        return Named(mention, latest, _SCORES["head, rivals, this" if near_by else "head, rivals"])
    return Named(mention, latest, _SCORES["head of a name" if latest.name else "head of a noun"])


def _is_near_by(tokens: DocumentTokens, mention: Mention, latest: Mention, same: list[Mention]) -> bool:
    """Return whether "this" or "these" can only mean the noun phrase of the preceding sentence: it has no
    other with the same head, and a plural is its subject."""
    if tokens.lower[mention.start] not in ("this", "these") or mention.sentence - latest.sentence != 1:
        return False
    if latest.coordinated or latest.conjunct or sum(e.sentence == latest.sentence for e in same) > 1:
        return False
    return not mention.plural or latest.role in _SUBJECTS


def _same_head(tokens: DocumentTokens, word: str, earlier: Mention) -> bool:
    if earlier.name:
        if earlier.label == "PERSON" or earlier.role == "modifier" or word in PERSON_NOUNS:
            return False
        # "Salem Hospital", "the Bank of England"
        phrase = tokens.lower[earlier.start : earlier.end]
        return len(phrase) > 1 and (phrase[-1] == word or phrase[:2] == [word, "of"])
    return tokens.lower[earlier.head] == word


def _by_type(tokens: DocumentTokens, mention: Mention, near: list[Mention]) -> Named | None:
    """Return the latest name of the type that the head noun denotes."""
    word = tokens.lower[mention.head]
    kind = _kind(word)
    if kind is None or mention.plural:
        return None
    fitting = [
        earlier
        for earlier in near
        if earlier.name
        and earlier.role != "modifier"
        and (not earlier.plural or _is_plural_team(word, earlier))
        and _fits(tokens, word, kind, earlier)
    ]
    if not fitting:
        return None
    rivals = {tokens.lower[earlier.end - 1] for earlier in fitting}
    if kind == "place" and len(rivals) == 1 and _is_topic(tokens, mention, fitting[0]):
        return Named(mention, fitting[0], _SCORES["place, topic"])
    if _may_be_alone(tokens, mention, kind, fitting[0]) and _is_alone(tokens, mention, kind, fitting, near):
        alone = "company" if word in _ANY_COMPANY else kind
        return Named(mention, fitting[0], _SCORES[f"{alone}, alone"])
    prominent = [earlier for earlier in fitting if earlier.role in ("subject", "passive")]
    if len(rivals) > 1:
        return Named(mention, (prominent or fitting)[0], _SCORES[f"{kind}, rivals"])
    best = fitting[0]
    suffix = "" if prominent else ", not a subject"
    return Named(mention, best, _SCORES[f"{kind}{suffix}"])


def _is_topic(tokens: DocumentTokens, mention: Mention, name: Mention) -> bool:
    """Return whether a place is the subject of one of the two sentences before: "Aruba has a dry climate .
    Visitors to the island"; but not "Rome , Italy , was dark"."""
    before = name.start - 1
    if before > 0 and tokens.lower[before] == "," and tokens.tags[before - 1] in NAME_TAGS:
        return False
    return (
        mention.sentence > name.sentence
        and name.label == "GPE"
        and name.person <= _NO_PERSON
        and name.role in _SUBJECTS
        and not name.coordinated
        and not name.conjunct
        and tokens.lower[mention.head] in _SETTLEMENTS | _PARTS
        and tokens.heads[tokens.heads[name.head]] == tokens.heads[name.head]
    )


def _is_plural_team(word: str, name: Mention) -> bool:
    """Return whether "team" may refer to a plural name: "the Lions"."""
    return word in _TEAMS and name.determined and name.label != "PERSON"


def _may_be_alone(tokens: DocumentTokens, mention: Mention, kind: str, name: Mention) -> bool:
    """Return whether a noun says enough about a name to stand for it: "the company", "the former president",
    and "the team" if the sentence with the name is about sports.

    "The judge" after a person's name, and "the bank" after an organisation's, are more often another one.
    """
    if kind == "person":
        return mention.end - mention.start == 3
    word = tokens.lower[mention.head]
    return kind == "place" or word in _ANY_COMPANY or _is_of_field(tokens, word, name)


def _is_of_field(tokens: DocumentTokens, word: str, name: Mention) -> bool:
    """Return whether a noun is "team" or "band", and the sentence with a name is about sports or music."""
    start, end = tokens.sentences[name.sentence]
    return any(word in nouns and not signs.isdisjoint(tokens.lower[start:end]) for nouns, signs in _FIELDS)


def _is_alone(
    tokens: DocumentTokens, mention: Mention, kind: str, fitting: list[Mention], near: list[Mention]
) -> bool:
    """Return whether no other name or noun of its kind is near, and either both are the subjects of two
    consecutive sentences, or the name is a place's after a preposition."""
    latest = fitting[0]
    if len({tuple(tokens.lower[name.start : name.end]) for name in fitting}) > 1:
        return False
    if any(not earlier.name and _kind(tokens.lower[earlier.head]) == kind for earlier in near):
        return False
    team = latest.plural and _is_plural_team(tokens.lower[mention.head], latest)
    if mention.sentence - latest.sentence > 1 or (tokens.lower[latest.start] == "the" and not team):
        return False
    # A name after "in" or "of" that is no person's, nor a river's.
    if kind == "place" and latest.role in ("oblique", "possessive") and latest.label == "GPE":
        return latest.person <= _NO_PERSON and tokens.lower[mention.head] in _SETTLEMENTS
    if mention.sentence == latest.sentence or latest.coordinated or latest.conjunct:
        return False
    opens = mention.role == "possessive" and mention.start == tokens.sentences[mention.sentence][0]
    if not (mention.role in _SUBJECTS or opens) or latest.role not in _SUBJECTS:
        return False
    return tokens.heads[tokens.heads[latest.head]] == tokens.heads[latest.head]


def _kind(word: str) -> str | None:
    for kind, heads in _KINDS.items():
        if word in heads:
            return kind
    if word in PERSON_NOUNS or word in MALE_NOUNS or word in FEMALE_NOUNS:
        return "person"
    return None


def _fits(tokens: DocumentTokens, word: str, kind: str, earlier: Mention) -> bool:
    if kind == "organisation" and _is_of_field(tokens, word, earlier):
        # Recognisers take clubs and bands for towns, and "Manchester United" for a person.
        named = tokens.lower[earlier.end - 1] in GROUP_NAMES
        bare = tokens.lower[earlier.start - 1] != "the" or earlier.start == 0 or earlier.plural
        return (
            bare
            and tokens.lower[earlier.end - 1] not in _EVENTS
            and (named or (earlier.label in ("ORG", "GPE") and earlier.person < 0.4))
        )
    if earlier.label not in _TYPES[kind]:
        return False
    if kind == "organisation":
        return earlier.person < 0.4 and not earlier.relative
    if kind == "person":
        if word in FEMALE_NOUNS:
            return earlier.female > 0.3
        if word in MALE_NOUNS:
            return earlier.female < 0.7
    return True


#: The share of correct links of each kind, counted by hand (docs/reports/coreference.md). Shares of fewer
#: than 30 links are shrunk to 0.87 if they reach 0.8.
_SCORES = {
    "head of a name": 0.87,
    "head of a noun": 0.91,
    "head, rivals": 0.72,
    "head, rivals, this": 0.97,
    "place, alone": 0.84,
    "place, topic": 0.97,
    "company, alone": 0.91,
    "organisation, alone": 0.87,  # a team or a band; none was read
    "person, alone": 0.87,  # none was read
    "organisation": 0.42,
    "organisation, not a subject": 0.25,
    "organisation, rivals": 0.45,
    "place": 0.53,
    "place, not a subject": 0.39,
    "place, rivals": 0.55,
    "work": 0.25,
    "work, not a subject": 0.25,
    "work, rivals": 0.25,
    "person": 0.21,
    "person, not a subject": 0.21,
    "person, rivals": 0.21,
}
