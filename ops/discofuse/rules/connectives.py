"""The connectives of Table 12, and two sentences joined by one in the second sentence.

Belongs here: the sets, telling a connective from other uses of the same words, and the discourse connective
rule. Not here: connectives within a sentence (subordination.py, coordination.py), pronouns (anaphora.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from silverloom.ops.coreference.lexicon import PERSON_NOUNS, TITLES
from silverloom.ops.discofuse.annotation import OPENING
from silverloom.ops.discofuse.rules.operations import delete
from silverloom.ops.discofuse.rules.rule import (
    FINITE,
    SUBJECTS,
    VERBS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
)


def phrases(connectives: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the words of connectives, longest first, by their first word."""
    by_first: dict[str, list[list[str]]] = {}
    for words in sorted((connective.split() for connective in connectives), key=len, reverse=True):
        by_first.setdefault(words[0], []).append(words)
    return by_first


BACKWARD = (
    "accordingly", "additionally", "afterward", "alternatively", "although", "and", "as a result",
    "because of that", "because of this", "besides", "but", "by comparison", "by contrast",
    "by doing this", "by then", "consequently", "conversely", "else", "finally", "for example",
    "for instance", "further", "furthermore", "hence", "however", "in contrast", "in fact",
    "in other words", "in particular", "in short", "in sum", "in the end", "in turn", "indeed",
    "instead", "lest", "likewise", "meantime", "in the meantime", "meanwhile", "moreover",
    "nevertheless", "next", "nonetheless", "on the contrary", "on the other hand", "or", "otherwise",
    "overall", "plus", "rather", "regardless", "similarly", "simultaneously", "specifically", "still",
    "then", "thereafter", "thereby", "therefore", "though", "thus", "ultimately", "whereas", "yet",
    "now", "second", "third", "basically", "this", "eventually", "obviously", "again", "fortunately",
    "luckily", "meaning", "interestingly", "anyway", "clearly",
)  # fmt: skip
BACKWARD_PHRASES = phrases(BACKWARD)
INNER = (
    "because", "hence", "while", "whereas", "although", "unless", "now that", "so that", "meaning",
)  # fmt: skip
FORWARD = ("although", "since", "in addition to", "aside from")
COORDINATING = frozenset({"and", "but", "or", "nor", "yet", "so", "for"})
RELATIVE = frozenset({"who", "which", "whose", "whom"})

CONJUNCTIONS = frozenset({"and", "but", "or", "yet", "plus"})
#: These make a sentence a subordinate clause, so a separate sentence that begins with one is a fragment.
SUBORDINATORS = frozenset({"although", "though", "whereas", "lest"})
_CONCESSIVE = frozenset({"although", "though"})
#: Within a sentence, without commas, these are connectives if they modify its verb. The others of Table 12
#: are as often adverbs of manner there ("specifically designed") or part of a phrase ("the next round").
INSIDE = frozenset(
    {
        "accordingly", "additionally", "afterward", "again", "consequently", "eventually", "finally",
        "fortunately", "furthermore", "hence", "however", "indeed", "instead", "likewise", "meanwhile",
        "moreover", "nevertheless", "nonetheless", "now", "obviously", "still", "then", "thereafter",
        "thereby", "therefore", "thus", "ultimately", "basically", "clearly",
    }
)  # fmt: skip
#: Without a comma these express a time or a manner; the released data treats them as connectives.
_ADVERBS = frozenset({"now", "still", "again", "clearly", "obviously"})
_NEVER_INSIDE = frozenset(
    {"and", "but", "or", "plus", "yet", "else", "next", "this", "meaning", "lest", "although", "whereas"}
)
#: Before these words a connective is a preposition or part of a comparison ("instead of", "rather than", "now
#: that").
_CONTINUES = frozenset({"of", "to", "than", "that", "as", "with", "from"})
#: Before a bare noun these modify the noun, whatever the parser says: "Still life", "Then president".
_MODIFIERS = frozenset(
    {"still", "second", "third", "next", "further", "overall", "then", "now", "rather", "else"}
)
_BARE = frozenset({"NN", "NNS", "JJ", "JJR"})
#: "Then CEO Jobs": the name of an office, before the name of the person.
_OFFICES = frozenset(
    {"ceo", "cfo", "cto", "chief", "prime", "vice", "pm", "head", "owner", "champion", "leader"}
)
#: "Or so he said", "or not": without "or" the rest says something else.
_AFTER_OR = frozenset({"so", "not", "rather", "maybe", "perhaps"})
#: "Second" continues an enumeration only if the preceding sentence has its beginning.
_ENUMERATED = {
    "second": frozenset({"first", "firstly", "one", "1"}),
    "third": frozenset({"second", "secondly", "two", "2"}),
}
_IN_NOUN_PHRASES = frozenset(
    {
        "amod",
        "nummod",
        "compound",
        "det",
        "poss",
        "nsubj",
        "nsubjpass",
        "csubj",
        "pobj",
        "dobj",
        "nmod",
        "relcl",
        "attr",
    }
)
_BEFORE_NO_CONNECTIVE = frozenset(
    {"since", "by", "until", "till", "from", "back", "once", "yet", "not", "n't", "never", "just"}
)


def is_opening(sentence: ParsedSentence, start: int, end: int, comma: bool) -> bool:
    """Return whether the tokens from `start` to `end`, which begin a sentence, are a connective rather than
    content."""
    word, label = sentence.lower[start], sentence.dependencies[start]
    following = sentence.lower[end] if end < sentence.end else "."
    if end - start > 1:
        return comma or (following not in _CONTINUES and _is_adverbial(sentence, start, end))
    if word in CONJUNCTIONS:
        if word == "or" and following in _AFTER_OR:
            return False
        return not (word == "yet" and following in ("another", "to", "again")) and (
            word not in ("yet", "plus") or comma or label in ("cc", "advmod", "mark")
        )
    if word in SUBORDINATORS:
        # "Although without a leader , they went on": it governs only what precedes the comma.
        if not comma and word in _CONCESSIVE and "," in sentence.lower[end : sentence.end]:
            return False
        return comma or (label == "mark" and sentence.heads[start] == sentence.root)
    if label in _IN_NOUN_PHRASES or not _continues_enumeration(sentence, word):
        return False
    if comma:
        return word != "meaning"
    # "Then president Clinton"
    bare = sentence.tags[end] in _BARE or following in TITLES or following in PERSON_NOUNS
    bare = bare or (following in _OFFICES and sentence.dependencies[end] in ("compound", "amod"))
    if word in _MODIFIERS and bare:
        return False
    return following not in _CONTINUES and _modifies_verb(sentence, start)


def is_inside(sentence: ParsedSentence, start: int, end: int, set_off: bool) -> bool:
    """Return whether tokens within a sentence are a connective; `set_off`: they are between two commas."""
    word = sentence.lower[start]
    before, following = sentence.lower[start - 1], sentence.lower[end] if end < sentence.end else "."
    if word in _NEVER_INSIDE or sentence.dependencies[start] in _IN_NOUN_PHRASES:
        return False
    if set_off:
        return True
    if following in _CONTINUES or following == "," or before in _BEFORE_NO_CONNECTIVE or before == ",":
        return False
    if end - start > 1:
        return before in ("is", "are", "was", "were", "has", "have", "had") and _is_adverbial(
            sentence, start, end
        )
    return word in INSIDE and _modifies_verb(sentence, start)


def _modifies_verb(sentence: ParsedSentence, token: int) -> bool:
    head = sentence.heads[token]
    return (
        sentence.dependencies[token] in ("advmod", "npadvmod", "cc", "mark")
        and head == sentence.root
        and (sentence.tags[head] in VERBS or sentence.tags[head] == "MD")
    )


def _continues_enumeration(sentence: ParsedSentence, word: str) -> bool:
    """Return whether the preceding sentence has "first" before "second", or "second" before "third"."""
    before = sentence.before
    if word not in _ENUMERATED or before is None:
        return True
    return not _ENUMERATED[word].isdisjoint(before.lower[before.start : before.end])


def _is_adverbial(sentence: ParsedSentence, start: int, end: int) -> bool:
    """Return whether a preposition at `start` depends on the main verb and its phrase ends before `end`."""
    return (
        sentence.dependencies[start] in ("prep", "advmod", "mark", "pcomp")
        and sentence.heads[start] == sentence.root
        and sentence.right(start) < end
    )


class _Connective(NamedTuple):
    start: int
    end: int
    deleted: tuple[int, int]
    """The first deleted token, and the token after the last; includes one or two commas."""
    text: str


def _detect(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Connective]:
    lower = sentence.lower
    opening = sentence.start
    within = params.connective_within
    # "This" and "and" are everywhere, but seldom here.
    if BACKWARD_PHRASES.keys().isdisjoint(lower[opening : opening + within]):
        return
    while opening < sentence.end and sentence.words[opening] in OPENING:
        opening += 1
    for start in range(opening, min(sentence.start + within, sentence.end - 1)):
        for words in BACKWARD_PHRASES.get(lower[start], ()):
            end = start + len(words)
            if end < sentence.end and lower[start:end] == words:
                connective = _at(sentence, start, end, start == opening)
                released = params.profile == "released"
                if connective and not released and connective.text in _ADVERBS:
                    connective = None
                if connective and not released and _leaves_partner(sentence, connective):
                    connective = None
                if connective and (released or _is_sentence_without(sentence, connective)):
                    yield connective
                    return
                break


def _at(sentence: ParsedSentence, start: int, end: int, opens: bool) -> _Connective | None:
    lower = sentence.lower
    comma = lower[end] == ","
    text = " ".join(lower[start:end]) + (" ," if comma else "")
    if opens:
        if lower[end] == "else" or not is_opening(sentence, start, end, comma):
            return None
        return _Connective(start, end, (start, end + comma), text)
    set_off = comma and lower[start - 1] == ","
    if not is_inside(sentence, start, end, set_off):
        return None
    if not set_off:
        return _Connective(start, end, (start, end), text)
    # "In 1990 , however , he left": a phrase before the subject keeps its comma.
    fronted = SUBJECTS.isdisjoint(sentence.dependencies[sentence.start : start])
    # "If , however , he left"
    fronted = fronted and sentence.dependencies[start - 2] != "mark"
    return _Connective(start, end, (start if fronted else start - 1, end + 1), text)


def _leaves_partner(sentence: ParsedSentence, connective: _Connective) -> bool:
    """Return whether the preceding sentence has "on the one hand", which would be left alone."""
    before = sentence.before
    if before is None or not connective.text.startswith("on the other hand"):
        return False
    return any(before.lower[at : at + 2] == ["one", "hand"] for at in range(before.start, before.end - 1))


def _is_sentence_without(sentence: ParsedSentence, connective: _Connective) -> bool:
    """Return whether both sentences are clauses without the connective."""
    before = sentence.before
    if before is None or FINITE.isdisjoint(before.tags[before.start : before.end]):
        return False
    root = sentence.root
    subject = sentence.subject(root)
    return (
        subject is not None
        and sentence.tags[subject] != "WDT"  # "Which then ends"
        and sentence.is_finite(root)
        and not any(connective.deleted[0] <= at < connective.deleted[1] for at in (root, subject))
    )


def _apply(sentence: ParsedSentence, connective: _Connective) -> RuleResult:
    assert sentence.before is not None
    start, end = connective.deleted
    return RuleResult(
        sentence.before.tokens(),
        delete(sentence.tokens(), start - sentence.start, end - start),
        connective.text,
    )


RULES = (
    Rule(
        name="discourse_connective",
        row="Discourse connective",
        discourse_type="PAIR_CONN",
        with_anaphora="PAIR_CONN_ANAPHORA",
        of_pairs=True,
        triggers=frozenset(BACKWARD_PHRASES),
        detect=_detect,
        apply=_apply,
    ),
)
