"""ROUGE-1, 2, 3, L and SU4, counted as ROUGE-1.5.5 counts (Lin 2004).

Belongs here: counts, scores, several references. Not here: from text to tokens (rouge_tokens.py), the longest
common subsequence (lcs.py), scores of a corpus (items.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from ops.metrics.lcs import union_lcs
from ops.metrics.rouge_tokens import Text, Tokens, rouge_tokens

#: The metrics, in the order in which they are given everywhere.
ROUGE = ("rouge1", "rouge2", "rouge3", "rougeL", "rougeSU4")

#: The most tokens that may stand between the two of a skip-bigram.
GAP = 4

#: The original prints five decimals, and computes F from what it prints.
DIGITS = 5

Combination: TypeAlias = Literal["average", "best"]
Unit = TypeVar("Unit", bound=Hashable)


class Score(NamedTuple):
    """In 0..1: the share of the prediction that matches, that of the reference, and their harmonic mean."""

    precision: float
    recall: float
    f: float


def tensor2tensor_f(score: Score) -> float:
    """Return F as tensor2tensor's ROUGE-L has it: beta is precision by recall, not 1 (rouge.py there).

    ((1 + beta^2) R P) / (R + beta^2 P), in 0..1; 0 where nothing matches. The lower of precision and recall
    weighs more than in the harmonic mean.
    """
    precision, recall, _ = score
    if precision == 0 or recall == 0:
        return 0.0
    square = (precision / recall) ** 2
    return (1 + square) * recall * precision / (recall + square * precision)


class _Match(NamedTuple):
    """What a score is made of: how many units match, and how many there are."""

    hits: int
    predicted: int
    referenced: int

    def recall(self) -> float:
        return self.hits / self.referenced if self.referenced else 0.0

    def score(self, digits: int | None) -> Score:
        precision, recall = self.hits / self.predicted if self.predicted else 0.0, self.recall()
        if digits is not None:
            precision, recall = round(precision, digits), round(recall, digits)
        if precision + recall == 0:
            return Score(precision, recall, 0.0)
        f = precision * recall / (0.5 * precision + 0.5 * recall)
        return Score(precision, recall, f if digits is None else round(f, digits))


def rouge(
    prediction: Text,
    reference: Text,
    stem: bool = False,
    stop_words: bool | Collection[str] = False,
    words: int | None = None,
    bytes: int | None = None,
    digits: int | None = DIGITS,
) -> dict[str, Score]:
    """Return the five scores of a summary against one reference, by name (`ROUGE`).

    A text is a list of sentences, or a string with one sentence a line; only ROUGE-L looks at where sentences
    end (it is the summary-level one). `stem`, `stop_words` and the limits, which cut both texts, are those of
    `rouge_tokens`. `digits`: precision and recall are rounded to so many decimals, F is computed from those
    and rounded, as in ROUGE-1.5.5; None rounds nothing. Nothing in common, or no token at all, gives 0.
    Raises ValueError for bad limits.
    """
    return rouge_of_references(
        prediction, [reference], "average", False, stem, stop_words, words, bytes, digits
    )


def rouge_of_references(
    prediction: Text,
    references: Sequence[Text],
    combine: Combination = "average",
    jackknife: bool = False,
    stem: bool = False,
    stop_words: bool | Collection[str] = False,
    words: int | None = None,
    bytes: int | None = None,
    digits: int | None = DIGITS,
) -> dict[str, Score]:
    """Return the five scores of a summary against several references; all else as in `rouge`.

    `combine`: "average" adds up hits and counts over the references (option -f A of ROUGE-1.5.5); "best"
    takes, for each metric, the reference of which most is recalled, the first of equals (-f B). `jackknife`:
    the mean of the scores against all references but one, each left out in turn (Lin 2004, section 2.1), so
    that a human summary scored against the others can be compared; without effect on a single reference.
    Raises ValueError without references.
    """
    if not references:
        raise ValueError("there is no reference to score against")
    predicted = rouge_tokens(prediction, stem, stop_words, words, bytes)
    referenced = [rouge_tokens(reference, stem, stop_words, words, bytes) for reference in references]
    matches = _matches(predicted, referenced)
    scores: dict[str, Score] = {}
    for name, found in zip(ROUGE, zip(*matches, strict=True), strict=True):
        combined = _best_of if combine == "best" else _sum_of
        if jackknife and len(found) > 1:
            left = [found[:out] + found[out + 1 :] for out in range(len(found))]
            scores[name] = _mean([combined(name, some).score(digits) for some in left], digits)
        else:
            scores[name] = combined(name, found).score(digits)
    return scores


def rouge_of_tokens(
    prediction: Sequence[Sequence[str]], reference: Sequence[Sequence[str]], digits: int | None = DIGITS
) -> dict[str, Score]:
    """Return the five scores of tokens as they are; a text is a list of sentences, each a list of tokens."""
    texts = [
        Tokens(list(chain.from_iterable(text)), list(map(list, text))) for text in (prediction, reference)
    ]
    [matches] = _matches(texts[0], texts[1:])
    return {name: match.score(digits) for name, match in zip(ROUGE, matches, strict=True)}


def ngram_counts(tokens: Sequence[str], n: int) -> Counter[Hashable]:
    """Return how often each n-gram occurs; the keys are the tokens themselves for n = 1, else tuples of n.

    With `overlap` it scores candidates one by one: `overlap(rest, counts)` is what a sentence would add to
    the hits, and after `rest = rest - counts` what it covers is not counted again. Raises ValueError for
    n < 1.
    """
    if n < 1:
        raise ValueError(f"n-grams of {n} tokens; give 1 or more")
    return Counter(tokens if n == 1 else zip(*(tokens[start:] for start in range(n)), strict=False))


def skip_bigram_counts(tokens: Sequence[str], gap: int = GAP) -> Counter[Hashable]:
    """Return how often each pair of tokens occurs in order, at most `gap` others between, and each token.

    The tokens stand for pairs with a sign before the text, as in ROUGE-SU; like ROUGE-1.5.5, the last one is
    left out, so that a text of a single token has no unit at all.
    """
    pairs = (zip(tokens, tokens[distance:], strict=False) for distance in range(1, gap + 2))
    return Counter(chain(tokens[:-1], *pairs))


def overlap(one: Mapping[Unit, int], other: Mapping[Unit, int]) -> int:
    """Return how many units two counts share: of each, the lower count."""
    return sum(min(one[key], other[key]) for key in one.keys() & other.keys())


def _matches(prediction: Tokens, references: Sequence[Tokens]) -> list[list[_Match]]:
    """Return the matches of every reference, in the order of `ROUGE`."""
    counts = _counts(prediction)
    totals = [sum(grams.values()) for grams in counts]
    matches = []
    for reference in references:
        found = [
            _Match(overlap(ours, theirs), total, sum(theirs.values()))
            for ours, total, theirs in zip(counts, totals, _counts(reference), strict=True)
        ]
        found.insert(ROUGE.index("rougeL"), _lcs_match(prediction, reference))
        matches.append(found)
    return matches


def _counts(text: Tokens) -> list[Counter[Hashable]]:
    return [*(ngram_counts(text.running, n) for n in (1, 2, 3)), skip_bigram_counts(text.running)]


def _lcs_match(prediction: Tokens, reference: Tokens) -> _Match:
    # A token hits at most as often as it occurs in either text, whatever the sentences are.
    hits = Counter(union_lcs(reference.sentences, prediction.sentences))
    least = Counter(prediction.running) & Counter(reference.running)
    return _Match(overlap(hits, least), len(prediction.running), sum(map(len, reference.sentences)))


def _sum_of(name: str, matches: Sequence[_Match]) -> _Match:
    return _Match(*map(sum, zip(*matches, strict=True)))


def _best_of(name: str, matches: Sequence[_Match]) -> _Match:
    # The original compares recalls as it prints them, but for ROUGE-L.
    return max(
        matches, key=lambda score: score.recall() if name == "rougeL" else round(score.recall(), DIGITS)
    )


def _mean(scores: Sequence[Score], digits: int | None) -> Score:
    means = (math.fsum(values) / len(scores) for values in zip(*scores, strict=True))
    return Score(*(mean if digits is None else round(mean, digits) for mean in means))
