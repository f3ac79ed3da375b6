"""ROUGE-1, 2, 3, L and SU4, counted as in ROUGE-1.5.5 (Lin 2004).

Belongs here: tokens, counts, the longest common subsequence, scores, several references. Not here: scores of
a corpus (items.py).

Texts are read by the rules of the Perl original (release 1.5.5): its functions readText, readText_LCS and
createNGram.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from silverloom.ops.text.words import STOP_WORDS

#: The metrics, in the order that is used everywhere.
ROUGE = ("rouge1", "rouge2", "rouge3", "rougeL", "rougeSU4")

#: The most tokens that may separate the two tokens of a skip-bigram.
GAP = 4

#: The original prints five decimals, and computes F from the printed values.
DIGITS = 5

Combination: TypeAlias = Literal["average", "best"]
Unit = TypeVar("Unit", bound=Hashable)


class Score(NamedTuple):
    """The matching share of the prediction, that of the reference, and their harmonic mean, in 0..1."""

    precision: float
    recall: float
    f: float


class _Match(NamedTuple):
    """The counts behind a score: how many units match, and how many each text has."""

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


#: A summary: its sentences, or a text with one sentence per line (the original's format SPL).
Text: TypeAlias = str | Sequence[str]

#: ASCII letters (lower-cased) and digits stay; every other byte becomes a blank. That includes the hyphen:
#: the original makes it a token and then drops tokens that begin with neither a letter nor a digit.
_TOKEN_BYTES = bytes(code if chr(code).isalnum() else 32 for code in bytes(range(128)).lower()) + b" " * 128

#: The original does not stem shorter words.
_SHORTEST_STEMMED = 4


class Tokens(NamedTuple):
    """The tokens of a summary, in the two forms that are counted."""

    running: list[str]
    """All tokens in order; n-grams and skip-bigrams cross sentence boundaries."""
    sentences: list[list[str]]
    """The tokens of each sentence, for the longest common subsequence."""


def tensor2tensor_f(score: Score) -> float:
    """Return F as in tensor2tensor's ROUGE-L (its rouge.py): beta is precision / recall, not 1.

    ((1 + beta^2) R P) / (R + beta^2 P), in 0..1; 0 if nothing matches. The lower of precision and recall
    weighs more than in the harmonic mean.
    """
    precision, recall, _ = score
    if precision == 0 or recall == 0:
        return 0.0
    square = (precision / recall) ** 2
    return (1 + square) * recall * precision / (recall + square * precision)


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

    A text is a list of sentences, or a string with one sentence per line. Only ROUGE-L (the summary-level
    variant) depends on where sentences end. `stem`, `stop_words` and the limits, which cut both texts, are
    those of `rouge_tokens`. `digits`: precision and recall are rounded to this many decimals, and F is
    computed from them and rounded, as in ROUGE-1.5.5; None rounds nothing. Texts with nothing in common, or
    without tokens, score 0. Raises ValueError for bad limits.
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
    """Return the five scores of a summary against several references; all else is as in `rouge`.

    `combine`: "average" adds up hits and counts over the references (option -f A of ROUGE-1.5.5); "best"
    takes, for each metric, the reference with the highest recall, the first of equals (-f B). `jackknife`:
    the mean of the scores against all references but one, leaving out each in turn (Lin 2004, section 2.1).
    This makes the score comparable with that of a human summary against the other human summaries. It has no
    effect with a single reference. Raises ValueError without references.
    """
    if not references:
        raise ValueError("there is no reference to score against")
    predicted = rouge_tokens(prediction, stem, stop_words, words, bytes)
    referenced = [rouge_tokens(reference, stem, stop_words, words, bytes) for reference in references]
    matches = _matches(predicted, referenced)
    scores: dict[str, Score] = {}
    for name, all_matches in zip(ROUGE, zip(*matches, strict=True), strict=True):
        combined = _best_of if combine == "best" else _sum_of
        if jackknife and len(all_matches) > 1:
            left = [all_matches[:out] + all_matches[out + 1 :] for out in range(len(all_matches))]
            scores[name] = _mean([combined(name, some).score(digits) for some in left], digits)
        else:
            scores[name] = combined(name, all_matches).score(digits)
    return scores


def rouge_of_tokens(
    prediction: Sequence[Sequence[str]], reference: Sequence[Sequence[str]], digits: int | None = DIGITS
) -> dict[str, Score]:
    """Return the five scores of tokenised texts; a text is a list of sentences, each a list of tokens."""
    texts = [
        Tokens(list(chain.from_iterable(text)), list(map(list, text))) for text in (prediction, reference)
    ]
    [matches] = _matches(texts[0], texts[1:])
    return {name: match.score(digits) for name, match in zip(ROUGE, matches, strict=True)}


def ngram_counts(tokens: Sequence[str], n: int) -> Counter[Hashable]:
    """Return how often each n-gram occurs; the keys are the tokens themselves for n = 1, else n-tuples.

    Together with `overlap` it scores candidates one by one: `overlap(rest, counts)` is how many hits a
    sentence would add, and `rest = rest - counts` keeps its hits from being counted again. Raises ValueError
    for n < 1.
    """
    if n < 1:
        raise ValueError(f"n-grams of {n} tokens; give 1 or more")
    return Counter(tokens if n == 1 else zip(*(tokens[start:] for start in range(n)), strict=False))


def skip_bigram_counts(tokens: Sequence[str], gap: int = GAP) -> Counter[Hashable]:
    """Return the counts of ordered token pairs with at most `gap` tokens in between, and of single tokens.

    A single token represents its pair with a begin-of-text marker, as in ROUGE-SU. The last token is left
    out, as in ROUGE-1.5.5, so that a text of a single token has no units at all.
    """
    pairs = (zip(tokens, tokens[distance:], strict=False) for distance in range(1, gap + 2))
    return Counter(chain(tokens[:-1], *pairs))


def overlap(one: Mapping[Unit, int], other: Mapping[Unit, int]) -> int:
    """Return how many units two counts share: the sum of the lower counts."""
    return sum(min(one[key], other[key]) for key in one.keys() & other.keys())


def rouge_tokens(
    text: Text,
    stem: bool = False,
    stop_words: bool | Collection[str] = False,
    words: int | None = None,
    bytes: int | None = None,
) -> Tokens:
    """Return the tokens of a summary, each a run of ASCII letters (lower-cased) and digits.

    A hyphen, any other sign and any non-ASCII letter splits tokens: "naïve" is "na", "ve". White space
    around sentences is stripped, and empty sentences are skipped.

    `words`: read only this many words, split at ASCII white space before anything else (option -l). `bytes`:
    read only this many bytes of UTF-8, not counting those between sentences (-b). As in the original, this
    limit cuts `running` across sentences, but `sentences` only at the first sentence that reaches the limit
    by itself, because the original forgets to add up there. `stop_words`: tokens to leave out (-s); True
    means NLTK's 179, some of which ("don't") never occur as a token. `stem`: NLTK's Porter stemmer, on tokens
    of more than three letters (-m).

    Raises ValueError for both limits at once, and for a limit below 1.
    """
    if words is not None and bytes is not None:
        raise ValueError("limit a summary in words or in bytes, not both")
    for name, limit in (("words", words), ("bytes", bytes)):
        if limit is not None and limit < 1:
            raise ValueError(f"the limit in {name} is {limit}; give 1 or more, or None for no limit")
    lines = text.split("\n") if isinstance(text, str) else text
    raw = [line for line in (line.encode("utf-8", "surrogatepass").strip() for line in lines) if line]
    if words is not None:
        raw = _first_words(raw, words)
    omitted = STOP_WORDS if stop_words is True else frozenset(stop_words or ())
    sentences = [_tokens(line, stem, omitted) for line in (raw if bytes is None else _below(raw, bytes))]
    counted = sentences if bytes is None else [_tokens(line, stem, omitted) for line in _cut(raw, bytes)]
    return Tokens([token for sentence in counted for token in sentence], sentences)


def union_lcs(reference: Sequence[Sequence[str]], prediction: Sequence[Sequence[str]]) -> list[str]:
    """Return the tokens of `reference` that are on its common subsequence with any sentence of `prediction`.

    For each sentence of the reference this is the union of its longest common subsequences with every
    sentence of the prediction, one for each (Lin 2004, section 3.2). If there are several longest ones, the
    trace of ROUGE-1.5.5 decides: starting from the ends, it takes a match; else it goes back one token in the
    reference if that loses nothing, else one in the prediction.

    The table of lengths is stored as the differences between neighbouring rows, one bit per token of the
    reference, with all its sentences side by side in one integer (Hyyrö 2004, "Bit-parallel LCS-length
    computation revisited"). So a token of the prediction costs a few operations on such integers.
    """
    places: defaultdict[str, int] = defaultdict(int)
    tokens: list[str | None] = []
    starts: list[int] = []
    bits = 0
    for sentence in reference:
        starts.append(len(tokens))
        for token in sentence:
            places[token] |= 1 << len(tokens)
            bits |= 1 << len(tokens)
            tokens.append(token)
        # This bit is 0 in every row: it absorbs the carry of the sentence before it.
        tokens.append(None)
    matched_bits = 0
    for sentence in prediction:
        if not places.keys().isdisjoint(sentence):
            matched_bits |= _traced(_columns(sentence, places, bits), starts, len(tokens))
    return [token for place, token in enumerate(tokens) if token is not None and matched_bits >> place & 1]


def _matches(prediction: Tokens, references: Sequence[Tokens]) -> list[list[_Match]]:
    """Return the matches of every reference, in the order of `ROUGE`."""
    counts = _counts(prediction)
    totals = [sum(grams.values()) for grams in counts]
    matches = []
    for reference in references:
        reference_matches = [
            _Match(overlap(ours, theirs), total, sum(theirs.values()))
            for ours, total, theirs in zip(counts, totals, _counts(reference), strict=True)
        ]
        reference_matches.insert(ROUGE.index("rougeL"), _lcs_match(prediction, reference))
        matches.append(reference_matches)
    return matches


def _counts(text: Tokens) -> list[Counter[Hashable]]:
    return [*(ngram_counts(text.running, n) for n in (1, 2, 3)), skip_bigram_counts(text.running)]


def _lcs_match(prediction: Tokens, reference: Tokens) -> _Match:
    # A token hits at most as often as it occurs in either text, however the texts are split into sentences.
    hits = Counter(union_lcs(reference.sentences, prediction.sentences))
    least = Counter(prediction.running) & Counter(reference.running)
    return _Match(overlap(hits, least), len(prediction.running), sum(map(len, reference.sentences)))


def _sum_of(name: str, matches: Sequence[_Match]) -> _Match:
    return _Match(*map(sum, zip(*matches, strict=True)))


def _best_of(name: str, matches: Sequence[_Match]) -> _Match:
    # The original compares recalls as printed (rounded), except for ROUGE-L.
    return max(
        matches, key=lambda score: score.recall() if name == "rougeL" else round(score.recall(), DIGITS)
    )


def _mean(scores: Sequence[Score], digits: int | None) -> Score:
    means = (math.fsum(values) / len(scores) for values in zip(*scores, strict=True))
    return Score(*(mean if digits is None else round(mean, digits) for mean in means))


def _tokens(line: bytes, stem: bool, omitted: Collection[str]) -> list[str]:
    tokens = line.translate(_TOKEN_BYTES).decode("ascii").split()
    if omitted:
        tokens = [token for token in tokens if token not in omitted]
    return [porter_stem(token) for token in tokens] if stem else tokens


def _first_words(lines: Iterable[bytes], limit: int) -> list[bytes]:
    shortened = []
    for line in lines:
        words = line.split()[:limit]
        shortened.append(b" ".join(words))
        limit -= len(words)
        if limit == 0:
            break
    return shortened


def _cut(lines: Iterable[bytes], limit: int) -> list[bytes]:
    shortened = []
    for line in lines:
        shortened.append(line[:limit])
        limit -= len(shortened[-1])
        if limit == 0:
            break
    return shortened


def _below(lines: Iterable[bytes], limit: int) -> list[bytes]:
    shortened = []
    for line in lines:
        shortened.append(line[:limit])
        if len(line) >= limit:
            break
    return shortened


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 16)
def porter_stem(token: str) -> str:
    """Return the Porter stem of a lower-case word; a word of fewer than four letters stays as it is."""
    return token if len(token) < _SHORTEST_STEMMED else str(_stemmer().stem(token))


def _columns(sentence: Sequence[str], places: dict[str, int], bits: int) -> list[tuple[int, int]]:
    """Return two bit masks per token: its matches, and where the trace stops (matches or length steps)."""
    level = bits
    columns = []
    for token in sentence:
        matches = places.get(token, 0)
        met = level & matches
        level = (level + met | level - met) & bits
        columns.append((matches, matches | bits ^ level))
    return columns


def _traced(columns: list[tuple[int, int]], starts: Sequence[int], end: int) -> int:
    """Return the bits on the traced subsequences of every reference sentence with one predicted sentence."""
    columns.reverse()
    traced_bits = 0
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        below = (1 << stop - 1) - (1 << start)
        if not columns[0][1] & below:
            continue
        for matches, stops in columns:
            place = (stops & below).bit_length() - 1
            if place < 0:
                break
            if matches >> place & 1:
                traced_bits |= 1 << place
                below &= (1 << place) - 1
            else:
                below &= (2 << place) - 1
    return traced_bits
