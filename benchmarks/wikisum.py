"""WikiSum's clone detection and rankers, against naive versions of the same formulas.

Run: python benchmarks/wikisum.py [--articles N] [--references N] [--dense N] [--only NAME ...]. Texts are
random, with a seed, and follow Zipf's law. All versions get the same texts and must give equal results.
"Lean" is also plain Python, but written for speed: no text is tokenized twice, and only needed words are
counted. Seconds are processor time; peak memory is that of a separate process. --dense sets how many
references or paragraphs the naive versions are timed on. With --peer PYTHON, the Python of an environment
with sumy (pip install sumy numpy), sumy's TextRank also runs. Its formula differs: words that two paragraphs
share count as often as they occur. --paragraphs sets how many paragraphs it ranks; 2,000 take it minutes.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import operator
import random
import re
import resource
import string
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.stats import spearmanr

from silverloom.ops.rank.rankers import content_words
from silverloom.ops.wikisum import clone_recall, clone_recalls, rank
from silverloom.ops.wikisum.references import ReferenceParams

Value = TypeVar("Value")

#: Paragraphs per second that WikiSum's released code ranks, on two cores of the same kind.
RELEASED = 16_400
#: The default shingle size of clone detection, in words.
SHINGLE = ReferenceParams().shingle_words
#: The paper's longest references of one article (Table 2).
MOST_WORDS = 6_159_463


class Prose:
    """Random texts."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  not for security
        self.words = ["".join(self._random.choices("etaoinshrdlu", k=size)) for size in _sizes(self._random)]
        self._weights = [1 / (rank + 1) for rank in range(len(self.words))]

    def text(self, least: int, most: int) -> str:
        """Return a text with `least` to `most` words."""
        drawn = self._random.choices(self.words, self._weights, k=self._random.randint(least, most))
        return f"{' '.join(drawn).capitalize()}."

    def texts(self, many: int, least: int, most: int) -> list[str]:
        """Return texts; only every tenth is new, which makes no version faster."""
        drawn = [self.text(least, most) for _ in range(max(many // 10, 1))]
        return [f"{drawn[index % len(drawn)]} {index}" for index in range(many)]


def _sizes(drawing: random.Random) -> list[int]:
    return [drawing.randint(2, 9) for _ in range(50_000)]


def distinct(text: str) -> set[str]:
    """Return the words that unigram recall counts."""
    return set(re.findall(r"[^\W_]+", text.lower()))


def obvious_recall(reference: str, sections: Sequence[str]) -> float:
    """Compute the formula of A.2.1 literally."""
    words = distinct(reference)
    return max(len(words & (wanted := distinct(section))) / len(wanted) for section in sections)


def lean_recalls(references: Sequence[str], sections: Sequence[str]) -> list[float]:
    """Compute the same for many references, tokenizing every text once."""
    wanted = [distinct(section) for section in sections]
    return [max(len(words & of) / len(of) for of in wanted) for words in map(distinct, references)]


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+", text.lower())
    return set(zip(*(words[first:] for first in range(SHINGLE)), strict=False))


def shingle_recalls(references: Sequence[str], sections: Sequence[str]) -> list[float]:
    """Compute the recall of word shingles, tokenizing every text once."""
    wanted = [of for section in sections if (of := _shingles(section))]
    return [max(len(runs & of) / len(of) for of in wanted) for runs in map(_shingles, references)]


_SIGNS = re.compile(f"([{re.escape(string.punctuation)}])")


def _tokens(text: str) -> list[str]:
    return _SIGNS.sub(r" \1 ", text.lower()).split()


def _query(title: str) -> list[str]:
    return sorted({word for word in _tokens(title) if re.search("[a-z0-9]", word)})


def obvious_tf_idf(title: str, paragraphs: Sequence[str]) -> list[float]:
    """Compute the formula of section 4.1, counting every word and every word's paragraphs."""
    query, counts = _query(title), [Counter(_tokens(paragraph)) for paragraph in paragraphs]
    having = Counter(word for words in counts for word in words)
    return [
        sum(words[word] * math.log(len(paragraphs) / max(having[word], 1)) for word in query)
        for words in counts
    ]


def lean_tf_idf(title: str, paragraphs: Sequence[str]) -> list[float]:
    """Compute the same, counting only the title's words."""
    query = _query(title)
    counts = [[words.count(word) for word in query] for words in map(_tokens, paragraphs)]
    having = [sum(map(bool, column)) for column in zip(*counts, strict=True)]
    weights = [math.log(len(paragraphs) / max(count, 1)) for count in having]
    return [sum(map(operator.mul, row, weights)) for row in counts]


def dense_text_rank(paragraphs: Sequence[str]) -> list[float]:
    """Compute TextRank with a matrix of all pairs."""
    units = [content_words(paragraph) for paragraph in paragraphs]
    sets = [set(unit) for unit in units]
    weights = np.zeros((len(units), len(units)))
    for one in range(len(units)):
        for other in range(one):
            below = math.log(len(units[one]) or 1) + math.log(len(units[other]) or 1)
            if below:
                shared = len(sets[one] & sets[other])
                weights[one, other] = weights[other, one] = shared / below
    degrees = weights.sum(axis=1)
    scores = np.ones(len(units))
    while True:
        shares = np.divide(scores, degrees, out=np.zeros(len(units)), where=degrees > 0)
        following = 0.15 + 0.85 * weights @ shares
        if np.abs(following - scores).max() < 1e-9:
            return following.tolist()
        scores = following


def timed(work: Callable[[], Value]) -> tuple[Value, float]:
    """Return the result of some work, and its seconds."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


def quickest(work: Callable[[], Value], rounds: int = 5) -> tuple[Value, float]:
    """Return the result of some work, and its best time in seconds."""
    return min((timed(work) for _ in range(rounds)), key=lambda pair: pair[1])


def clones(prose: Prose, articles: int, references: int, dense: int) -> None:
    """Time clone detection."""
    pool = prose.texts(5_000, 100, 900)
    drawing = random.Random(1)  # noqa: S311
    fast = slow = lean = by_shingles = sets = 0.0
    compared = 0
    clone_recall("warm", ["up"], shingle=2)
    for _ in range(articles):
        sections = [prose.text(20, 400) for _ in range(drawing.randint(2, 10))]
        candidates = drawing.sample(pool, references)
        found, seconds = timed(lambda: clone_recalls(candidates, sections))  # noqa: B023
        fast += seconds
        of_shingles, seconds = timed(lambda: clone_recalls(candidates, sections, SHINGLE))  # noqa: B023
        by_shingles += seconds
        if compared < dense:
            expected, seconds = timed(lambda: shingle_recalls(candidates, sections))  # noqa: B023
            sets += seconds
            assert of_shingles.tolist() == expected
            expected, seconds = timed(lambda: [obvious_recall(text, sections) for text in candidates])  # noqa: B023
            slow += seconds
            same, seconds = timed(lambda: lean_recalls(candidates, sections))  # noqa: B023
            lean += seconds
            assert found.tolist() == expected == same
            compared += references
    print(f"clone recall, {articles:,} articles x {references} references: {fast:.1f} s")
    many = articles * references
    _told("per reference", fast / many, slow / compared, lean / compared, compared)
    print(
        f"  by runs of {SHINGLE} words: {by_shingles / many * 1e6:.2f} us, lean {sets / compared * 1e6:.1f} "
        f"(equal); ratio {sets / compared * many / by_shingles:.1f}"
    )


def _told(unit: str, each: float, obvious: float, lean: float, compared: int) -> None:
    print(
        f"  {each * 1e6:.2f} us {unit}, naive {obvious * 1e6:.1f}, lean {lean * 1e6:.1f} "
        f"({compared:,} timed, equal); ratio {obvious / each:.1f}, to lean code {lean / each:.1f}"
    )


def tf_idf(prose: Prose, articles: int, references: int, dense: int) -> None:
    """Time tf-idf article by article, and on one article with 100,000 paragraphs."""
    for paragraphs in (1, 8):
        _tf_idf_of_articles(prose, articles, references, paragraphs, dense)
    _tf_idf_of_one(prose)


def _tf_idf_of_articles(prose: Prose, articles: int, references: int, paragraphs: int, dense: int) -> None:
    pool = prose.texts(5_000, 10, 110)
    drawing = random.Random(1)  # noqa: S311
    title = " ".join(prose.words[5:8])
    rank(title, pool[:9], "tf_idf")
    fast = slow = lean = 0.0
    compared = 0
    for _ in range(articles):
        texts = drawing.choices(pool, k=references * paragraphs)
        found, seconds = quickest(lambda: rank(title, texts, "tf_idf"))  # noqa: B023
        fast += seconds
        if compared < dense:
            expected, seconds = quickest(lambda: obvious_tf_idf(title, texts))  # noqa: B023
            slow += seconds
            same, seconds = quickest(lambda: lean_tf_idf(title, texts))  # noqa: B023
            lean += seconds
            assert np.allclose(found.scores, expected, rtol=1e-12) and np.allclose(expected, same, rtol=1e-12)
            compared += len(texts)
    print(f"tf-idf, {articles:,} articles x {references} references of {paragraphs} paragraphs: {fast:.2f} s")
    many = articles * references * paragraphs
    _told("per paragraph", fast / many, slow / compared, lean / compared, compared)


def _tf_idf_of_one(prose: Prose) -> None:
    paragraphs = prose.texts(100_000, 10, 110)
    title = " ".join(prose.words[5:8])
    rank(title, paragraphs[:9], "tf_idf")
    _, seconds = quickest(lambda: rank(title, paragraphs, "tf_idf"))
    part = paragraphs[:20_000]
    expected, obvious = quickest(lambda: obvious_tf_idf(title, part), 3)
    assert np.allclose(rank(title, part, "tf_idf").scores, expected, rtol=1e-12)
    speed, plain = len(paragraphs) / seconds, len(part) / obvious
    print(f"tf-idf, one article: {speed:,.0f} paragraphs per second (best of 5), naive {plain:,.0f}, equal")
    print(f"  ratio {speed / plain:.1f}; {speed / RELEASED:.1f} times the released code's {RELEASED:,}")


#: Reads paragraphs as lists of words and writes, as JSON, the processor seconds and sumy's scores.
SUMY = """
import json, sys, time
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.text_rank import TextRankSummarizer
class Spaces:
    def to_words(self, text): return tuple(text.split())
units = [Sentence(" ".join(words), Spaces()) for words in json.load(sys.stdin)]
document = ObjectDocumentModel([Paragraph([unit]) for unit in units])
begun = time.process_time()
scores = TextRankSummarizer().rate_sentences(document)
print(json.dumps([time.process_time() - begun, [scores[unit] for unit in units]]))
"""


def text_rank(prose: Prose, peer: str | None, many: int) -> None:
    """Time TextRank on 2,000 paragraphs."""
    paragraphs = prose.texts(2_000, 10, 110)
    found, seconds = timed(lambda: rank("t", paragraphs, "text_rank"))
    expected, dense = timed(lambda: dense_text_rank(paragraphs))
    assert np.allclose(found.scores, expected, atol=2e-6)
    print(
        f"TextRank on 2,000 paragraphs: {seconds:.2f} s, dense {dense:.1f} s, equal; "
        f"ratio {dense / seconds:.0f}"
    )
    if peer:
        few = paragraphs[:many]
        found, seconds = timed(lambda: rank("t", few, "text_rank"))
        given = json.dumps([content_words(paragraph) for paragraph in few])
        answer = subprocess.run([peer, "-c", SUMY], input=given, capture_output=True, text=True, check=True)
        taken, scores = json.loads(answer.stdout)
        agree = float(spearmanr(found.scores, scores).statistic)
        print(f"  {len(few)} paragraphs: {seconds:.3f} s, sumy {taken:.1f} s, ratio {taken / seconds:.0f}")
        print(f"  rank correlation of the two scores (Spearman) {agree:.3f}")


def _largest(method: str, results: Any) -> None:
    prose = Prose(0)
    paragraphs = prose.texts(MOST_WORDS // 60, 10, 110)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    _, seconds = timed(lambda: rank(" ".join(prose.words[5:8]), paragraphs, method, paragraphs[0]))  # type: ignore[arg-type]
    wall = time.perf_counter() - began
    words = sum(len(paragraph.split()) for paragraph in paragraphs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    results.put((words, seconds, wall, before / 1024, peak / 1024))


def largest() -> None:
    """Rank as many words as the paper's largest article has, each method in its own process."""
    spawn = multiprocessing.get_context("spawn")
    for method in ("identity", "tf_idf", "cheating"):
        results = spawn.Queue()
        process = spawn.Process(target=_largest, args=(method, results))
        process.start()
        words, seconds, wall, before, peak = results.get()
        process.join()
        print(
            f"{words:,} words by {method}: {seconds:.1f} s of processor time, {wall:.1f} s wall time, "
            f"peak {peak:,.0f} MiB ({before:,.0f} MiB before, texts included)"
        )


def main() -> None:
    """Print every comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=1_000)
    parser.add_argument("--references", type=int, default=100)
    parser.add_argument("--dense", type=int, default=5_000)
    parser.add_argument("--peer", help="Python of an environment with sumy")
    parser.add_argument("--paragraphs", type=int, default=200, help="paragraphs in the comparison with sumy")
    parts = {
        "clones": lambda: clones(Prose(0), given.articles, given.references, given.dense),
        "tf_idf": lambda: tf_idf(Prose(0), given.articles, given.references, given.dense),
        "text_rank": lambda: text_rank(Prose(0), given.peer, given.paragraphs),
        "largest": largest,
    }
    parser.add_argument("--only", nargs="+", choices=parts, default=[*parts])
    given = parser.parse_args()
    for name in given.only:
        parts[name]()


if __name__ == "__main__":
    main()
