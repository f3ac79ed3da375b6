"""What two coordinated clauses or verb phrases share, so that the second does not hold alone.

Belongs here: a shared condition, alternative, question, object or infinitive. Not here: the words that the
second verb phrase repeats (repetition.py), finding the conjunction (coordination.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from silverloom.ops.discofuse.rules.connectives import BACKWARD_PHRASES
from silverloom.ops.discofuse.rules.morphology import is_past
from silverloom.ops.discofuse.rules.rule import SUBJECTS, WH_WORDS, ParsedSentence

_CONDITIONS = frozenset({"if", "unless", "when", "because", "while", "until", "although", "since", "where"})
#: A condition before two clauses holds for both: "If you press it , the door opens and the light goes on".
_SHARED = frozenset({"if", "unless", "when", "whenever", "once", "whether", "whereas"}) | {
    "provided", "providing", "supposing", "assuming"
}  # fmt: skip
#: "As long as it rains", "so long as it rains", "in case it rains".
_LONGER = (["as", "long", "as"], ["so", "long", "as"], ["in", "case"])
#: "Had he paid , the shop would have kept it".
_INVERTED = frozenset({"had", "should", "were"})
#: With these the clause is never a fact on its own.
_SUPPOSING = frozenset({"if", "unless", "whether", "provided", "providing", "supposing", "assuming"})
#: Nor with these, if it is told as a rule: "When you press it , the door opens".
_EVERY_TIME = frozenset({"when", "whenever", "once"})
_PROVISOS = frozenset({"if", "unless", "provided", "providing"})
#: "With more money , the town would build a bridge", "In an ideal world there would be a bridge"
_WITH = frozenset({"with", "without"})
_A = frozenset({"a", "an"})
#: These begin a phrase that adds or excludes; what follows holds without it.
_NO_FRAMES = frozenset(
    {"for example", "for instance", "in addition", "in other", "in summary", "in general", "due to"}
)
_WOULD = frozenset({"would", "could", "might", "'d"})
#: The writer only reports what follows: "Allegedly , he left", "In his view , they lost".
_REPORTED = frozenset({"allegedly", "reportedly", "supposedly", "purportedly", "presumably", "apparently"})
#: "As reported in the census , A is old and B is new"
_REPORTED_IN = frozenset({"reported", "described", "defined", "stated", "claimed", "told"})
_LATER = frozenset({"later", "afterwards", "afterward", "subsequently", "thereafter"})
_OPINIONS = frozenset({"view", "opinion", "eyes", "account", "words", "report", "theory", "legend"})
#: Where, how or when two things are done; our choice.
_PLACING = frozenset(
    {"on", "in", "at", "under", "within", "during", "for", "using", "over", "until", "before", "after"}
)
_UNTIL = frozenset({"until", "till"})
#: Clauses with these after two verbs tell when both happened.
_WHEN = frozenset({"until", "till", "when", "before", "after", "once", "while"})
_POSSIBLE = frozenset({"can", "could", "may", "might"})
_COMPARATIVES = frozenset({"JJR", "RBR"})
_THAN = frozenset({"than"})
_BARE_BE = frozenset({"is", "are", "was", "were", "not", "n't"})


def end_of_first(sentence: ParsedSentence, conjunction: int) -> int:
    """Return where the part before a conjunction ends: at the comma before it, or at the conjunction."""
    return conjunction - (sentence.lower[conjunction - 1] == ",")


def condition(sentence: ParsedSentence, main: int) -> Sequence[int]:
    """Return the tokens of a condition or of the source of a report that begins the sentence, before the
    subject of the main verb; none if there is neither."""
    subject = sentence.subject(main)
    if subject is None:
        return ()
    start, first = sentence.start, sentence.left(subject)
    if start >= first:
        return ()
    if is_reported(sentence, main) or _is_wished(sentence, main):
        return range(start, first)
    # "For example , if there is one , ..."
    start = next((at for at in range(start, first) if sentence.lower[at] in _SHARED), start)
    longer = _is_longer(sentence, start)
    inverted = start == sentence.start and sentence.lower[start] in _INVERTED
    if sentence.lower[start] not in _SHARED and not longer and not inverted:
        return ()
    clauses = ("advcl", "advmod", "prep") if longer else ("advcl",)
    clause = next((at for at in sentence.children(main) if sentence.dependencies[at] in clauses), None)
    if clause is None or sentence.left(clause) != start or clause > subject:
        return ()
    return range(start, first)


def _is_longer(sentence: ParsedSentence, start: int) -> bool:
    """Return whether a condition of several words begins at a token: "as long as"."""
    return any(sentence.lower[start : start + len(words)] == words for words in _LONGER)


def frame(sentence: ParsedSentence, main: int) -> Sequence[int]:
    """Return the tokens of a phrase before the subject that tells when or where the sentence holds: "In 1990
    ,"; none if there is none."""
    subject, start = sentence.subject(main), sentence.start
    first = start if subject is None else sentence.left(subject)
    if start >= first or sentence.heads[start] != main:
        return ()
    if is_later(sentence, main):
        return range(start, first)
    if sentence.dependencies[start] != "prep":
        return ()
    opening = sentence.lower[start : start + 2]
    connected = any(
        sentence.lower[start : start + len(words)] == words
        for words in BACKWARD_PHRASES.get(sentence.lower[start], ())
    )
    return () if connected or " ".join(opening) in _NO_FRAMES else range(start, first)


def is_later(sentence: ParsedSentence, main: int) -> bool:
    """Return whether a sentence begins with a word for a time after something, for all of it: "Later ,"."""
    start = sentence.start
    return (
        sentence.lower[start] in _LATER and sentence.heads[start] == main and sentence.lower[start + 1] == ","
    )


def is_supposed(sentence: ParsedSentence, main: int) -> bool:
    """Return whether a sentence begins with a condition, so that its clauses are no facts."""
    conditions = condition(sentence, main)
    opening = conditions[0] if conditions else sentence.start
    certain = not conditions or (
        sentence.lower[opening] not in _INVERTED and not _is_longer(sentence, opening)
    )
    if conditions and sentence.lower[opening] in _EVERY_TIME:
        return not is_past(sentence, main) or sentence.tags[sentence.verb_group(main)] == "MD"
    return sentence.lower[opening] in _SUPPOSING or not certain or _is_wished(sentence, main)


def _is_wished(sentence: ParsedSentence, main: int) -> bool:
    """Return whether a phrase is a condition: "With more money , the town would build a bridge"."""
    opens, following = sentence.lower[sentence.start : sentence.start + 2]
    wished = opens in _WITH or (opens == "in" and following in _A)
    return wished and any(sentence.lower[at] in _WOULD for at in sentence.auxiliaries(main))


def is_time(sentence: ParsedSentence, verb: int, main: int) -> bool:
    """Return whether a sentence begins with "since" and a noun phrase whose participle the parser takes for a
    verb: "Since the first shared task in 2017 , many have been proposed"."""
    if sentence.lower[sentence.start] != "since" or sentence.auxiliaries(verb):
        return False
    perfect = any(sentence.annotation.lemmas[at] == "have" for at in sentence.auxiliaries(main))
    bare = sentence.child(verb, "dobj") == verb + 1 and sentence.tags[verb + 1] == "NN"
    return perfect and bare and sentence.lower[verb].endswith("ed")


def is_reported(sentence: ParsedSentence, main: int) -> bool:
    """Return whether a sentence begins by saying whose report or opinion it is: "According to Ann , he
    left"."""
    start = sentence.start
    word = sentence.lower[start]
    if word == "according" or (word in _REPORTED and sentence.heads[start] == main):
        return True
    if word == "as" and sentence.lower[start + 1] in _REPORTED_IN:
        return True
    if word != "in" or sentence.heads[start] != main:
        return False
    noun = sentence.child(start, "pobj")
    return (
        noun is not None
        and sentence.lower[noun] in _OPINIONS
        and sentence.child(noun, "poss", "prep") is not None
    )


def ends_in_proviso(sentence: ParsedSentence, verb: int, conjunction: int) -> bool:
    """Return whether a proviso after the second conjunct may hold for both: "The shop opens and the bells
    ring if the clock strikes", "The shop opens , and the bells ring , if the clock strikes"."""
    alone = sentence.subject(verb) is None and sentence.auxiliaries(verb)  # "and was not seen unless asked"
    heads, comma = sentence.heads, sentence.lower[conjunction - 1] == ","
    return not alone and any(
        at > verb and (not comma or sentence.lower[at - 1] == ",") and verb in (heads[at], heads[heads[at]])
        for at in sentence.positions(_PROVISOS)
    )


def may_be_command(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Return whether a base form after ", but" may be an imperative: "This can be wrong , but go ahead"."""
    return (
        sentence.lower[conjunction] == "but"
        and sentence.lower[conjunction - 1] == ","
        and verb == conjunction + 1
        and sentence.tags[verb] == "VB"
        and sentence.annotation.lemmas[main] == "be"
    )


def is_alternative(sentence: ParsedSentence, main: int, conjunction: int) -> bool:
    """Return whether a clause after "or" precedes another conjunction, which may continue it: "You pay , or
    the shop will not help and the bank will not lend"."""
    return any(
        sentence.lower[at] == "or"
        and sentence.dependencies[at] == "cc"
        and any(sentence.dependencies[then] in SUBJECTS for then in range(at + 1, conjunction))
        for at in range(main + 1, conjunction)
    )


def is_disjunction(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Return whether only one of two conjuncts need be true, so that neither holds alone: "They left or he
    lost". What is denied with "or" is denied twice: "did not win or draw"; and what may be may be alone: "can
    activate or block it"."""
    if sentence.lower[conjunction] != "or":
        return False
    if sentence.subject(verb) is None and sentence.child(main, "neg") is not None:
        return False
    own = sentence.auxiliaries(verb)
    carriers = [main] if sentence.subject(verb) is None and not own else [main, verb]
    return not all(
        any(sentence.lower[at] in _POSSIBLE for at in sentence.auxiliaries(carrier)) for carrier in carriers
    )


def shares_comparison(sentence: ParsedSentence, conjunction: int) -> bool:
    """Return whether a comparison after two clauses ends both: "A was higher but B was lower than today"."""
    compared = [at for at in range(sentence.start, sentence.end) if sentence.tags[at] in _COMPARATIVES]
    than = sentence.positions(_THAN)
    return (
        bool(than)
        and than[0] > conjunction
        and any(at < conjunction for at in compared)
        and any(conjunction < at < than[0] for at in compared)
    )


def ends_in_condition(sentence: ParsedSentence, main: int, conjunction: int) -> bool:
    """Return whether a condition directly precedes "and" without a comma, which may continue it: "unless it
    rains and the wind is strong"."""
    return any(
        sentence.lower[at] in _CONDITIONS
        and sentence.dependencies[at] in ("mark", "advmod")
        and sentence.right(sentence.heads[at]) == conjunction - 1
        for at in range(main + 1, conjunction)
    )


def ends_in_relative(sentence: ParsedSentence, main: int, conjunction: int) -> bool:
    """Return whether a relative clause directly precedes "and" without a comma, which may continue it: "a
    year in which the school burned down and the mill was closed"."""
    return any(
        sentence.dependencies[at] == "relcl"
        and sentence.right(at) == conjunction - 1
        and sentence.tags[sentence.left(at)] in WH_WORDS | {"IN"}
        for at in range(main + 1, conjunction)
    )


def continues_relative(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Return whether a clause after ", and" has the verb of the relative clause before it, which it may
    continue: "a scale , where oil has a value of 100 , and water has a value of zero"."""
    lemmas, last = sentence.annotation.lemmas, conjunction - 2
    return sentence.lower[conjunction - 1] == "," and any(
        sentence.dependencies[at] == "relcl"
        and sentence.tags[sentence.left(at)] == "WRB"
        and sentence.right(at) == last
        and lemmas[at] == lemmas[verb] != lemmas[main]
        and sentence.tags[at] == sentence.tags[verb]
        for at in range(main + 1, last)
    )


def is_in_question(sentence: ParsedSentence, main: int, conjunction: int) -> bool:
    """Return whether a conjunction may join options in an indirect question: "whether tea or coffee is"."""
    return sentence.lower[conjunction - 1] != "," and any(
        sentence.lower[at] in ("whether", "if") and sentence.heads[at] != main
        for at in range(main, conjunction)
    )


def shares_object(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Return whether the second verb has an object that the first one lacks: "founded and led the club",
    "wrote about and painted them"."""
    if _is_compared(sentence, main, verb) or _shares_end(sentence, main, verb, conjunction):
        return True
    last = end_of_first(sentence, conjunction) - 1
    stranded = sentence.dependencies[last] == "prep" and sentence.heads[last] == main
    # "This is not and has never been easy"
    bare = sentence.annotation.lemmas[main] == "be" and last <= main + 1 and sentence.lower[last] in _BARE_BE
    particle = sentence.dependencies[last] == "prt" and sentence.heads[last] == main
    if stranded or bare or (main != last and not particle):
        return stranded or bare
    # "picked up and saved the tape", but "took off and landed"
    if particle:
        return sentence.child(main, "dobj") is None and sentence.child(verb, "dobj") is not None
    # "pick and choose and run with what works"
    if verb + 1 < sentence.end and sentence.lower[verb + 1] in ("and", "or"):
        return True
    if sentence.child(main, "auxpass") is None:
        return sentence.child(verb, "dobj", "prep", "agent") is not None
    # "was trained and tested on paper", but "was chosen and sent to Rome", "was rebuilt and stood for years"
    placed = sentence.tags[verb] == "VBN" and any(
        (sentence.dependencies[at] == "prep" and sentence.lower[at] in _PLACING)
        or (sentence.dependencies[at] == "advcl" and sentence.lower[sentence.left(at)] in _WHEN)
        for at in sentence.children(verb)
    )
    return placed or sentence.child(verb, "agent") is not None


def _shares_end(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Return whether "until" after two negated verbs ends both: "did not sell or let it until 1990"."""
    if sentence.lower[conjunction] != "or" or sentence.child(main, "neg") is None:
        return False
    return any(at > verb and sentence.lower[sentence.left(at)] in _UNTIL for at in sentence.children(verb))


def _is_compared(sentence: ParsedSentence, main: int, verb: int) -> bool:
    """Return whether two passives may share a comparison: "was cut and dyed compared to others"."""
    passive = sentence.child(main, "auxpass") is not None and sentence.child(verb, "dobj") is None
    return passive and any(sentence.lower[at] == "compared" for at in sentence.children(verb))


def may_be_infinitive(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Return whether a second verb may belong to an infinitive before it: "we intend to help and reduce
    costs"."""
    infinitive = sentence.child(main, "xcomp")
    return (
        infinitive is not None
        and infinitive < conjunction
        and sentence.lower[verb] == sentence.annotation.lemmas[verb]
        and not sentence.auxiliaries(verb)
        and any(sentence.lower[at] == "to" for at in sentence.children(infinitive))
    )
