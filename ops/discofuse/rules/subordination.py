"""A sentence with a clause that depends on its main clause: forward and inner connectives.

Belongs here: connectives that begin a sentence or are inside it. Not here: which words are connectives
(connectives.py), participles without a connective (cataphora.py), coordinated clauses (coordination.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from silverloom.ops.coreference.lexicon import words as listed
from silverloom.ops.discofuse.annotation import DIVIDING
from silverloom.ops.discofuse.rules.connectives import FORWARD, INNER, phrases
from silverloom.ops.discofuse.rules.morphology import be, is_past
from silverloom.ops.discofuse.rules.operations import delete, prepend, split, trim
from silverloom.ops.discofuse.rules.participles import made_finite
from silverloom.ops.discofuse.rules.rule import (
    NOUNS,
    VERBS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
    Token,
    TokenList,
)
from silverloom.ops.discofuse.rules.scope import condition, frame, is_reported, is_time

_FORWARD = phrases(FORWARD)
_INNER = phrases(INNER)
_FIRST_WORDS = frozenset(_INNER)
#: A main clause that ends in one of these is incomplete: "not because", "his reaction was because".
_UNFINISHED = listed(
    "not much n't just only simply even merely mainly partly largely mostly perhaps probably possibly "
    "especially particularly primarily precisely and or but is was are were be been being that than "
    "as such solely purely chiefly presumably maybe in part all so if for except long 's ’s 're ’re "
    "'m ’m"
)
_THINK = listed("assume believe doubt expect fear feel guess hope imagine suppose suspect think wish")
#: What depends on a clause after these is what somebody says, not a fact: "It is said that he died because".
_SAY = listed(
    "accuse admit allege announce argue assert claim comment complain conclude confess consider "
    "contend declare deny hear hypothesise hypothesize insist joke maintain postulate predict presume "
    "propose reckon reply report rule rumor rumour say speculate state suggest tell warn write"
)
_OF_OTHERS = _THINK | _SAY | {"imply", "indicate"}
_NOTE = frozenset({"note", "observe", "remark", "mention"})
#: These make happen what they govern: "It makes you believe it"; our choice.
_CAUSE = frozenset({"cause", "help", "let", "make"})
_CONTRASTS = frozenset({"although", "whereas"})
#: These have no progressive form: "while being ill".
_STATES = listed(
    "be have remain stay keep retain maintain know belong contain own need want like love hate lack "
    "possess believe understand consist resemble seem depend"
)
_SUPPOSED = frozenset({"would", "could", "might", "should"})
#: "In many schools this is done , while others ...": other schools.
_OTHERS = frozenset({"other", "others", "another", "some"})
_COMPARING = frozenset({"while", "whereas"})
_ABLE = frozenset({"can", "could"})
_PUNCTUATION = frozenset({",", ".", ":"})
_MARKS = frozenset({"mark", "advmod", "prep", "cc", "dep"})
#: The second half of a two-part connective: "Although he was ill , yet he came".
_SECOND_HALVES = frozenset({"yet", "still", "nevertheless", "nonetheless", "however", "then", "so", "but"})
_ARTICLES = frozenset({"a", "an", "the"})
#: "Although not a member", "although still a boy".
_BEFORE_NOUNS = frozenset({"not", "never", "still", "only", "always"})


class _Forward(NamedTuple):
    words: int
    comma: int
    verb: int
    """The verb of the first clause."""
    subject: int | None
    """The subject of the second clause, if the first has no subject."""


def _detect_forward(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Forward]:
    start, lower = sentence.start, sentence.lower
    for words in _FORWARD.get(lower[start], ()):
        body = start + len(words)
        if body >= sentence.end or lower[start:body] != words or lower[body] == ",":
            continue
        for comma in range(body + 1, sentence.end - 2):
            if lower[comma] == "," and (clause := _forward_at(sentence, body, comma)):
                yield clause
                return


def _forward_at(sentence: ParsedSentence, body: int, comma: int) -> _Forward | None:
    verb, main = sentence.head_of(body, comma), sentence.head_of(comma + 1, sentence.end)
    if verb is None or main != sentence.root or not sentence.is_clause(main):
        return None
    words = body - sentence.start
    if sentence.lower[comma + 1] in _SECOND_HALVES:
        return None
    if sentence.is_clause(verb):
        is_single = words == 1 and not is_time(sentence, verb, main)
        return _Forward(words, comma, verb, None) if is_single else None
    subject = sentence.subject(main)
    if subject is None or sentence.subject(verb) is not None or sentence.dependencies[subject] == "expl":
        return None
    # "In addition to testing it , they should be useful": nobody tested it.
    if sentence.left(subject) != comma + 1 or sentence.lower[sentence.verb_group(main)] in _SUPPOSED:
        return None
    opens = sentence.heads[body] == verb or body == verb
    if sentence.tags[body] == "VBG" and opens and (words > 1 or sentence.lower[body] == "being"):
        return _Forward(words, comma, body, subject)
    if words == 1 and sentence.lower[sentence.start] == "although" and _needs_be(sentence, verb, body):
        return _Forward(words, comma, body, subject)
    return None


def _needs_be(sentence: ParsedSentence, head: int, body: int) -> bool:
    """Return whether a clause lacks a subject and "be": "although injured", "although in favour", "although
    not a good player"."""
    if sentence.auxiliaries(head) or sentence.lower[head] in ("with", "without"):
        return False
    if sentence.tags[head] in ("NN", "NNS"):
        opens = body
        while opens < head and sentence.lower[opens] in _BEFORE_NOUNS:
            opens += 1
        bare = sentence.tags[head] == "NNS" and sentence.child(head, "det", "poss") is None
        return sentence.left(head) in (body - 1, body, opens) and (bare or sentence.lower[opens] in _ARTICLES)
    return sentence.tags[head] in ("VBN", "JJ", "IN") and all(
        sentence.dependencies[at] in ("advmod", "neg") for at in range(body, head)
    )


def _apply_forward(sentence: ParsedSentence, clause: _Forward) -> RuleResult | None:
    first, second = split(sentence.tokens(), clause.comma - sentence.start)
    connective = " ".join(sentence.lower[sentence.start : sentence.start + clause.words])
    first, second = delete(first, 0, clause.words), delete(second, 0, 1)
    if clause.subject is not None:
        completed = _with_subject(sentence, first, clause.verb, clause.subject)
        if completed is None:
            return None
        first = completed
    return RuleResult(first, second, connective)


def _with_subject(sentence: ParsedSentence, clause: TokenList, verb: int, subject: int) -> TokenList | None:
    """Return a clause that begins with a participle (at `verb`) or lacks "be", with a subject and a finite
    verb added."""
    phrase = sentence.tokens(sentence.left(subject), sentence.right(subject) + 1)
    past = is_past(sentence, sentence.root)
    # "He died while sitting at home": he was sitting.
    lasts = past and sentence.lower[verb - 1] == "while" and sentence.lower[verb - 2] != ","
    lasts = lasts and sentence.annotation.lemmas[verb] not in _STATES
    if sentence.tags[verb] != "VBG" or lasts:
        return prepend(clause, [*phrase, be(sentence, subject, past)])
    made = made_finite(sentence, clause, verb, subject, past)
    return None if made is None else prepend(made, phrase)


class _Inner(NamedTuple):
    start: int
    """The start of the connective, or of the comma before it."""
    body: int
    """The first token of the second clause."""
    connective: str
    verb: int | None = None
    """The participle or adjective that begins a second clause without a subject."""
    subject: int | None = None
    """The subject of the first clause, if the second has no subject."""
    frame: tuple[int, ...] = ()
    """What tells when or where both clauses hold."""


def _detect_inner(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Inner]:
    lower, root = sentence.lower, sentence.root
    for start in sentence.positions(_FIRST_WORDS):
        if not sentence.start + 2 <= start < sentence.end - 2:
            continue
        for words in _INNER[lower[start]]:
            body = start + len(words)
            if (
                (root < start or words == ["hence"] or params.profile == "released")
                and body < sentence.end - 1
                and lower[start:body] == words
            ):
                clause = _inner_at(sentence, start, body)
                if not clause and params.profile == "released":
                    comma = lower[start - 1] == ","
                    clause = _Inner(start - comma, body, ", " * comma + " ".join(words))
                if clause:
                    yield clause


def _inner_at(sentence: ParsedSentence, start: int, body: int) -> _Inner | None:
    lower = sentence.lower
    first = start - 1 if lower[start - 1] == "and" and lower[start] == "although" else start
    comma = lower[first - 1] == ","
    connective = (", " if comma else "") + " ".join(lower[first:body])
    if lower[start] in ("hence", "meaning"):
        if not comma:
            return None
        if lower[body] == "that":
            body += 1
    elif lower[body] in ("of", "that", "which") or sentence.dependencies[body - 1] not in _MARKS:
        return None
    end_of_first = first - comma
    main, verb = sentence.head_of(sentence.start, end_of_first), sentence.head_of(body, sentence.end)
    # "He was born there , hence he speaks well": the parser attaches the first clause to the second.
    governed = main is not None and verb == sentence.root == sentence.heads[main] and lower[start] == "hence"
    if (
        main is None
        or verb is None
        or not (main == sentence.root or governed)
        or not sentence.is_clause(main)
    ):
        return None
    if _is_only_thought(sentence, verb, start) or (lower[start] == "because" and is_reported(sentence, main)):
        return None
    measured = "sufficiently" in lower[start - 3 : start]  # "sufficiently small so that"
    if lower[start] == "so" and (measured or _is_purpose(sentence, verb, comma)):
        return None
    # "and although they trailed , they won": the connective belongs to another clause within the second.
    if lower[start] not in ("hence", "meaning") and sentence.heads[body - 1] != verb:
        return None
    if (
        lower[end_of_first - 1] in _UNFINISHED
        or lower[sentence.heads[verb] - 1] == "only"  # "He only won because they left"
        or sentence.is_stranded(end_of_first)
        or lower[end_of_first - 1] in DIVIDING
    ):
        return None
    subject = sentence.subject(verb)
    if subject is None:
        return _reduced(sentence, verb, _Inner(end_of_first, body, connective))
    # "was hurt while training and was replaced": the parser mistakes the participle for a subject.
    if subject == body and lower[subject].endswith("ing") and lower[start] == "while":
        return None
    if not sentence.is_clause(verb) or subject > verb or (sentence.heads[verb] >= body and not governed):
        return None
    if _goes_on(sentence, verb):
        return None
    clause = _Inner(end_of_first, body, connective)
    # "In 1990 the north was rich while the south was poor": both hold only then.
    if lower[start] not in _COMPARING or sentence.tags[body] == "IN":
        return clause
    shared = tuple(frame(sentence, main) or condition(sentence, main))
    compared = any(lower[at] in lower[body:verb] for at in shared if sentence.tags[at] in NOUNS)
    if shared and (compared or lower[subject] in _OTHERS):
        return None
    # "On the first day it rained , while it snowed on the second", "For A it is best , while it fails on B"
    placed = bool(shared) and any(
        sentence.dependencies[at] == "prep"
        and (lower[at] == lower[shared[0]] != "in" or {lower[at], lower[shared[0]]} == {"for", "on"})
        for at in range(verb, sentence.end)
    )
    return clause if placed else clause._replace(frame=shared)


def _is_purpose(sentence: ParsedSentence, verb: int, comma: bool) -> bool:
    """Return whether "so that" tells what should be, not what is: "so that they would hear", "so that it can
    be heard"; "so that he could hear" tells what he could do."""
    modals = {sentence.lower[at] for at in sentence.auxiliaries(verb) if sentence.tags[at] == "MD"}
    if modals.isdisjoint(_ABLE):
        return bool(modals)
    result = comma and "can" in modals  # "the cells die , so that tests can only be made in mice"
    return sentence.child(verb, "auxpass") is not None and not result


def is_reported_within(sentence: ParsedSentence, token: int) -> bool:
    """Return whether a token is in a clause that somebody only says or thinks: "house" in "He said that Ann
    had a house"."""
    while sentence.heads[token] != token:
        above = sentence.heads[token]
        said = sentence.dependencies[token] == "ccomp" and sentence.tags[token] in VERBS
        if said and sentence.annotation.lemmas[above] in _OF_OTHERS | _NOTE:
            return True
        token = above
    return False


def _is_only_thought(sentence: ParsedSentence, verb: int, connective: int) -> bool:
    """Return whether a clause belongs to a thought or a report, so that it is no fact on its own: "I hope we
    can be fair while we wait", "There is evidence that they left because it rained"."""
    thought = sentence.heads[verb]
    # "They say that it grew while it rained": the parser ties the clause to "say".
    governed = None if sentence.lower[connective] in _CONTRASTS else sentence.child(thought, "ccomp")
    if governed is not None and governed < connective and _governs_thought(sentence, governed):
        return True
    if sentence.dependencies[thought] == "acl" and any(
        sentence.dependencies[child] == "mark" and sentence.lower[child] == "that"
        for child in sentence.children(thought)
    ):
        return True
    if sentence.dependencies[thought] == "advcl":
        mark = sentence.child(thought, "mark")
        return mark is not None and sentence.lower[mark] in ("if", "unless", "whether")
    if sentence.dependencies[thought] not in ("ccomp", "xcomp"):
        return False
    return _governs_thought(sentence, thought)


def _governs_thought(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether the verb above says or thinks this, or makes it happen: "It makes you believe it"."""
    lemma = sentence.annotation.lemmas[sentence.heads[verb]]
    caused = lemma in _CAUSE and sentence.dependencies[verb] == "ccomp" and sentence.tags[verb] == "VB"
    return caused or lemma in _OF_OTHERS


def _goes_on(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether the main clause may continue after the dependent: "because Ann was ill , and won"."""
    return any(
        sentence.lower[at] == "," and sentence.lower[at + 1] in ("and", "but") and _is_bare(sentence, at + 2)
        for at in range(verb + 1, sentence.end - 2)
    )


def _is_bare(sentence: ParsedSentence, token: int) -> bool:
    """Return whether a finite verb without its own subject is at `token`, or after an adverb there."""
    if sentence.tags[token] == "RB" and token + 1 < sentence.end:
        token += 1
    return sentence.tags[token] in ("VBD", "VBZ") and sentence.subject(token) is None


def _reduced(sentence: ParsedSentence, verb: int, clause: _Inner) -> _Inner | None:
    """Return the match of a clause that shares the subject: "while visiting Rome", "although injured"."""
    subject = sentence.subject(sentence.root)
    if subject is None or sentence.heads[verb] != sentence.root or sentence.dependencies[subject] == "expl":
        return None
    # "a mode which raises the rate while rendering less": the mode renders.
    if "relcl" in sentence.dependencies[sentence.root : clause.start]:
        return None
    # "was founded by X while working there": who worked? "would keep it while paying less": nobody paid.
    carrier = sentence.verb_group(sentence.root)
    supposed = sentence.lower[carrier] in _SUPPOSED
    if supposed or sentence.child(sentence.root, "agent") is not None:
        return None
    first, connective = clause.body, sentence.lower[clause.body - 1]
    # "includes feedback while typing , word lists , and speech": the list goes on.
    nouns = (at for at in sentence.children(first) if at > first and sentence.tags[at] in NOUNS)
    if sentence.lower[first + 1] == "," and any(nouns):
        return None
    if sentence.tags[first] == "VBG":
        carries = connective == "while" and (verb == first or sentence.heads[first] == verb)
    else:
        carries = connective == "although" and _needs_be(sentence, verb, first)
    return clause._replace(verb=first, subject=subject) if carries else None


def _apply_inner(sentence: ParsedSentence, clause: _Inner) -> RuleResult | None:
    first, second = split(sentence.tokens(), clause.start - sentence.start)
    second = delete(second, 0, clause.body - clause.start)
    if clause.verb is not None and clause.subject is not None:
        completed = _with_subject(sentence, second, clause.verb, clause.subject)
        if completed is None:
            return None
        second = completed
    return RuleResult(first, prepend(_trimmed(sentence, second), clause.frame), clause.connective)


def _trimmed(sentence: ParsedSentence, tokens: TokenList) -> TokenList:
    """Apply TRIM only if it removes nothing but punctuation: an example keeps all content (section 3.1)."""

    def is_punctuation(token: Token) -> bool:
        return isinstance(token, int) and sentence.tags[token] in _PUNCTUATION

    trimmed = trim(tokens, is_punctuation)
    return trimmed if all(map(is_punctuation, tokens[len(trimmed) :])) else tokens


RULES = (
    Rule(
        name="forward_connective",
        row="Forward connective",
        discourse_type="SINGLE_CONN_START",
        triggers=frozenset(_FORWARD),
        detect=_detect_forward,
        apply=_apply_forward,
    ),
    Rule(
        name="inner_connective",
        row="Inner connective",
        discourse_type="SINGLE_CONN_INNER",
        with_anaphora="SINGLE_CONN_INNER_ANAPHORA",
        triggers=_FIRST_WORDS,
        detect=_detect_inner,
        apply=_apply_inner,
    ),
)
