"""The data of an article's page: references, paragraphs in the order of every ranker, lead, summaries.

Belongs here: turning rows into the page's data, cut to fit on a page; where an input in any order is cut, as
in wikisum/examples, and how much of the lead it covers. Not here: reading the datasets and choosing the
articles with a page (articles.py), making examples (ops/wikisum/examples.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from silverloom.assets.rows.reading import shortened
from silverloom.ops.core.outcome import Row
from silverloom.ops.rank.rankers import words
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum.examples import InputSet
from silverloom.ops.wikisum.learned_ranker import LEARNED, LearnedRanker
from silverloom.ops.wikisum.ranked import members, order_of
from silverloom.pages.sampling import fair
from silverloom.pages.systems.wikisum.scores import label

#: The most references and ranked paragraphs on a page, and characters of these paragraphs together.
MOST_REFERENCES = 200
MOST_PARAGRAPHS = 200
CHARACTERS = 150_000

#: The most dropped paragraphs shown per reason, and queries per reference.
MOST_DROPPED, MOST_HITS = 20, 5
_BY_LEAD = (
    "ordered here by the lead's bigrams; a set of whole articles is ordered by those of the whole article"
)
LONGEST_LINE, LONGEST_SUMMARY = 300, 6_000
_DIGITS = 5

#: The most words of a lead on a page.
MOST_WORDS = 2_000

#: Signs for the words of a lead: not in the input, in the input, in the input as part of a shared bigram.
NOWHERE, WORD, BIGRAM = "0", "1", "2"
_WORD = re.compile(r"([^\W_]+)")


@dataclass(frozen=True)
class Makers:
    """The sets, tokenizer and trained ranker that inputs are made with."""

    sets: Mapping[str, InputSet]
    pieces: Tokenizer | None
    """None if wikisum/tokenizer is not made; then no input is cut."""
    learned: LearnedRanker | None


@dataclass(frozen=True)
class ArticleRows:
    """The rows of all datasets about one article."""

    ranked: Row
    candidates: Sequence[Row]
    """Kept rows of wikisum/references."""
    taken: Mapping[str, Row]
    """Kept rows of wikisum/corpus, by page."""
    left_out: Mapping[str, Row]
    """Dropped rows of wikisum/corpus, by page."""
    examples: Sequence[Row]
    no_example: str | None
    """Why the article has no example; None if it has one or the reason is unknown."""
    summaries: Sequence[Row]
    cells: Sequence[Row]
    """Rows of wikisum/grid."""


def references(article: ArticleRows) -> list[dict[str, Any]]:
    """Return the candidates that the page lists, in order, with their outcomes."""
    lost = [row for row in article.candidates if row["page_id"] in article.left_out]
    remaining = [row for row in article.candidates if row["page_id"] not in article.left_out]
    lost = lost[: max(MOST_REFERENCES // 2, MOST_REFERENCES - len(remaining))]
    shown = sorted([*lost, *remaining[: MOST_REFERENCES - len(lost)]], key=lambda row: int(row["position"]))
    paragraphs, filtered = (
        Counter(row["page_id"] for row in article.ranked[name]) for name in ("paragraphs", "filtered")
    )
    numbers = {row["page_id"]: row["position"] + 1 for row in article.candidates}
    return [
        {
            "id": row["id"],
            "number": row["position"] + 1,
            "title": shortened(row["title"] or row["address"], LONGEST_LINE),
            "address": shortened(row["address"], LONGEST_LINE),
            "cited": row["cited"],
            "hits": row["hits"][:MOST_HITS],
            "all_hits": len(row["hits"]),
            "words": row["words"],
            "recall": row["clone_recall"],
            "paragraphs": paragraphs[row["page_id"]],
            "filtered": filtered[row["page_id"]],
            **_fate(row, article, numbers),
        }
        for row in shown
    ]


def dropped(article: ArticleRows) -> list[dict[str, Any]]:
    """Return the reasons for dropped paragraphs, most frequent first, each with some paragraphs."""
    numbers = {row["page_id"]: row["position"] + 1 for row in article.candidates}
    counts = Counter(row["reason"] for row in article.ranked["filtered"])
    return [
        {
            "reason": reason,
            "paragraphs": count,
            "some": [
                (numbers.get(row["page_id"]), shortened(row["text"], LONGEST_LINE))
                for row in article.ranked["filtered"]
                if row["reason"] == reason
            ][:MOST_DROPPED],
        }
        for reason, count in sorted(counts.items(), key=lambda count: (-count[1], count[0]))
    ]


def summaries(article: ArticleRows) -> list[Row]:
    """Return the models' summaries, by set and model."""
    return [_shown(row) for row in sorted(article.summaries, key=lambda row: (row["set"], row["model"]))]


def cells(article: ArticleRows) -> list[Row]:
    """Return the summaries of the grid's models, by label."""
    labelled = (
        {**_shown(row), "label": label(row["architecture"], row["length"], row["ranker"], row["corpus"])}
        for row in article.cells
    )
    return sorted(labelled, key=lambda row: str(row["label"]))


def page_data(article: ArticleRows, makers: Makers) -> dict[str, Any]:
    """Return the data of the page's script as JSON values: the lead, the paragraphs and their orders.

    Each of `rankings` has the score and the rank (from 0) of every entry of `paragraphs`; both are None if
    the paragraph is not in its corpus. `inputs` has for each set, by ranker, where it is cut and how much of
    the lead it covers.
    """
    row = article.ranked
    paragraphs = row["paragraphs"]
    rankings = list(_rankings(row, makers))
    orders = {(corpus, ranker): order_of(scores) for corpus, ranker, scores, _ in rankings}
    ranks = {key: {index: rank for rank, index in enumerate(order)} for key, order in orders.items()}
    first = [min(of.get(index, len(paragraphs)) for of in ranks.values()) for index in range(len(paragraphs))]
    held = sorted(sorted(range(len(paragraphs)), key=lambda index: (first[index], index))[:MOST_PARAGRAPHS])
    shares = fair([len(paragraphs[index]["text"]) for index in held], CHARACTERS)
    numbers = {candidate["page_id"]: candidate["position"] + 1 for candidate in article.candidates}
    lead = Lead(row["lead"])
    return {
        "lead": {"pieces": lead.pieces, "words": lead.words},
        "paragraphs": [
            {
                "reference": numbers.get(paragraphs[index]["page_id"]),
                "position": paragraphs[index]["position"],
                "text": paragraphs[index]["text"][:share],
                "length": len(paragraphs[index]["text"]),
            }
            for index, share in zip(held, shares, strict=True)
        ],
        "rankings": [
            {
                "corpus": corpus,
                "ranker": ranker,
                "note": note,
                "size": len(orders[corpus, ranker]),
                "scores": [_rounded(scores[index]) for index in held],
                "ranks": [ranks[corpus, ranker].get(index) for index in held],
            }
            for corpus, ranker, scores, note in rankings
        ],
        "inputs": _inputs(article, makers, orders, lead),
    }


class Cut(NamedTuple):
    """The end of an input."""

    paragraphs: int
    """How many paragraphs the input has; the last one may be cut."""
    characters: int | None
    """How many characters of the last paragraph are in the input; None if all are, or it has no paragraph."""


class Lead:
    """A lead to search for in inputs. Its words are those of the bigrams that equation 1 counts."""

    def __init__(self, text: str):
        self._words = words(text)
        self._pairs = set(pairwise(self._words))
        self.pieces = _WORD.split(text)[: 2 * MOST_WORDS + 1]
        """Alternately the text between words and a word."""

    @property
    def words(self) -> int:
        """The number of all words, including those that are not on the page."""
        return len(self._words)

    def marks(self, input_words: Sequence[str]) -> str:
        """Return a sign for each word on the page: whether it is among the words of an input."""
        there, pairs = set(input_words), self._pairs & set(pairwise(input_words))
        in_pairs = [pair in pairs for pair in pairwise(self._words)]
        around = zip([False, *in_pairs], [*in_pairs, False], strict=True)
        marks = (
            BIGRAM if any(pair) else WORD if word in there else NOWHERE
            for word, pair in zip(self._words, around, strict=False)
        )  # fmt: skip
        return "".join(marks)[:MOST_WORDS]

    def recall(self, input_words: Sequence[str]) -> float:
        """Return the share of the lead's distinct bigrams that are among the words of an input."""
        return len(self._pairs & set(pairwise(input_words))) / max(len(self._pairs), 1)


class Paragraphs:
    """The paragraphs of one article, each tokenized only once, whatever the number of orders."""

    def __init__(self, title: str, texts: Sequence[str], pieces: Tokenizer):
        self._texts, self._pieces = texts, pieces
        # the title is followed by its end token
        self._title = len(pieces.encode(normalised(title), add_special_tokens=False).ids) + 1
        self._ends: dict[int, list[int]] = {}
        self._words: dict[int, list[str]] = {}

    def cut(self, order: Sequence[int], most: int) -> Cut:
        """Return where the input in some order ends, given its most sub-words, title included."""
        left = most - self._title
        for place, index in enumerate(order):
            if left <= 0:
                return Cut(place, None)
            ends = self._sub_words(index)
            if len(ends) > left:
                return Cut(place + 1, ends[left - 1])
            left -= len(ends)
        return Cut(len(order), None)

    def words(self, order: Sequence[int], cut: Cut) -> list[str]:
        """Return the words of an input, without those of the title."""
        input_words = [word for index in order[: cut.paragraphs] for word in self._divided(index)]
        if cut.characters is None:
            return input_words
        last = order[cut.paragraphs - 1]
        whole = len(input_words) - len(self._divided(last))
        return [*input_words[:whole], *words(self._texts[last][: cut.characters])]

    def _sub_words(self, index: int) -> list[int]:
        """Return the end offset, in characters, of each sub-word of a paragraph."""
        if index not in self._ends:
            encoding = self._pieces.encode(self._texts[index], add_special_tokens=False)
            self._ends[index] = [end for _, end in encoding.offsets]
        return self._ends[index]

    def _divided(self, index: int) -> list[str]:
        if index not in self._words:
            self._words[index] = words(self._texts[index])
        return self._words[index]


def _fate(row: Row, article: ArticleRows, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return why a candidate is no reference or not counted as a search result, and which page it repeats."""
    left_out, taken = article.left_out.get(row["page_id"]), article.taken.get(row["page_id"])
    reason = left_out["reason"] if left_out else None
    repeated = (left_out or {}).get("detail") or ""
    return {
        "reason": reason,
        "score": left_out["score"] if left_out else None,
        "repeats": numbers.get(repeated.removeprefix("as ")),
        "only_cited": bool(taken and row["hits"] and not taken["searched"]),
    }


def _shown(row: Row) -> Row:
    return {
        **row,
        "text": shortened(row["prediction"], LONGEST_SUMMARY),
        "characters": len(row["prediction"]),
        "log_perplexity": row["nats"] / row["tokens"],
    }


def _rankings(row: Row, makers: Makers) -> Iterator[tuple[str, str, Sequence[float | None], str]]:
    """Yield corpus, ranker, scores and note of each ranking; those of the trained ranker come last."""
    by_article = any((of.ranker, of.target) == ("cheating", "article") for of in makers.sets.values())
    for ranking in row["rankings"]:
        note = _BY_LEAD if by_article and ranking["ranker"] == "cheating" else ranking["note"]
        yield ranking["corpus"], ranking["ranker"], ranking["scores"], note
    if makers.learned is None:
        return
    for corpus in dict.fromkeys(ranking["corpus"] for ranking in row["rankings"]):
        places = members(row["paragraphs"], corpus)
        values = makers.learned.scores(row["title"], [row["paragraphs"][place] for place in places])
        scores: list[float | None] = [None] * len(row["paragraphs"])
        for place, value in zip(places, values, strict=True):
            scores[place] = value
        yield corpus, LEARNED, scores, ""


def _inputs(
    article: ArticleRows, makers: Makers, orders: Mapping[tuple[str, str], Sequence[int]], lead: Lead
) -> list[dict[str, Any]]:
    """Return an input for each set, or for each corpus if there are no sets or no tokenizer."""
    examples = {row["set"]: row["id"] for row in article.examples}
    rankers = {corpus: [ranker for of, ranker in orders if of == corpus] for corpus, _ in orders}
    # A set of sections has an input for each: those are in the rows.
    sets = {name: content for name, content in makers.sets.items() if content.target != "section"}
    if makers.pieces is None or not sets:
        return [{"set": None, "corpus": corpus, "ranker": of[0]} for corpus, of in rankers.items()]
    texts = [paragraph["text"] for paragraph in article.ranked["paragraphs"]]
    paragraphs = Paragraphs(article.ranked["title"], texts, makers.pieces)
    inputs = []
    for name, content in sets.items():
        cuts = {}
        for ranker in rankers.get(content.corpus, ()):
            order = orders[content.corpus, ranker] if content.references else ()
            cut = paragraphs.cut(order, content.tokens)
            there = paragraphs.words(order, cut)
            cuts[ranker] = {
                "paragraphs": cut.paragraphs,
                "characters": cut.characters
                and _in_script(texts[order[cut.paragraphs - 1]][: cut.characters]),
                "words": len(there),
                "marks": lead.marks(there),
                "recall": round(lead.recall(there), _DIGITS),
            }
        inputs.append({"set": name, **content.model_dump(), "example": examples.get(name), "cuts": cuts})
    return inputs


def _in_script(text: str) -> int:
    """Return the length of a text in JavaScript's units, UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _rounded(score: float | None) -> float | None:
    return None if score is None else float(f"{score:.{_DIGITS}g}")
