"""An apposition after a comma: "Ann , a singer ,".

Belongs here: which noun describes which, and the sentence with "be" that it becomes. Not here: text between
commas (commas.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from silverloom.ops.coreference.lexicon import GROUP_NOUNS, words
from silverloom.ops.discofuse.annotation import QUOTES
from silverloom.ops.discofuse.rules.commas import (
    PEOPLE,
    THINGS,
    Between,
    as_known,
    between,
    conjunct,
    is_person,
    loosely,
    noun_above,
    without,
)
from silverloom.ops.discofuse.rules.morphology import be, is_past, is_plural
from silverloom.ops.discofuse.rules.operations import prepend
from silverloom.ops.discofuse.rules.rule import (
    NAMES,
    NOUNS,
    SUBJECTS,
    TIMES,
    WH_WORDS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
)

_PLACES = frozenset({"GPE", "LOC"})
_DETERMINERS = frozenset({"det", "poss", "predet"})
_LOCATIVES = frozenset({"in", "to", "from", "at", "near"})
_OF_PLACES = frozenset({"city", "town", "village", "suburb", "county", "island", "state", "country"})
#: What a named place is; it mostly still is.
_SETTLEMENTS = _OF_PLACES | words("community hamlet neighborhood neighbourhood municipality borough")
_NO_PLACES = THINGS - _OF_PLACES - {"river", "club", "school", "team"}
#: Several people fit such a description, so it takes "a": "a member of the club".
_OF_SEVERAL = frozenset(
    {"member", "graduate", "native", "resident", "student", "veteran", "citizen", "alumnus", "descendant"}
)
#: "The" before these names one person.
_OFFICES = frozenset(
    {
        "king", "queen", "president", "chairman", "chairwoman", "director", "leader", "founder", "mayor",
        "governor", "winner", "champion", "minister", "emperor", "pope", "head", "captain", "father",
        "mother", "son", "daughter", "brother", "sister", "wife", "husband", "chief", "secretary",
        "commander", "owner",
    }
)  # fmt: skip
_UNIQUE = frozenset(
    {"first", "second", "third", "last", "only", "sole", "current", "former", "eldest", "main"}
)
#: At the end of a sentence these describe an event: "He left the club , a loss for all".
_EVENTS = frozenset(
    {
        "achievement", "act", "action", "amount", "approach", "attempt", "attitude", "award", "belief",
        "change", "claim", "conviction", "decision",
        "decline", "decrease", "defeat", "development", "drop", "effort", "event", "fact", "feat", "figure",
        "first", "gain", "goal", "honor", "honour", "idea", "improvement", "increase", "job", "kind", "loss",
        "means", "measure", "method", "move", "number", "offense", "one", "part", "phenomenon", "point",
        "position", "post", "practice", "problem", "process", "question", "rate", "reason", "record",
        "reference", "result", "rise", "role", "sentiment", "sign", "stance", "step", "success", "task",
        "tendency", "term", "thing", "time", "title", "total", "triumph", "victory", "view", "way", "win",
    }
)  # fmt: skip


def _detect_apposition(sentence: ParsedSentence, params: RuleParams) -> Iterator[Between]:
    if "appos" not in sentence.dependencies[sentence.start : sentence.end]:
        return
    for at in range(sentence.start + 2, sentence.end - 1):
        if sentence.dependencies[at] != "appos":
            continue
        head = sentence.heads[at]
        if "," not in sentence.lower[head:at]:
            continue
        noun, first = _described(sentence, head, at), sentence.left(at)
        if noun >= first or first < sentence.start + 2:
            continue
        parenthetical = _apposition(sentence, noun, at, first)
        if (
            not parenthetical
            and params.profile == "released"
            and sentence.dependencies[first] in _DETERMINERS
        ):
            parenthetical = loosely(sentence, noun, first - 1, sentence.right(at) + 1)
        if parenthetical:
            yield parenthetical


def _apposition(sentence: ParsedSentence, noun: int, at: int, first: int) -> Between | None:
    """Return the description from `first` on, with the head `at`, if it can only be about this noun."""
    if not _may_describe(sentence, noun, at, first) or sentence.annotation.entities[noun] in TIMES:
        return None
    # "phones , the console , and other devices" is a list.
    conjunction = sentence.child(at, "cc")
    if conjunction is not None and sentence.lower[conjunction - 1] == ",":
        return None
    parenthetical = between(sentence, noun, first - 1, sentence.right(at) + 1)
    above = noun_above(sentence, noun)
    if not parenthetical:
        return None
    if _ends_range(sentence, parenthetical) or _may_be_object(sentence, parenthetical):
        return None
    behind = _noun_behind(sentence, noun, at)
    if behind is not None and not _tells(sentence, at, noun, behind):
        return None
    told = _is_group(sentence, at) and sentence.tags[noun] == "NNP"
    if (
        above is not None
        and is_person(sentence, at) == is_person(sentence, above)
        and not (told and not _is_group(sentence, above))
    ):
        return None
    if parenthetical.end >= sentence.end or sentence.lower[parenthetical.end] != ",":
        return parenthetical if _may_end(sentence, parenthetical, at) else None
    # In "Ann , a sister of Eve , who ..." the clause is about Eve.
    if sentence.tags[parenthetical.end + 1] in WH_WORDS:
        return None
    goes_on = sentence.tags[parenthetical.end + 1] == "CC"
    return (
        None
        if goes_on and not sentence.is_finite(conjunct(sentence, parenthetical.end + 1))
        else parenthetical
    )


def _ends_range(sentence: ParsedSentence, parenthetical: Between) -> bool:
    """Return whether a range from one thing to another goes on after the comma: "a set of tasks ranging from
    tagging , to parsing"."""
    behind = parenthetical.end + 1
    return (
        behind < sentence.end
        and sentence.lower[behind] == "to"
        and "from" in sentence.lower[parenthetical.start : parenthetical.end]
    )


def _may_be_object(sentence: ParsedSentence, parenthetical: Between) -> bool:
    """Return whether a verb before a preposition may have the description as its object: "models in a graph ,
    a map , as a set"."""
    noun, behind = parenthetical.noun, parenthetical.end + 1
    verb = sentence.heads[sentence.heads[noun]]
    return (
        sentence.dependencies[noun] == "pobj"
        and behind < sentence.end
        and sentence.lower[behind] == "as"
        and sentence.heads[behind] == verb
        and sentence.child(verb, "dobj", "auxpass") is None
    )


def _described(sentence: ParsedSentence, noun: int, at: int) -> int:
    """Return "members" for "the members of the club , all visitors", if the parser chose "club", and
    "Society" for "the badge of the Society , an organisation", if it chose "badge"."""
    behind = _noun_behind(sentence, noun, at)
    if behind is not None and _tells(sentence, at, behind, noun):
        return behind
    above = sentence.heads[noun]
    # "Madrid , Spain , the capital": the town is described, not its country.
    entities = sentence.annotation.entities
    if sentence.dependencies[noun] == "appos" and entities[noun] == entities[above] == "GPE":
        return above
    if sentence.dependencies[noun] != "pobj" or sentence.lower[above] != "of":
        return noun
    upper, plural = sentence.heads[above], is_plural(sentence, at)
    suits = sentence.start <= upper < noun and is_plural(sentence, upper) == plural
    return upper if suits and is_plural(sentence, noun) != plural else noun


def _noun_behind(sentence: ParsedSentence, noun: int, at: int) -> int | None:
    """Return "Arrow" for "captain" in "the captain of the Arrow , a boat": the last noun before the comma, if
    a preposition joins it to another noun."""
    for preposition in sentence.children(noun):
        if sentence.dependencies[preposition] == "prep" and preposition > noun:
            behind = sentence.child(preposition, "pobj")
            if behind is not None and sentence.right(behind) + 1 == sentence.left(at) - 1:
                return behind
    return None


def _tells(sentence: ParsedSentence, at: int, noun: int, rival: int) -> bool:
    """Return whether a description, with the head `at`, is about things like `noun` and unlike `rival`."""
    person, lower = is_person(sentence, at), sentence.lower
    if lower[at] in (lower[noun], lower[rival]):
        return lower[at] == lower[noun]
    names = "NNPS" in (sentence.tags[noun], sentence.tags[rival])  # "The Times , a newspaper"
    if not names and is_plural(sentence, noun) != is_plural(sentence, rival):
        return is_plural(sentence, noun) == is_plural(sentence, at)
    if is_person(sentence, noun) != is_person(sentence, rival):
        return is_person(sentence, noun) == person
    named = sentence.tags[noun] == "NNP" and sentence.tags[rival] == "NN"
    return named and _is_group(sentence, at) and not _is_group(sentence, rival)


def _is_group(sentence: ParsedSentence, noun: int) -> bool:
    return sentence.lower[noun] in GROUP_NOUNS or sentence.lower[noun] in THINGS


def _may_describe(sentence: ParsedSentence, noun: int, at: int, first: int) -> bool:
    """Return whether "noun be description" is English. A description begins with a determiner or "one of"; or
    it is "director of the club" for a person's name, or a name for "his father"."""
    lower, tags, label = sentence.lower, sentence.tags, sentence.dependencies[first]
    # "a film , The Rain" has a title, "Ann Lee , Bob 's Farm" is a list.
    if lower[first] != sentence.words[first] and tags[at] not in NAMES:
        return False
    if not _are_of_a_kind(sentence, noun, at):
        return False
    if tags[at] == "CD":
        return lower[at] == "one" and first == at and lower[at + 1] == "of" and tags[noun] in ("NN", "NNP")
    if tags[at] not in NOUNS:
        return False
    # A singular and a plural do not match, except for names: "The Beatles , an English band".
    if is_plural(sentence, at) != is_plural(sentence, noun) and tags[noun] != "NNPS":
        return False
    if label in _DETERMINERS and lower[first] == sentence.words[first]:
        return True
    host = sentence.left(noun)
    if tags[at] == "NNP":
        known = lower[host] == "the" or tags[host] == "PRP$"
        kind = sentence.annotation.entities[at]
        alone = "," not in lower[first : sentence.right(at) + 1]
        named = alone and kind not in _PLACES | TIMES and label in ("compound", "appos")
        return known and named and tags[noun] == "NN"
    return (
        tags[at] == "NN"
        and tags[noun] == "NNP"
        and sentence.annotation.entities[noun] == "PERSON"
        and label in ("appos", "amod", "compound")
        and at + 1 < sentence.end
        and lower[at + 1] == "of"
    )


def _are_of_a_kind(sentence: ParsedSentence, noun: int, at: int) -> bool:
    """Return whether one noun can describe the other: a person is not a play, a town is not a child."""
    entity, word = sentence.annotation.entities[noun], sentence.lower[at]
    # "moved to Lyon , a city": a town that was tagged as a person.
    placed = sentence.lower[sentence.heads[noun]] in _LOCATIVES and word in _OF_PLACES
    if entity == "PERSON" and not placed:
        return word not in THINGS
    return entity not in _PLACES or word not in PEOPLE | _NO_PLACES


def _may_end(sentence: ParsedSentence, parenthetical: Between, at: int) -> bool:
    """Return whether a description at a sentence's end is about the noun before it, not a clause or list."""
    host, inside = parenthetical.phrase, range(parenthetical.start + 1, parenthetical.end)
    dependencies = sentence.dependencies
    owned = sentence.child(parenthetical.noun, "poss") is not None
    if not owned and sentence.lower[host] != "the" and sentence.tags[parenthetical.noun] != "NNP":
        return False
    event = sentence.lower[at] in _EVENTS and sentence.tags[at] != "CD"
    if event or sentence.lower[at] == sentence.lower[parenthetical.noun]:
        return False
    if sentence.annotation.entities[at] in TIMES:
        return False
    if any(sentence.lower[each] == "," for each in inside):
        return False
    if _is_one_of_many(sentence, parenthetical, at):
        return False
    return not any(
        dependencies[each] in SUBJECTS and sentence.tags[each] not in WH_WORDS and sentence.heads[each] == at
        for each in inside
    )


def _is_one_of_many(sentence: ParsedSentence, parenthetical: Between, at: int) -> bool:
    """Return whether "the" introduces a person who is not the only one: "Andrei Rublev , the Russian icon
    painter" is not the only painter, but "the king of Spain" or "the first painter" is."""
    opens = parenthetical.start + 1
    return (
        sentence.lower[opens] == "the"
        and sentence.tags[at] == "NN"
        and sentence.lower[at] not in _OFFICES
        and is_person(sentence, at)
        and at == parenthetical.end - 1
        and at - opens > 1
        and not any(sentence.tags[each] in ("JJS", "RBS") for each in range(opens, at))
        and not any(sentence.lower[each] in _UNIQUE for each in range(opens, at))
        and sentence.child(at, "poss") is None
    )


def _apply_apposition(sentence: ParsedSentence, parenthetical: Between) -> RuleResult:
    phrase = as_known(sentence, parenthetical)
    description = sentence.tokens(parenthetical.start + 1, parenthetical.end)
    closing = [","] if "," in sentence.lower[parenthetical.phrase : parenthetical.start] else []
    first = parenthetical.start + 1
    if sentence.tags[first] in ("NN", "JJ") and sentence.annotation.entities[parenthetical.noun] == "PERSON":
        # "Kim , director of the club"
        described = next(at for at in description if isinstance(at, int) and sentence.lower[at + 1] == "of")
        several = sentence.lower[described] in _OF_SEVERAL
        description = prepend(description, ["a" if several else "the"])
    return RuleResult(
        without(sentence, parenthetical),
        prepend(description, [*phrase, *closing, _be(sentence, parenthetical)]),
    )


def _be(sentence: ParsedSentence, parenthetical: Between) -> str:
    """Return "be" in the tense of the sentence; a place is described in the present."""
    head = sentence.head_of(parenthetical.start + 1, parenthetical.end)
    if (
        head is not None
        and sentence.lower[head] in _SETTLEMENTS
        and sentence.tags[parenthetical.noun] in NAMES
    ):
        return be(sentence, head, past=False)  # "The Bahamas is a country"
    placed = not _OF_PLACES.isdisjoint(sentence.lower[parenthetical.start : parenthetical.end])
    lasting = sentence.annotation.entities[parenthetical.noun] in _PLACES | {"FAC"} or (
        placed and sentence.annotation.entities[parenthetical.noun] == "PERSON"
    )
    noun = parenthetical.noun
    # "The Times , a newspaper", but "The Beatles , an English band"
    if head is not None and sentence.lower[head] in THINGS - GROUP_NOUNS:
        noun = head
    past = not lasting and _is_told_in_past(sentence, parenthetical.noun)
    # "The band , a trio , were famous": a group is plural if the sentence treats it so.
    carrier = sentence.verb_group(sentence.root)
    is_subject = sentence.subject(sentence.root) == parenthetical.noun
    if is_subject and sentence.lower[carrier] in ("were", "are"):
        return "were" if past else "are"
    return be(sentence, noun, past)


def _is_told_in_past(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a description is in the past: a person's in the tense of the clause that names the
    person ("Ann , a teacher , said that she likes it"), a thing's if the whole sentence is."""
    if not is_person(sentence, noun):
        return _tells_past(sentence)
    verb = noun
    while not sentence.is_clause(verb) and sentence.start <= sentence.heads[verb] != verb:
        verb = sentence.heads[verb]
    known = sentence.is_clause(verb) and sentence.words[verb].islower()  # "Chief Justice Said Yusuf Halem"
    return is_past(sentence, verb) if known else _tells_past(sentence)


def _tells_past(sentence: ParsedSentence) -> bool:
    """Return whether every finite verb of the sentence, outside quotations, is in the past.

    Any present tense or modal means that the apposition still holds. The paper's example is "The frigidarium
    , the last stop in the bathhouse , was where guests would cool off", which gives "The frigidarium is the
    last stop".
    """
    marks = sentence.positions(QUOTES)
    start, end = (marks[0], marks[-1]) if len(marks) > 1 else (sentence.end, sentence.end)
    tags = [*sentence.tags[sentence.start : start], *sentence.tags[end : sentence.end]]
    return is_past(sentence, sentence.root) and {"VBZ", "VBP", "MD"}.isdisjoint(tags)


RULES = (
    Rule(
        name="apposition",
        row="Apposition",
        discourse_type="SINGLE_APPOSITION",
        triggers=frozenset({","}),
        detect=_detect_apposition,
        apply=_apply_apposition,
    ),
)
