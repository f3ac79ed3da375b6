"""The quality rules by which Gopher and FineWeb filter the texts of web pages.

Belongs here: what each rule measures, its published bound and its source. Not here: applying the bounds
(bounds.py).

Gopher: Rae et al. (2021), "Scaling Language Models: Methods, Analysis & Insights from Training Gopher",
arXiv:2112.11446, section A.1.1: quality filtering, and repetition removal with the bounds of Table A1.
FineWeb: Penedo et al. (2024), "The FineWeb Datasets", arXiv:2406.17557, section 3.6.

Words are separated by white space, lines are the non-empty ones, and paragraphs are separated by blank lines.
The papers do not define a word; datatrove's tokenizer separates punctuation marks from words.

A text whose measure equals a bound is kept. FineWeb's own code (datatrove) drops it under the three rules of
FineWeb: it keeps texts above 0.12, and below 0.67 or 0.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from silverloom.ops.core.thresholds import ThresholdRule, at_least, at_most

#: Gopher's stop words; an English text contains at least two of them.
STOP_WORDS = frozenset(["the", "be", "to", "of", "and", "that", "have", "with"])

_BULLETS = ("•", "‣", "-", "*")
_ELLIPSES = ("...", "…")
#: Characters that end a line of running text, according to FineWeb.
_ENDS = tuple(".!?…。！？\"'”’")
_SHORT_LINE = 30


@dataclass(frozen=True)
class PageText:
    """A text, and the parts of it that rules measure."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """The text split at white space."""
        return self.text.split()

    @cached_property
    def lines(self) -> list[str]:
        """The non-empty lines, without surrounding white space."""
        return [line.strip() for line in self.text.splitlines() if line.strip()]

    @cached_property
    def paragraphs(self) -> list[str]:
        """The text split at blank lines."""
        return [paragraph.strip() for paragraph in self.text.split("\n\n") if paragraph.strip()]

    @cached_property
    def characters(self) -> int:
        """The number of characters in all words."""
        return sum(map(len, self.words))


class QualityRule(NamedTuple):
    """A measure, its published bound, and the side of the bound that is kept."""

    measure: Callable[[PageText], float]
    bound: float
    keeps: ThresholdRule
    meaning: str


def _share(hits: Iterable[bool], of: Sequence[object]) -> float:
    return sum(hits) / len(of) if of else 0.0


def _words(page: PageText) -> float:
    return float(sum(any(map(str.isalnum, word)) for word in page.words))


def _word_length(page: PageText) -> float:
    words = [word for word in page.words if any(map(str.isalnum, word))]
    return sum(map(len, words)) / len(words) if words else 0.0


def _signs(page: PageText, *signs: str) -> float:
    return sum(map(page.text.count, signs)) / len(page.words) if page.words else 0.0


def _alphabetic(page: PageText) -> float:
    return _share((any(map(str.isalpha, word)) for word in page.words), page.words)


def _stop_words(page: PageText) -> float:
    return float(len(STOP_WORDS & {word.strip(".,;:!?\"'()").lower() for word in page.words}))


def _repeated(items: Sequence[str]) -> tuple[int, int]:
    """Return how many items repeat an earlier one, and how many characters those have."""
    extra = Counter(items) - Counter(set(items))
    return extra.total(), sum(len(item) * count for item, count in extra.items())


def _repeated_share(items: Sequence[str]) -> float:
    return _repeated(items)[0] / len(items) if items else 0.0


def _repeated_characters(items: Sequence[str]) -> float:
    return _repeated(items)[1] / total if (total := sum(map(len, items))) else 0.0


def _most_frequent(page: PageText, size: int) -> float:
    """Return the share of characters in the most frequent run of words; ties go to the longest run.

    Returns 0 if no run occurs twice.
    """
    words = page.words
    counts = Counter(tuple(words[place : place + size]) for place in range(len(words) - size + 1))
    most = max(counts.values(), default=0)
    if most < 2:
        return 0.0
    longest = max(sum(map(len, run)) for run, count in counts.items() if count == most)
    return min(longest * most / page.characters, 1.0)


def _in_repeated_runs(page: PageText, size: int) -> float:
    """Return the share of characters in runs that occur at least twice; each word counts once."""
    words = page.words
    runs = [tuple(words[place : place + size]) for place in range(len(words) - size + 1)]
    counts = Counter(runs)
    covered = [False] * len(words)
    for place, run in enumerate(runs):
        if counts[run] > 1:
            covered[place : place + size] = [True] * size
    inside = sum(len(word) for word, repeated in zip(words, covered, strict=True) if repeated)
    return inside / page.characters if page.characters else 0.0


_MOST_FREQUENT = {2: 0.20, 3: 0.18, 4: 0.16}
_REPEATED_RUNS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}

#: Every rule by the column of its measure, Gopher's first.
RULES: dict[str, QualityRule] = {
    "gopher_words": QualityRule(_words, 50, at_least, "words with a letter or digit; Gopher: 50 or more"),
    "gopher_most_words": QualityRule(_words, 100_000, at_most, "the same; Gopher: 100,000 or fewer"),
    "gopher_word_length": QualityRule(_word_length, 3, at_least, "mean characters of a word; Gopher: 3"),
    "gopher_most_word_length": QualityRule(_word_length, 10, at_most, "the same; Gopher: 10 or fewer"),
    "gopher_hashes": QualityRule(
        lambda page: _signs(page, "#"), 0.1, at_most, "signs # a word; Gopher: 0.1 or fewer"
    ),
    "gopher_ellipses": QualityRule(
        lambda page: _signs(page, *_ELLIPSES), 0.1, at_most, "ellipses a word; Gopher: 0.1 or fewer"
    ),
    "gopher_bullets": QualityRule(
        lambda page: _share((line.startswith(_BULLETS) for line in page.lines), page.lines),
        0.9,
        at_most,
        "share of lines that begin with a bullet; Gopher: 0.9 or less",
    ),
    "gopher_line_ellipses": QualityRule(
        lambda page: _share((line.endswith(_ELLIPSES) for line in page.lines), page.lines),
        0.3,
        at_most,
        "share of lines that end with an ellipsis; Gopher: 0.3 or less",
    ),
    "gopher_alphabetic": QualityRule(
        _alphabetic, 0.8, at_least, "share of words with a letter; Gopher: 0.8 or more"
    ),
    "gopher_stop_words": QualityRule(
        _stop_words, 2, at_least, "how many of eight stop words occur; Gopher: 2 or more"
    ),
    "gopher_repeated_lines": QualityRule(
        lambda page: _repeated_share(page.lines), 0.3, at_most, "share of repeated lines; Gopher: 0.3 or less"
    ),
    "gopher_repeated_paragraphs": QualityRule(
        lambda page: _repeated_share(page.paragraphs),
        0.3,
        at_most,
        "share of repeated paragraphs; Gopher: 0.3 or less",
    ),
    "gopher_repeated_line_characters": QualityRule(
        lambda page: _repeated_characters(page.lines),
        0.2,
        at_most,
        "share of characters in repeated lines; Gopher: 0.2 or less",
    ),
    "gopher_repeated_paragraph_characters": QualityRule(
        lambda page: _repeated_characters(page.paragraphs),
        0.2,
        at_most,
        "share of characters in repeated paragraphs; Gopher: 0.2 or less",
    ),
    **{
        f"gopher_most_frequent_{size}": QualityRule(
            lambda page, size=size: _most_frequent(page, size),  # type: ignore[misc]
            bound,
            at_most,
            f"share of characters in the most frequent run of {size} words; Gopher: {bound} or less",
        )
        for size, bound in _MOST_FREQUENT.items()
    },
    **{
        f"gopher_repeated_{size}": QualityRule(
            lambda page, size=size: _in_repeated_runs(page, size),  # type: ignore[misc]
            bound,
            at_most,
            f"share of characters in repeated runs of {size} words; Gopher: {bound} or less",
        )
        for size, bound in _REPEATED_RUNS.items()
    },
    "fineweb_line_ends": QualityRule(
        lambda page: _share((line.endswith(_ENDS) for line in page.lines), page.lines),
        0.12,
        at_least,
        "share of lines that end with a sign of punctuation; FineWeb: more than 0.12",
    ),
    "fineweb_short_lines": QualityRule(
        lambda page: _share((len(line) < _SHORT_LINE for line in page.lines), page.lines),
        0.67,
        at_most,
        "share of lines with fewer than 30 characters; FineWeb: less than 0.67",
    ),
    "fineweb_repeated_line_characters": QualityRule(
        lambda page: _repeated_characters(page.lines),
        0.1,
        at_most,
        "share of characters in repeated lines; FineWeb: less than 0.1",
    ),
}

#: The published bounds, by the side that is kept.
AT_LEAST = {name: rule.bound for name, rule in RULES.items() if rule.keeps is at_least}
AT_MOST = {name: rule.bound for name, rule in RULES.items() if rule.keeps is at_most}


def measures(text: str) -> dict[str, float]:
    """Return the measure of every rule for a text, to 4 places."""
    page = PageText(text)
    return {name: round(rule.measure(page), 4) for name, rule in RULES.items()}
