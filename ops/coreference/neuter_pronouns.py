"""The antecedents of "it" and "they" by salience, because no annotated texts exist for them; impersonal "it".

Belongs here: candidates, salience, the score of the best candidates, and recognising an impersonal "it" by
its clause ("it is known that", "it rained", "make it possible to"). Not here: "he" and "she" (ranker.py).

Weights follow Lappin and Leass (1994), section 2.1, on a log-odds scale.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp

from silverloom.ops.coreference.entities import Reading
from silverloom.ops.coreference.lexicon import GROUP_NOUNS, words
from silverloom.ops.coreference.mentions import Anaphor, Mention
from silverloom.ops.coreference.pairs import commands, violates_binding
from silverloom.ops.coreference.tokens import DocumentTokens

#: Limits before the pronoun: sentences and mentions.
_SENTENCES, _MENTIONS = 2, 30
#: Nouns that begin a phrase of time, place or manner and seldom are antecedents.
_VAGUE = words(
    "year month week day time way example addition order case part end number lot variety kind type sort "
    "fact hand term terms use basis respect manner extent contrast result years months weeks days times "
    "ways cases parts hours minutes decade century morning evening night % percent"
)
_ROLE = {
    "subject": 1.5,
    "passive": 1.5,
    "object": 0.8,
    "oblique": 0.0,
    "possessive": -0.5,
    "apposition": -0.5,
    "modifier": -3.0,
    "other": -0.8,
}
_SUBJECTS = ("subject", "passive")
#: Mentions with at least this personhood may be people: names of unknown type, or with a first name.
_PERSONAL = 0.4
#: The salience of an antecedent that is not a noun phrase: a clause, two people named separately, unsaid.
_NOTHING = 1.2


@dataclass(frozen=True, slots=True)
class Meant:
    """A neuter or plural pronoun with a mention that it may refer to."""

    anaphor: Anaphor
    mention: Mention
    score: float


def neuter_pronouns(reading: Reading) -> Iterator[Meant]:
    """Yield the best antecedents of each "it" and "they", at most two, the best first."""
    tokens = reading.tokens
    placed = sorted([*reading.names, *reading.nouns], key=lambda mention: mention.start)
    placed = [mention for mention in placed if mention.end - mention.start <= 12]
    starts = [mention.start for mention in placed]
    latest: dict[str, tuple[Anaphor, Mention]] = {}
    for anaphor in reading.anaphors:
        gender = anaphor.pronoun.gender
        if gender not in "np" or (gender == "n" and is_impersonal(tokens, anaphor.mention.start)):
            continue
        here = bisect_left(starts, anaphor.mention.start)
        candidates: list[tuple[float, Mention]] = []
        for mention in reversed(placed[max(0, here - _MENTIONS) : here]):
            if anaphor.mention.sentence - mention.sentence > _SENTENCES:
                break
            if mention.end > anaphor.mention.start or not _agrees(tokens, anaphor, mention):
                continue
            if gender == "p":
                mention = coordination(tokens, mention, anaphor.mention.start)
            if violates_binding(tokens, anaphor, mention):
                continue
            candidates.append(
                (_salience(tokens, anaphor, mention, len(candidates), latest.get(gender)), mention)
            )
        if not candidates:
            continue
        candidates.sort(key=lambda item: (-item[0], -item[1].start))
        top = candidates[0][0]
        total = exp(_NOTHING - top) + sum(exp(value - top) for value, _ in candidates)
        latest[gender] = (anaphor, candidates[0][1])
        sure = _referential(tokens, anaphor, candidates[0][1])
        for value, mention in candidates[:2]:
            yield Meant(anaphor, mention, sure * exp(value - top) / total)


def coordination(tokens: DocumentTokens, mention: Mention, limit: int) -> Mention:
    """Return the whole coordination that a mention begins; the mention itself if it begins none."""
    end = mention.end
    node = mention.head
    for _ in range(10):
        following = next(
            (
                place
                for place in range(node + 1, min(node + 15, limit))
                if tokens.heads[place] == node and tokens.dependencies[place] == "conj"
            ),
            -1,
        )
        if following < 0:
            break
        end, node = following + 1, following
    return mention if end == mention.end else replace(mention, end=end)


def is_coordinated(tokens: DocumentTokens, mention: Mention) -> bool:
    """Return whether "and" follows a mention and coordinates it with another one."""
    reach = min(mention.head + 15, tokens.sentences[mention.sentence][1])
    return any(
        tokens.heads[place] == mention.head and tokens.lower[place] in ("and", "&")
        for place in range(mention.end, reach)
    )


def _agrees(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> bool:
    word = tokens.lower[mention.head]
    if word in _VAGUE:
        return False
    if anaphor.pronoun.gender == "n":
        if mention.plural or mention.person >= _PERSONAL or mention.label in ("PERSON", "NORP"):
            return False
        return not mention.conjunct and not is_coordinated(tokens, mention)
    if mention.conjunct:
        return mention.plural and not mention.name
    if is_coordinated(tokens, mention) or mention.plural:
        return True
    return word in GROUP_NOUNS or (mention.label in ("ORG", "NORP") and mention.determined)


def _salience(
    tokens: DocumentTokens,
    anaphor: Anaphor,
    mention: Mention,
    order: int,
    latest: tuple[Anaphor, Mention] | None,
) -> float:
    pronoun = anaphor.mention
    distance = pronoun.sentence - mention.sentence
    value = _ROLE[mention.role] - 0.15 * order - (0.0, 0.4, 2.0)[distance]
    if mention.role in _SUBJECTS:
        if pronoun.role in _SUBJECTS:
            value += 0.8
        if mention.verb >= 0 and tokens.heads[mention.verb] == mention.verb:
            value += 0.7
    elif mention.role == pronoun.role:
        value += 0.5
    if mention.start - tokens.sentences[mention.sentence][0] <= 2:
        value += 0.4
    if mention.role == "oblique" and _inside_noun(tokens, mention):
        value -= 1.0
    if mention.name or tokens.lower[mention.start] in ("the", "this", "our", "these"):
        value += 0.4
    depth = commands(anaphor, mention)
    if depth >= 0 and not anaphor.possessive and tokens.dependencies[pronoun.verb] == "conj":
        value += 1.0
    if depth == 0 and (anaphor.possessive or anaphor.pronoun.reflexive):
        value += 2.0
    elif depth > 0:
        value += 0.5
    elif distance == 0 and anaphor.possessive and pronoun.start - mention.end <= 8:
        value += 1.5
    if latest is not None and latest[1].head == mention.head:
        value += 2.0 if pronoun.sentence - latest[0].mention.sentence <= 1 else 0.5
    return value


def _inside_noun(tokens: DocumentTokens, mention: Mention) -> bool:
    preposition = tokens.heads[mention.head]
    return tokens.tags[tokens.heads[preposition]][:2] == "NN"


def _referential(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> float:
    """Return the probability that a pronoun refers to a noun phrase at all, and to one of the candidates."""
    pronoun = anaphor.mention
    sure = 0.85 if anaphor.possessive or anaphor.pronoun.reflexive else 0.8
    if pronoun.role == "oblique" or (pronoun.role == "object" and anaphor.pronoun.gender == "n"):
        sure -= 0.1
    if _is_fronted(tokens, pronoun) and mention.sentence != pronoun.sentence:
        sure *= 0.5
    return sure


def _is_fronted(tokens: DocumentTokens, pronoun: Mention) -> bool:
    """Return whether a pronoun precedes the subject of its sentence: "For its speed, the car ..." """
    start, end = tokens.sentences[pronoun.sentence]
    behind = range(pronoun.end, min(end, pronoun.end + 20))
    return any(
        tokens.dependencies[place] in ("nsubj", "nsubjpass")
        and tokens.dependencies[tokens.heads[place]] == "ROOT"
        for place in behind
    ) and not any(
        tokens.dependencies[place] in ("nsubj", "nsubjpass") and tokens.heads[place] < end
        for place in range(max(start, pronoun.start - 40), pronoun.end)
    )


#: Verbs whose subject may be an impersonal "it" that stands for a following clause.
_RAISING = words(
    "seem seems seemed appear appears appeared happen happens happened turn turns turned follow follows "
    "followed remain remains remained take takes took matter matters mattered cost costs suffice suffices "
    "become becomes became help helps helped make makes made"
)
_BE = words("is was are were be been being 's ’s")
#: "It can be challenging to obtain them": to the parser, a progressive form.
_JUDGING = words(
    "amazing amusing annoying challenging comforting confusing depressing disappointing embarrassing "
    "encouraging exciting exhausting fascinating frustrating inspiring interesting intriguing misleading "
    "promising rewarding satisfying shocking surprising tempting terrifying tiring worrying"
)
_WEATHER = words("rain rains rained raining snow snows snowed snowing hail thunder late early")
_CLAUSES = words("that whether if how why what who which to for when where")
_MAKING = words(
    "make makes made making find finds found finding consider considers considered think thinks thought "
    "render renders rendered rendering"
)
_REACH = 14


def is_impersonal(tokens: DocumentTokens, index: int) -> bool:
    """Return whether an "it" refers to a clause, to the weather or to nothing."""
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


def _subject(tokens: DocumentTokens, index: int, verb: int, end: int) -> bool:
    if tokens.lower[verb] in _WEATHER:
        return True
    clauses = [
        place
        for place in range(index + 2, end)
        if tokens.lower[place] in _CLAUSES and tokens.tags[place] != "DT" and _opens(tokens, place, verb)
    ]
    copular = tokens.lower[verb] in _BE | _RAISING | _JUDGING
    passive = tokens.dependencies[index] == "nsubjpass"
    if not clauses:
        return False
    if passive:
        return tokens.lower[clauses[0]] in ("that", "whether", "how", "why", "if")
    if not copular:
        return False
    between = range(min(index, verb) + 1, clauses[0])
    described = any(tokens.tags[place][:2] in ("JJ", "VB", "NN") for place in between if place != verb)
    raising = tokens.lower[verb] in _RAISING | _JUDGING
    return described or raising


def _opens(tokens: DocumentTokens, place: int, verb: int) -> bool:
    """Return whether a word opens a clause that depends on a verb or on the verb's predicate."""
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
