"""Search in crawled pages: BM25 over their texts, with tantivy.

Belongs here: the index, its folder and results. Not here: search by HTTP (search.py), paragraphs, language
and boilerplate (ops/parse/web.py).

The index is built on disk with limited memory, and memory-mapped. Tantivy finds candidates; this module
computes exact scores. Tantivy rounds document lengths down (to one byte), has another `k1`, and adds in
single precision by segment, so that its scores may depend on the order of pages. But they are upper bounds of
the exact scores: `tf / (tf + k1 (1 - b + b length / average))` grows as `k1` and `length` fall, and tantivy
has 1.2 for 1.5 and never a greater length. So candidates are scored in tantivy's order until the worst of the
best k exceeds the bounds of all later ones. The result equals that of scoring every page; ties go by URL.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from silverloom.ops.core.database import database
from silverloom.ops.crawl.search import Hit
from silverloom.ops.text.words import visible

if TYPE_CHECKING:
    import tantivy

#: BM25 parameters, in the variant of Lucene's paper (Kamphuis et al. 2020).
_K1, _B = 1.5, 0.75
#: Tantivy multiplies its scores by k1 + 1, with its own k1.
_FACTOR = 2.2
#: Tolerances for single precision: relative for the sum, absolute for each word's rarity.
_RELATIVE, _ABSOLUTE = 1e-5, 1e-6

#: Memory for words that are not on disk yet, for both writer threads together.
HEAP, THREADS = 128_000_000, 2
#: Candidates requested first; each further request asks for four times as many.
FIRST, _MORE = 64, 4
_BATCH = 256

_STATISTICS = "statistics.json"
_WORD = re.compile(r"(?u)\b\w\w+\b")
#: Lucene's stop words.
STOP_WORDS = frozenset(
    _WORD.findall(
        "an and are as at be but by for if in into is it no not of on or such that the their then there "
        "these they this to was will with"
    )
)
#: Longer words are hashed: tantivy drops words over some 65,000 bytes, and would then count fewer.
_LONGEST = 1000


class LocalIndex:
    """Pages by URL, in a folder. The same pages give the same results, in whatever order they were added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, pages: Iterable[tuple[str, str]], folder: Path) -> LocalIndex:
        """Write the index of pages, given as URL and text; if a URL occurs twice, the last one wins."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as scratch, database(Path(scratch) / "pages") as tables:
            tables.execute("CREATE TABLE pages (place BIGINT, url VARCHAR, text VARCHAR)")
            first, waiting = 0, iter(pages)
            while batch := list(islice(waiting, _BATCH)):
                urls, texts = zip(*batch, strict=True)
                places = range(first, first + len(batch))
                first += len(batch)
                given = pa.table({"place": pa.array(places), "url": urls, "text": texts})
                tables.register("given", given)
                tables.execute("INSERT INTO pages SELECT place, url, text FROM given")
                tables.unregister("given")
            last = tables.sql(
                "SELECT url, text FROM pages JOIN (SELECT max(place) AS place FROM pages GROUP BY url) "
                "USING (place)"
            )
            return cls.of_distinct(
                (
                    (row["url"], row["text"])
                    for rows in last.to_arrow_reader(_BATCH)
                    for row in rows.to_pylist()
                ),
                folder,
            )

    @classmethod
    def of_distinct(cls, pages: Iterable[tuple[str, str]], folder: Path) -> LocalIndex:
        """Write the index of pages (distinct URLs, with text) to a folder, which is created."""
        import tantivy

        folder.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(_schema(), path=str(folder), reuse=False)
        writer = index.writer(HEAP, THREADS)
        count = total = 0
        for url, text in pages:
            words = _words(text)
            document = tantivy.Document(url=url, text=" ".join(words))
            document.add_unsigned("words", len(words))
            writer.add_document(document)
            count, total = count + 1, total + len(words)
        writer.commit()
        writer.wait_merging_threads()
        (folder / _STATISTICS).write_text(json.dumps({"pages": count, "words": total}))
        return cls.load(folder)

    @classmethod
    def load(cls, folder: Path) -> LocalIndex:
        """Return the index in a folder, memory-mapped. Raises FileNotFoundError if it does not exist."""
        if not (folder / _STATISTICS).is_file():
            raise FileNotFoundError(f"{folder} holds no index of pages")
        return cls(folder)

    def __reduce__(self) -> tuple[type[LocalIndex], tuple[Path]]:
        """Pickle only the path."""
        return LocalIndex, (self._folder,)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return up to `k` pages that share a word with the query; ties go by URL."""
        words = [(word, rarity) for word in _words(query) if (rarity := self.rarity(word)) > 0]
        if not words or k < 1:
            return []
        scores = self.scores(words, k)
        least = sorted((score for score, _ in scores), reverse=True)[:k][-1]
        best = sorted((-score, self._url(address)) for score, address in scores if score >= least)[:k]
        return [Hit(url, rank, -score) for rank, (score, url) in enumerate(best, start=1)]

    def scores(self, words: Sequence[tuple[str, float]], k: int) -> list[tuple[float, tantivy.DocAddress]]:
        """Return the scores of some pages, including all that may be among the best k."""
        import tantivy

        terms = {word: tantivy.Query.term_query(self._index.schema, "text", word) for word, _ in words}
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, terms[word]) for word, _ in words])
        scored: list[tuple[float, tantivy.DocAddress]] = []
        best: list[float] = []
        limit = max(FIRST, 4 * k)
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            fresh = hits[len(scored) :]
            addresses = [address for _, address in fresh]
            lengths = self._searcher.fast_field_values("words", addresses)
            for (score, address), length in zip(fresh, lengths, strict=True):
                bound = score / _FACTOR * (1 + _RELATIVE) + len(words) * _ABSOLUTE
                if len(best) == k and best[-1] > bound:
                    return scored
                exact = self._score(words, terms, address, int(length or 0))
                scored.append((exact, address))
                best = sorted([*best, exact], reverse=True)[:k]
            if len(hits) < limit:
                return scored
            limit *= _MORE

    def _score(
        self,
        words: Sequence[tuple[str, float]],
        terms: dict[str, tantivy.Query],
        address: tantivy.DocAddress,
        length: int,
    ) -> float:
        """Return the score of a page, in single precision and summed in the order of the query's words.

        Existing datasets have scores computed in exactly this way.
        """
        norm = _K1 * (1 - _B + _B * length / self._average)
        score = np.float32(0)
        for word, rarity in words:
            if times := self._times(terms[word], address):
                score += np.float32(rarity * (times / (norm + times)))
        return float(score)

    def _times(self, term: tantivy.Query, address: tantivy.DocAddress) -> float:
        """Return the number of times that a word occurs in a page."""
        try:
            told: dict[str, Any] = json.loads(term.explain(self._searcher, address).to_json())
        except ValueError:  # the word does not occur
            return 0
        [frequency] = [part for part in told["details"] if part["description"].startswith("freq /")]
        return float(frequency["details"][0]["value"])

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a word; 0 if it occurs in no page."""
        pages = self._searcher.doc_freq("text", word)
        if not pages:
            return 0
        return float(np.float32(math.log(1 + (self._statistics["pages"] - pages + 0.5) / (pages + 0.5))))

    def _url(self, address: tantivy.DocAddress) -> str:
        [url] = self._searcher.doc(address)["url"]
        return str(url)

    @property
    def _average(self) -> float:
        return self._statistics["words"] / self._statistics["pages"]

    @cached_property
    def _statistics(self) -> dict[str, int]:
        statistics: dict[str, int] = json.loads((self._folder / _STATISTICS).read_text())
        return statistics

    @cached_property
    def _index(self) -> tantivy.Index:
        import tantivy  # late: not every command searches

        index = tantivy.Index.open(str(self._folder))
        index.config_reader("manual")  # the index never changes, so no thread needs to watch it
        return index

    @cached_property
    def _searcher(self) -> tantivy.Searcher:
        return self._index.searcher()


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("words", fast=True)
    return builder.build()


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, without stop words, split as by bm25s and scikit-learn."""
    return [
        word if len(word) <= _LONGEST else sha256(word.encode()).hexdigest()
        for word in _WORD.findall(visible(text).lower())
        if word not in STOP_WORDS
    ]
