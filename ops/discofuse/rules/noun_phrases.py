"""A noun phrase with something said about it behind a comma.

Belongs here: relative clauses and appositions. Not here: what follows a noun without commas; both rules
leave it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.coreference.lexicon import FEMALE_NOUNS, MALE_NOUNS, PERSON_NOUNS
from ops.discofuse.annotation import CLOSING
from ops.discofuse.rules.connectives import RELATIVE
from ops.discofuse.rules.morphology import agree, be, is_past, is_plural, possessive
from ops.discofuse.rules.rule import (
    FINITE,
    NAMES,
    NOUNS,
    SUBJECTS,
    TIMES,
    VERBS,
    WH_WORDS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
    TokenList,
    delete,
    prepend,
)

_NEED_NO_COMMA = frozenset({"CC", "IN", "TO", "WDT", "WP", "WRB"})
#: What may follow the second comma where neither the subject nor the verb does.
_GO_ON = _NEED_NO_COMMA | {"VBG"}
_NO_PERSONS = TIMES | {"GPE", "LOC", "FAC", "PRODUCT"}
_PERSONS = TIMES | {"PERSON"}
_PLACES = frozenset({"GPE", "LOC"})
_DETERMINERS = frozenset({"det", "poss", "predet"})
_MAY_BE_MEANT = NOUNS | {"CD", "PRP", "DT"}
_OF_PEOPLE = ("er", "or", "ist", "ian", "ant", "ee", "man", "woman", "ess")
_PEOPLE = PERSON_NOUNS | FEMALE_NOUNS | MALE_NOUNS
#: What no person is.
_THINGS = frozenset(
    {
        "album", "band", "book", "church", "city", "club", "college", "comedy", "company", "country",
        "county", "drama", "episode", "film", "firm", "game", "group", "island", "magazine", "movie",
        "newspaper",
        "novel", "opera", "organisation", "organization", "play", "poem", "river", "school", "series", "ship",
        "show", "single", "song", "state", "suburb", "team", "town", "track", "university", "village",
    }
)  # fmt: skip
#: Of these there are several: "a member of the club".
_OF_SEVERAL = frozenset(
    {"member", "graduate", "native", "resident", "student", "veteran", "citizen", "alumnus", "descendant"}
)
#: At a sentence's end these describe what happened: "He left the club , a loss for all".
_EVENTS = frozenset(
    {
        "achievement", "act", "action", "amount", "approach", "attempt", "award", "change", "claim",
        "decision",
        "decline", "decrease", "defeat", "development", "drop", "effort", "event", "fact", "feat", "figure",
        "first", "gain", "goal", "honor", "honour", "idea", "improvement", "increase", "job", "kind", "loss",
        "means", "measure", "method", "move", "number", "offense", "one", "part", "phenomenon", "point",
        "position", "post", "practice", "problem", "process", "question", "rate", "reason", "record",
        "reference", "result", "rise", "role", "sign", "step", "success", "task", "term", "thing", "time",
        "title", "total", "triumph", "victory", "way", "win",
    }
)  # fmt: skip
#: What ends a sentence, and marks that close behind it.
_ENDS = CLOSING | {".", "!", "..."}
#: In "one of the rivers , which ..." the last noun is meant as well as the first.
_AMOUNTS = frozenset(
    {"lot", "number", "one", "some", "many", "most", "kind", "sort", "type", "group", "set", "series"}
)
#: What they say of something does not hold of one that is known: "no house , which ..."
_NO_HOSTS = frozenset({"no", "any", "every", "each", "few", "little", "neither", "some"})
#: Behind "which" they say something of the whole clause before it: "He lost , which made her sad".
_OF_CLAUSES = frozenset(
    {
        "affect", "allow", "bring", "cause", "create", "enable", "ensure", "explain", "force", "happen",
        "help", "imply", "indicate", "lead", "leave", "let", "make", "mean", "occur", "prevent", "prompt",
        "prove", "require", "result", "seem", "show", "suggest", "turn",
    }
)  # fmt: skip
_OF_CLAUSES_BEHIND_BE = frozenset(
    {
        "why", "because", "how", "what", "where", "when", "good", "great", "nice", "bad", "fun", "funny",
        "important", "true", "fine", "sad", "strange", "odd", "weird", "surprising", "interesting",
        "unusual", "ironic", "cool", "hard", "difficult", "easy", "exactly", "something", "ridiculous",
        "unfortunate", "understandable", "crucial", "impressive", "amazing", "awesome", "wonderful",
        "obstacle", "problem", "challenge", "reason", "advantage", "step", "task", "result", "issue", "shame",
        "sign", "fact", "way", "proof", "difference",
    }
)  # fmt: skip


class _Between(NamedTuple):
    """What stands between a comma and a second one, or the end of the sentence or of its part."""

    noun: int
    phrase: int
    """First token of the noun phrase that ends before the first comma."""
    start: int
    """The first comma."""
    end: int
    """The second comma, a semicolon, or what ends the sentence."""
    gap: int | None = None
    """The token of a relative clause behind which its object is missing, the clause's end for a subject."""


def _between(sentence: ParsedSentence, noun: int, comma: int, end: int) -> _Between | None:
    """Return what stands from `comma` to `end` if the rest is a clause without it."""
    lower = sentence.lower
    if not sentence.start < comma < end or lower[comma] != ",":
        return None
    if sentence.tags[noun] not in NOUNS:
        return None
    root, last = sentence.root, _last(sentence)
    if end >= last or lower[end] == ";":
        return _at_end(sentence, noun, comma, min(end, last))
    if comma < root < end or not sentence.is_clause(root):
        return None
    if lower[end] != "," or end >= sentence.end - 2:
        return None
    phrase = sentence.noun_phrase_before(noun, comma)
    if phrase is None or phrase <= root < comma or "," in lower[phrase:comma]:
        return None
    # "A , who came , B and C": the commas may be those of a list.
    listed = sentence.child(noun, "conj")
    if sentence.dependencies[noun] == "conj" or (listed is not None and listed > end):
        return None
    is_subject = _is_subject_of(sentence, phrase, noun, end + 1)
    if sentence.tags[end + 1] in FINITE and not is_subject:
        return None
    found = _Between(noun, phrase, comma, end)
    if not is_subject and not _is_before_subject(sentence, found):
        goes_on = sentence.tags[end + 1] in _GO_ON or (
            sentence.tags[end + 1] == "RB" and sentence.tags[end + 2] == "VBG"
        )
        return found if goes_on or _is_next(sentence, end + 1) else None
    # "The highway , a new road , it passes ...": what stands before a subject is the object of something.
    return found if is_subject or sentence.dependencies[noun] in ("pobj", "dobj", "pcomp") else None


def _is_next(sentence: ParsedSentence, then: int) -> bool:
    """Tell whether the main verb's second verb follows: "met Bob , who was ill , then left"."""
    verb = then + 1
    return (
        sentence.lower[then] == "then"
        and sentence.tags[verb] == "VBD"
        and sentence.heads[verb] == sentence.root
        and sentence.subject(verb) is None
    )


def _last(sentence: ParsedSentence) -> int:
    """Return where the marks that end a sentence begin."""
    last = sentence.end
    while last > sentence.start + 1 and sentence.words[last - 1] in _ENDS:
        last -= 1
    return last


def _at_end(sentence: ParsedSentence, noun: int, comma: int, end: int) -> _Between | None:
    """Return what ends a sentence, or its part before a semicolon, where it can be about one noun only."""
    main = sentence.root if end == _last(sentence) else sentence.head_of(sentence.start, end)
    if noun != comma - 1 or main is None or main > comma or not sentence.is_clause(main):
        return None
    phrase = sentence.left(noun)
    label, above = sentence.dependencies[noun], sentence.heads[noun]
    if phrase <= main or "," in sentence.lower[phrase:comma]:
        return None
    if label not in ("dobj", "pobj", "attr", "dative", "oprd") or sentence.child(noun, "conj") is not None:
        return None
    if (
        label == "pobj"
        and sentence.lower[above] == "of"
        and sentence.lower[sentence.heads[above]] in _AMOUNTS
    ):
        phrase = sentence.left(sentence.heads[above])
    return _Between(noun, phrase, comma, end)


def _loosely(sentence: ParsedSentence, noun: int, comma: int, end: int) -> _Between | None:
    """Return what stands from `comma` to `end` whatever else it may be about, as the released data does."""
    phrase, last = sentence.left(noun), _last(sentence)
    apart = phrase < comma < end and sentence.lower[comma] == "," and comma > sentence.start
    return _Between(noun, phrase, comma, min(end, last)) if apart else None


def _noun_above(sentence: ParsedSentence, noun: int) -> int | None:
    """Return "owner" for "house" in "the owner of the house , which ...", where either may be meant."""
    above = sentence.heads[noun]
    if sentence.dependencies[noun] != "pobj" or not sentence.start <= above < noun:
        return None
    # Whatever the parser says: "commissions from links , which ..."
    upper = above - 1 if sentence.tags[above - 1] in NOUNS else sentence.heads[above]
    preposition = sentence.lower[above]
    if preposition in ("like", "including") or (preposition == "of" and sentence.lower[upper] in _AMOUNTS):
        return None
    # "the search for a method , which ..." goes on about what is new.
    if preposition != "of" and sentence.lower[sentence.left(noun)] in ("a", "an"):
        return None
    return upper if sentence.tags[upper] in _MAY_BE_MEANT else None


def _is_person(sentence: ParsedSentence, noun: int) -> bool:
    word, entity = sentence.lower[noun], sentence.annotation.entities[noun]
    if entity in ("PERSON", "NORP") or word in _PEOPLE:
        return True
    return sentence.tags[noun] in ("NN", "NNS") and word.rstrip("s").endswith(_OF_PEOPLE)


def _is_subject_of(sentence: ParsedSentence, phrase: int, noun: int, following: int) -> bool:
    """Tell whether a noun phrase is in the subject of the clause whose verb group or adverb is at
    `following`."""
    verb = following
    if sentence.dependencies[following] in ("aux", "auxpass", "advmod", "neg"):
        verb = sentence.heads[following]
    subject = sentence.subject(verb) if sentence.start <= verb < sentence.end else None
    if subject is None or subject > verb:
        return False
    return sentence.left(subject) <= phrase and noun <= sentence.right(subject) < verb


def _without(sentence: ParsedSentence, found: _Between) -> TokenList:
    """Return the sentence without what stands between the commas, and without these."""
    if found.end >= sentence.end or sentence.lower[found.end] != ",":
        return delete(sentence.tokens(), found.start - sentence.start, found.end - found.start)
    following = found.end + 1
    # "In Paris , which he loved , he lived alone": only a verb, a conjunction or a preposition goes without
    # the comma.
    bare = (
        _is_subject_of(sentence, found.phrase, found.noun, following)
        or sentence.tags[following] in _NEED_NO_COMMA
    )
    # "Her father , Edmond , a baker , moved": the comma closes what was opened before.
    opened = sentence.dependencies[found.noun] == "appos" and sentence.lower[found.phrase - 1] == ","
    end = following if bare and not opened else found.end
    return delete(sentence.tokens(), found.start - sentence.start, end - found.start)


def _is_before_subject(sentence: ParsedSentence, found: _Between) -> bool:
    subject = sentence.subject(sentence.root)
    return subject is not None and sentence.left(subject) > found.end


def _detect_relative(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Between]:
    for pronoun in sentence.positions(RELATIVE):
        if not sentence.start + 2 <= pronoun < sentence.end - 2 or sentence.lower[pronoun - 1] != ",":
            continue
        verb = pronoun
        while sentence.dependencies[verb] != "relcl" and sentence.start <= sentence.heads[verb] != verb:
            verb = sentence.heads[verb]
        if sentence.dependencies[verb] != "relcl" or sentence.left(verb) != pronoun:
            continue
        found = next(_relatives(sentence, verb, pronoun), None)
        if not found and params.profile == "released":
            found = _loosely(sentence, sentence.heads[verb], pronoun - 1, sentence.right(verb) + 1)
        gap = found and _gap(sentence, pronoun, verb, found.end)
        if found and gap is not None:
            yield found._replace(gap=gap)


def _relatives(sentence: ParsedSentence, verb: int, pronoun: int) -> Iterator[_Between]:
    """Yield the clause of `verb` with the nouns that it can be about."""
    if _is_in_modifier(sentence, sentence.heads[verb]):
        return
    for noun in _hosts(sentence, verb, pronoun):
        found = _between(sentence, noun, pronoun - 1, sentence.right(verb) + 1)
        if (
            found
            and _is_of_noun(sentence, found, verb, pronoun)
            and _gap(sentence, pronoun, verb, found.end) is not None
            and _suits(sentence, found, verb, pronoun)
        ):
            yield found


def _hosts(sentence: ParsedSentence, verb: int, pronoun: int) -> Iterator[int]:
    """Yield the noun that a clause hangs on, and the one above it in "the height of the waves , which is
    ..." where only that one agrees with the verb."""
    noun = sentence.heads[verb]
    yield noun
    above = sentence.heads[noun]
    if sentence.dependencies[noun] == "pobj" and sentence.lower[above] == "of":
        above = sentence.heads[above]
        if (
            sentence.start <= above < noun
            and sentence.subject(verb) == pronoun
            and not agree(sentence, noun, verb)
            and sentence.tags[above] in NOUNS
        ):
            yield above


def _is_of_noun(sentence: ParsedSentence, found: _Between, verb: int, pronoun: int) -> bool:
    """Tell whether a relative clause says something of its noun, in one clause that ends where it seems
    to."""
    lower = sentence.lower
    above = _noun_above(sentence, found.noun)
    if above is not None:
        persons = lower[pronoun] in ("who", "whom")
        fits = _is_person(sentence, found.noun) == persons != _is_person(sentence, above)
        told = sentence.subject(verb) == pronoun and not agree(sentence, above, verb)
        if not fits and not (told and sentence.dependencies[above] != "pobj"):
            return False
    comma = found.end < sentence.end and lower[found.end] == ","
    if comma and _may_go_on(sentence, found.end + 1):
        return False
    inside = range(pronoun + 1, found.end)
    # "which ended in 1990 and which ...", "who came , who saw"
    if any(lower[at] in RELATIVE and lower[at - 1] in (",", "and", "or", "but") for at in inside):
        return False
    if not _NO_HOSTS.isdisjoint(lower[found.phrase : found.start]):
        return False
    if not comma:
        own = sentence.subject(verb)
        if any(sentence.dependencies[at] in SUBJECTS and at != own for at in inside):
            return False
    if lower[pronoun] != "which":
        return True
    if lower[found.noun] in _PEOPLE:
        return False
    if sentence.subject(verb) != pronoun or sentence.root > found.start:
        return True
    if sentence.tags[found.noun] == "NNS" and sentence.tags[sentence.verb_group(verb)] == "VBP":
        return True
    lemmas = sentence.annotation.lemmas
    if lemmas[verb] == "be":
        behind = [lower[at] for at in range(verb + 1, min(verb + 4, found.end))]
        return _OF_CLAUSES_BEHIND_BE.isdisjoint(behind)
    return sentence.dependencies[pronoun] == "nsubjpass" or lemmas[verb] not in _OF_CLAUSES


def _is_in_modifier(sentence: ParsedSentence, noun: int) -> bool:
    """Tell whether a noun is part of a participle's phrase, when the clause may as well be about that one's
    noun."""
    at = noun
    while sentence.heads[at] != at and sentence.start <= sentence.heads[at] < sentence.end:
        at = sentence.heads[at]
        if sentence.dependencies[at] == "acl":
            return True
    return False


def _may_go_on(sentence: ParsedSentence, following: int) -> bool:
    """Tell whether a relative clause may go on behind its comma: "which was built in 1693 , and served as a
    tavern"."""
    if sentence.tags[following] != "CC":
        return False
    verb = _conjunct(sentence, following)
    return sentence.tags[verb] not in VERBS or sentence.subject(verb) is None


def _gap(sentence: ParsedSentence, pronoun: int, verb: int, end: int) -> int | None:
    """Return behind which token the pronoun's noun phrase belongs, None where that cannot be told."""
    label, head = sentence.dependencies[pronoun], sentence.heads[pronoun]
    subject = sentence.subject(verb)
    if subject is None or not sentence.is_finite(verb):
        return None
    if sentence.lower[pronoun] == "whose":
        return pronoun if label == "poss" and sentence.dependencies[head] in ("nsubj", "nsubjpass") else None
    if subject == pronoun:
        return pronoun
    if label not in ("dobj", "pobj") or not pronoun < head < end or not pronoun < subject < head + 1:
        return None
    particle = sentence.child(head, "prt")
    if sentence.child(head, "dobj") not in (None, pronoun):
        return None
    return head if particle is None else particle


def _suits(sentence: ParsedSentence, found: _Between, verb: int, pronoun: int) -> bool:
    """Tell whether a noun suits its pronoun and its verb; where not, the parser took the wrong noun."""
    last = found.start - 1
    if (
        sentence.lower[pronoun] != "which"
        and sentence.tags[last] in NAMES
        and sentence.tags[found.noun] not in NAMES
    ):
        return False  # "the eye of Selena , who ..."
    entity = sentence.annotation.entities[found.noun]
    if found.end > sentence.root and entity in (
        _NO_PERSONS if sentence.lower[pronoun] in ("who", "whom") else _PERSONS
    ):
        return sentence.lower[pronoun] == "whose"
    return sentence.subject(verb) != pronoun or agree(sentence, found.noun, verb)


def _apply_relative(sentence: ParsedSentence, found: _Between) -> RuleResult:
    phrase = sentence.tokens(found.phrase, found.start)
    indefinite = sentence.lower[found.phrase] in ("a", "an") and sentence.left(found.noun) == found.phrase
    if indefinite and sentence.tags[found.noun] not in NAMES:
        phrase[0] = "the"  # the second sentence speaks of what is known
    pronoun = found.start + 1
    rest = sentence.tokens(pronoun + 1, found.end)
    if found.gap == pronoun:
        if sentence.lower[pronoun] == "whose":
            phrase = possessive(sentence, found.noun, phrase)
        return RuleResult(_without(sentence, found), prepend(rest, phrase))
    assert found.gap is not None
    behind = found.gap + 1 - (pronoun + 1)
    return RuleResult(_without(sentence, found), [*rest[:behind], *phrase, *rest[behind:]])


def _detect_apposition(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Between]:
    if "appos" not in sentence.dependencies[sentence.start : sentence.end]:
        return
    for at in range(sentence.start + 2, sentence.end - 1):
        if sentence.dependencies[at] != "appos":
            continue
        noun, first = _described(sentence, sentence.heads[at], at), sentence.left(at)
        if noun >= first or first < sentence.start + 2:
            continue
        found = _apposition(sentence, noun, at, first)
        if not found and params.profile == "released" and sentence.dependencies[first] in _DETERMINERS:
            found = _loosely(sentence, noun, first - 1, sentence.right(at) + 1)
        if found:
            yield found


def _apposition(sentence: ParsedSentence, noun: int, at: int, first: int) -> _Between | None:
    """Return what describes a noun, from `first` on with the head `at`, if it can be about that one only."""
    if not _may_describe(sentence, noun, at, first) or sentence.annotation.entities[noun] in TIMES:
        return None
    # "phones , the console , and other devices" is a list.
    conjunction = sentence.child(at, "cc")
    if conjunction is not None and sentence.lower[conjunction - 1] == ",":
        return None
    found = _between(sentence, noun, first - 1, sentence.right(at) + 1)
    above = _noun_above(sentence, noun)
    if not found or (above is not None and _is_person(sentence, at) == _is_person(sentence, above)):
        return None
    if found.end >= sentence.end or sentence.lower[found.end] != ",":
        return found if _may_end(sentence, found, at) else None
    # "Ann , a sister of Eve , who ..." speaks of Eve
    if sentence.tags[found.end + 1] in WH_WORDS:
        return None
    goes_on = sentence.tags[found.end + 1] == "CC"
    return None if goes_on and not sentence.is_finite(_conjunct(sentence, found.end + 1)) else found


def _described(sentence: ParsedSentence, noun: int, at: int) -> int:
    """Return "members" for "the members of the club , all visitors", where the parser took "club"."""
    above = sentence.heads[noun]
    if sentence.dependencies[noun] != "pobj" or sentence.lower[above] != "of":
        return noun
    upper, plural = sentence.heads[above], is_plural(sentence, at)
    suits = sentence.start <= upper < noun and is_plural(sentence, upper) == plural
    return upper if suits and is_plural(sentence, noun) != plural else noun


def _may_describe(sentence: ParsedSentence, noun: int, at: int, first: int) -> bool:
    """Tell whether "noun be description" is English: "a doctor", "one of the leaders", "director of the
    club" of a name, a name of "his father"."""
    lower, tags, label = sentence.lower, sentence.tags, sentence.dependencies[first]
    # "a film , The Rain" gives a title, "Ann Lee , Bob 's Farm" is a list.
    if lower[first] != sentence.words[first] and tags[at] not in NAMES:
        return False
    if not _are_of_a_kind(sentence, noun, at):
        return False
    if tags[at] == "CD":
        return lower[at] == "one" and first == at and lower[at + 1] == "of" and tags[noun] in ("NN", "NNP")
    if tags[at] not in NOUNS:
        return False
    # One thing is not several, and several are one only by name: "The Beatles , an English band".
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
    """Tell whether a noun can describe another: no person is a play, no town a child."""
    entity, word = sentence.annotation.entities[noun], sentence.lower[at]
    if entity == "PERSON":
        return word not in _THINGS
    return entity not in _PLACES or word not in _PEOPLE


def _may_end(sentence: ParsedSentence, found: _Between, at: int) -> bool:
    """Tell whether what ends a sentence describes the noun before it, not the clause nor one of a list."""
    host, inside = found.phrase, range(found.start + 1, found.end)
    dependencies = sentence.dependencies
    if sentence.tags[host] != "PRP$" and sentence.lower[host] != "the" and sentence.tags[found.noun] != "NNP":
        return False
    event = sentence.lower[at] in _EVENTS and sentence.tags[at] != "CD"
    if event or sentence.lower[at] == sentence.lower[found.noun]:
        return False
    if sentence.annotation.entities[at] in TIMES:
        return False
    if any(sentence.lower[each] == "," for each in inside):
        return False
    return not any(
        dependencies[each] in SUBJECTS and sentence.tags[each] not in WH_WORDS and sentence.heads[each] == at
        for each in inside
    )


def _conjunct(sentence: ParsedSentence, conjunction: int) -> int:
    head = sentence.heads[conjunction]
    after = [at for at in sentence.children(head) if at > conjunction and sentence.dependencies[at] == "conj"]
    return after[0] if after else conjunction


def _apply_apposition(sentence: ParsedSentence, found: _Between) -> RuleResult:
    phrase = sentence.tokens(found.phrase, found.start)
    description = sentence.tokens(found.start + 1, found.end)
    first = found.start + 1
    if sentence.tags[first] in ("NN", "JJ") and sentence.annotation.entities[found.noun] == "PERSON":
        # "Kim , director of the club"
        described = next(at for at in description if isinstance(at, int) and sentence.lower[at + 1] == "of")
        several = sentence.lower[described] in _OF_SEVERAL
        description = prepend(description, ["a" if several else "the"])
    return RuleResult(
        _without(sentence, found),
        prepend(description, [*phrase, _be(sentence, found)]),
    )


def _be(sentence: ParsedSentence, found: _Between) -> str:
    """Return "be" as the rest of the sentence has it; a place is what it is today, too."""
    lasting = sentence.annotation.entities[found.noun] in _PLACES | {"FAC"}
    past = _tells_past(sentence, found) and not lasting
    # "The band , a trio , were famous": a group is several where the sentence says so.
    carrier = sentence.verb_group(sentence.root)
    is_subject = sentence.subject(sentence.root) == found.noun
    if is_subject and sentence.lower[carrier] in ("were", "are"):
        return "were" if past else "are"
    return be(sentence, found.noun, past)


def _tells_past(sentence: ParsedSentence, found: _Between) -> bool:
    """Tell whether every finite verb of the rest is of the past.

    A present or a modal anywhere makes the apposition hold now, as in the paper's "The frigidarium , the
    last stop in the bathhouse , was where guests would cool off", which gives "The frigidarium is the last
    stop".
    """
    rest = [*sentence.tags[sentence.start : found.start], *sentence.tags[found.end : sentence.end]]
    return is_past(sentence, sentence.root) and {"VBZ", "VBP", "MD"}.isdisjoint(rest)


RULES = (
    Rule(
        name="relative_clause",
        row="Relative clause",
        discourse_type="SINGLE_RELATIVE",
        triggers=RELATIVE,
        detect=_detect_relative,
        apply=_apply_relative,
    ),
    Rule(
        name="apposition",
        row="Apposition",
        discourse_type="SINGLE_APPOSITION",
        triggers=frozenset({","}),
        detect=_detect_apposition,
        apply=_apply_apposition,
    ),
)
