"""The rules: every phenomenon of Table 14, applied to the sentences and sentence pairs of a document.

Belongs here: the table of rules, and running them over an annotation. Not here: single rules, which are in
RULES of the module of their kind.

The connectives are those of Table 12. Other lists of words in these modules are our choice, made while
reading examples; docs/reports/fusion-quality.md says how good the examples are with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from silverloom.ops.coreference.lexicon import words as words_of
from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.rules import (
    appositions,
    cataphora,
    connectives,
    coordination,
    relative_clauses,
    subordination,
)
from silverloom.ops.discofuse.rules.anaphora import resolved
from silverloom.ops.discofuse.rules.rule import (
    Candidate,
    DiscourseType,
    FusionExample,
    ParsedDocument,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
)
from silverloom.ops.discofuse.rules.sure_links import says_it, shortened_name
from silverloom.ops.discofuse.rules.writing import Written, running, sentence

__all__ = ["ANAPHORA", "CONTROL", "RULES", "Rule", "RuleParams", "candidates"]

RULES: tuple[Rule, ...] = (
    *connectives.RULES,
    *subordination.RULES,
    *cataphora.RULES,
    *coordination.RULES,
    *relative_clauses.RULES,
    *appositions.RULES,
)
#: The rule of Table 14 that applies to the result of another rule, or to an unchanged pair.
ANAPHORA = "anaphora"
#: A pair that no rule matches (section 3.2).
CONTROL = "control"

_OF_PAIRS = tuple(rule for rule in RULES if rule.of_pairs)
_OF_SENTENCES = tuple(rule for rule in RULES if not rule.of_pairs)
_TRIGGERS = frozenset().union(*(rule.triggers for rule in _OF_SENTENCES))
_IT = "it"
#: All words that a look at a sentence's tokens is for.
_CUES = _TRIGGERS.union({_IT}, *(rule.triggers for rule in _OF_PAIRS))
_BRACKETS, _CLOSING_BRACKETS = frozenset("(["), frozenset(")]")
#: Before a colon, these announce a list.
_ANNOUNCING = words_of("including include includes follows following example are is as")
#: A word with the number of a footnote: "local.1".
_MARKED = re.compile(r"[a-z]{3,}\.\d{1,3}\Z")
#: A question, or a sentence that announces what follows, cannot be split into two statements.
_NO_STATEMENT = frozenset({"?", ":"})


def candidates(annotation: Annotation, params: RuleParams) -> Iterator[Candidate]:
    """Yield the candidates from each sentence and each two consecutive sentences of a document, in order.

    A text yields a candidate for every rule and every place where it matches; equal ones are yielded once. A
    pair without a match is a control. Filters are applied later, in dataset/examples.py.
    """
    document = ParsedDocument(annotation)
    lower = document.lower
    broken = "\n" in "".join(lower)
    by_sentence = _links(annotation)
    before: ParsedSentence | None = None
    for index, (start, end) in enumerate(annotation.sentences):
        here = ParsedSentence(document, start, end, before)
        if here.end == here.start:
            before = None
            continue
        cues = _CUES.intersection(lower[here.start : here.end])
        links = here.links = by_sentence.get(index, ())
        if before is not None:
            shortened = shortened_name(before, here)
            known = [*links, *shortened] if shortened else links
            yield from _pair(before, here, index - 1, known, cues, params)
            before.before = None  # so that the last sentence does not keep the document in memory
        if (
            not _TRIGGERS.isdisjoint(cues)
            and lower[here.end - 1] not in _NO_STATEMENT
            and not _ends_in_mark(here)
            and not _is_several(here, broken)
            and not _is_bracketed(here)
        ):
            yield from _single(here, index, links, cues, params)
        before = here


def _is_several(sentence: ParsedSentence, broken: bool) -> bool:
    """Return whether the splitter missed the end of a sentence or a heading inside this one; `broken`: the
    document has line breaks."""
    inside = sentence.lower[sentence.start : sentence.end]
    if broken and "\n" in "".join(inside):
        return True
    return inside.count(".") > (inside[-1] == ".") and any(
        sentence.lower[at] == "."
        and sentence.words[at + 1][0].isupper()
        and len(sentence.words[at - 1]) > 3
        and sentence.words[at - 1].isalpha()
        for at in range(sentence.start + 2, sentence.end - 3)
    )


def _is_bracketed(sentence: ParsedSentence) -> bool:
    """Return whether brackets enclose a whole sentence: only one of two sentences would have them."""
    end = sentence.end
    return sentence.lower[sentence.start] in _BRACKETS and not _CLOSING_BRACKETS.isdisjoint(
        sentence.lower[end - 2 : end]
    )


def _ends_in_mark(sentence: ParsedSentence) -> bool:
    """Return whether a sentence ends in a word with the number of a footnote: "local.1"."""
    word = sentence.lower[sentence.end - 1]
    return word[-1].isdigit() and _MARKED.search(word) is not None


def _lacks_list(sentence: ParsedSentence) -> bool:
    """Return whether a sentence announces a list that the text has lost: "several pests , including :"."""
    return sentence.lower[sentence.end - 1] == ":" and sentence.lower[sentence.end - 2] in _ANNOUNCING


def _links(annotation: Annotation) -> dict[int, list[Link]]:
    """Return the links by the index of the sentence that contains the mention."""
    of_sentence: dict[int, list[Link]] = {}
    index = 0
    for link in annotation.links:
        while index and link.mention[0] < annotation.sentences[index][0]:
            index -= 1
        while link.mention[0] >= annotation.sentences[index][1]:
            index += 1
        of_sentence.setdefault(index, []).append(link)
    return of_sentence


def _pair(
    first: ParsedSentence,
    second: ParsedSentence,
    index: int,
    links: Sequence[Link],
    cues: frozenset[str],
    params: RuleParams,
) -> Iterator[Candidate]:
    if _ends_in_mark(first) or _ends_in_mark(second) or _lacks_list(first):
        return
    matched = False
    for rule, split in _splits(_OF_PAIRS, second, cues, params):
        for made in _candidates((first, second), index, rule, split, links, params):
            matched = True
            yield made
    if not matched and (links or _IT in cues):
        split = RuleResult(first.tokens(), second.tokens())
        replaced, used = resolved((first, second), *split[:2], links, params)
        if used:
            split = split._replace(second=replaced)
            text = (first, second)
            replacement = _example(text, index, ANAPHORA, "PAIR_ANAPHORA", _first(text, split), split, used)
            if replacement:
                matched = True
                yield replacement
    if not matched:
        texts = (first.text(), second.text())
        written = running((first, second))
        example = FusionExample(*texts, *texts, "PAIR_NONE", "", 0.0, 0.0)
        yield Candidate(example, written, written, index, CONTROL, ())


def _single(
    here: ParsedSentence, index: int, links: Sequence[Link], cues: frozenset[str], params: RuleParams
) -> Iterator[Candidate]:
    seen = set()
    for rule, split in _splits(_OF_SENTENCES, here, cues, params):
        for made in _candidates((here,), index, rule, split, links, params):
            if made.example not in seen:
                seen.add(made.example)
                yield made


def _splits(
    rules: Sequence[Rule], here: ParsedSentence, cues: frozenset[str], params: RuleParams
) -> Iterator[tuple[Rule, RuleResult]]:
    match: Any
    for rule in rules:
        if rule.triggers and rule.triggers.isdisjoint(cues):
            continue
        for match in rule.detect(here, params):
            split = rule.apply(here, match)
            if split:
                yield rule, split


def _candidates(
    text: Sequence[ParsedSentence],
    index: int,
    rule: Rule,
    split: RuleResult,
    links: Sequence[Link],
    params: RuleParams,
) -> Iterator[Candidate]:
    """Yield the candidates of a rule for a text. If the rule combines with anaphora, the one with replaced
    mentions comes first, followed by the one without: the released data has both."""
    first = _first(text, split)
    if first is None:
        return
    if rule.with_anaphora and (links or says_it(text[-1])):
        replaced, used = resolved(text, split.first, split.second, links, params)
        if used:
            name = f"{rule.name}+{ANAPHORA}"
            made = _example(
                text, index, name, rule.with_anaphora, first, split._replace(second=replaced), used
            )
            if made:
                yield made
    made = _example(text, index, rule.name, rule.discourse_type, first, split, ())
    if made:
        yield made


def _first(text: Sequence[ParsedSentence], split: RuleResult) -> Written | None:
    """Return the first of the two sentences; in a pair it stays unchanged."""
    if len(text) == 2:
        return Written(text[0].text(), text[0].running())
    return sentence(text[0].annotation, split.first, [text[0].start], text[0].end)


def _example(
    text: Sequence[ParsedSentence],
    index: int,
    rule: str,
    discourse_type: DiscourseType,
    first: Written | None,
    split: RuleResult,
    used: tuple[Link, ...],
) -> Candidate | None:
    annotation, end = text[0].annotation, text[-1].end
    starts = [sentence.start for sentence in text]
    whole = [sentence.text() for sentence in text]
    pair = len(text) == 2
    if first is None:
        return None
    second = sentence(annotation, split.second, starts, end, end_given=pair)
    if second is None:
        return None
    kinds = {link.kind for link in used}
    example = FusionExample(
        whole[0],
        whole[1] if pair else "",
        first.tokenised,
        second.tokenised,
        discourse_type,
        split.connective,
        float("pronoun" in kinds),
        float("nominal" in kinds),
    )
    return Candidate(example, running(text), f"{first.running} {second.running}", index, rule, used)
