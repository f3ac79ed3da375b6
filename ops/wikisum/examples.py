"""Inputs and targets of a summariser.

Belongs here: which set takes what, cutting to sub-words, the articles that are none. Not here: rankings
(ranked.py, learned.py), sub-words (tokenizer.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import pyarrow as pa
from pydantic import Field

from ops.core.splits import split_of
from ops.identity import row_id
from ops.outcome import Outcome, Outcomes, Row, drop
from ops.params import Params
from ops.parts import Artifact, Parts
from ops.text.word_numbers import normalised
from ops.thresholds import at_least, scored
from ops.wikisum import learned_ranker as learning
from ops.wikisum import tokenizer as sub_words
from ops.wikisum.corpus import CorpusName
from ops.wikisum.learned import LEARNED, LearnedRanker
from ops.wikisum.rank import Method
from ops.wikisum.ranked import members, order_of
from ops.wikisum.schemas import EXAMPLES
from ops.wikisum.splits import SplitParams

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class InputSet(Params):
    """What one set of examples is made of."""

    corpus: CorpusName = "combined"
    ranker: Method | Literal["learned"] = "tf_idf"
    target: Literal["lead", "article"] = "lead"
    tokens: int = Field(500, ge=1, description="sub-words of the source, its title included: L")
    references: bool = Field(True, description="false: the title alone is the source (Figure 7)")


class ExampleParams(Params, section="wikisum.examples"):
    """The sets of examples by name, and what an article must have."""

    sets: dict[str, InputSet] = Field(
        {
            "lead": InputSet(tokens=100),
            "lead_learned": InputSet(ranker="learned", tokens=100),
            "article": InputSet(target="article", tokens=200),
        },
        min_length=1,
        description="short ones, for small models; the paper: 500 and others, 6,000 of articles",
    )
    citations: int = Field(
        1, ge=0, description="an article with fewer crawled citations is dropped (section 3: at least one)"
    )


class _Source(NamedTuple):
    text: str
    tokens: list[int]
    paragraphs: int


def examples(
    ranked: Parts,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
) -> Outcomes:
    """Yield an example of every article for every set; the units are the articles.

    Reasons: `no_crawlable_citation`, `no_lead`, and `no_paragraph` where no set's corpus has one. A set whose
    corpus has no paragraph of an article is counted as `no_paragraph_in_corpus`. Raises LookupError for a set
    whose ranker or corpus wikisum.ranked does not have.
    """
    return ranked.map(examples_of, tokenizer, learned_ranker, splits, params)


def examples_of(
    ranked: pa.Table,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
) -> Outcome:
    """Return the examples of one part."""
    pieces = sub_words.load(tokenizer)
    ranker = learning.load(learned_ranker)
    units = ranked.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    lost: Counter[str] = Counter()
    for unit in units:
        if not at_least(unit["citations"], params.citations):
            dropped.append(drop(unit, "no_crawlable_citation", float(unit["citations"])))
        elif not unit["lead"]:
            dropped.append(drop(unit, "no_lead"))
        else:
            rows = [
                _row(unit, name, content, pieces, ranker, splits) for name, content in params.sets.items()
            ]
            found = [row for row in rows if row is not None]
            lost["no_paragraph_in_corpus"] += len(rows) - len(found)
            kept += found
            if not found:
                dropped.append(drop(unit, "no_paragraph", detail="in the corpora of the sets"))
    return Outcome.of(EXAMPLES, [unit["id"] for unit in units], kept, dropped, combinations=+lost)


def citations(ranked: Parts) -> Iterator[pa.Table]:
    """Yield the articles by what `params.citations` is asked of."""
    for part in ranked.parts:
        table = part.read(["id", "citations", "lead", "title"]).to_pylist()
        yield scored((row["id"], row["citations"] if row["lead"] else None, row["title"]) for row in table)


def articles_of(examples: pa.Table) -> int:
    """Return how many articles some examples are of."""
    return len(examples["article_id"].unique())


def _row(
    unit: Row,
    name: str,
    content: InputSet,
    pieces: Tokenizer,
    ranker: LearnedRanker | None,
    splits: SplitParams,
) -> Row | None:
    scores, note = _scores(unit, content, ranker)
    order = order_of(scores)
    if not order:
        return None
    source = _source(unit, order if content.references else (), content.tokens, pieces)
    target = sub_words.target_of(unit, content.target)
    return {
        "id": row_id("example", unit["id"], name),
        "source_ids": [unit["id"]],
        "licence": unit["licence"],
        "set": name,
        "split": split_of(unit["title"], splits),
        "article_id": unit["article_id"],
        "title": unit["title"],
        "month": unit["month"],
        "corpus": content.corpus,
        "ranker": content.ranker,
        "note": note or None,
        "target_kind": content.target,
        "source": source.text,
        "source_tokens": source.tokens,
        "used_paragraphs": source.paragraphs,
        "target": target,
        "target_tokens": _tokens(target, pieces),
    }


def _scores(unit: Row, content: InputSet, ranker: LearnedRanker | None) -> tuple[Sequence[float | None], str]:
    """Return the scores of the paragraphs of a set's corpus, missing for others, and a note."""
    if content.ranker != LEARNED:
        for ranking in unit["rankings"]:
            if (ranking["corpus"], ranking["ranker"]) == (content.corpus, content.ranker):
                return ranking["scores"], ranking["note"]
        raise LookupError(
            f"wikisum.examples.sets in params.yaml asks for {content.ranker} over {content.corpus}, which "
            "wikisum.ranked does not have"
        )
    places = members(unit["paragraphs"], content.corpus)
    paragraphs = [unit["paragraphs"][place] for place in places]
    values = ranker.scores(unit["title"], paragraphs) if ranker else [0.0] * len(places)
    scores: list[float | None] = [None] * len(unit["paragraphs"])
    for place, value in zip(places, values, strict=True):
        scores[place] = value
    return scores, "" if ranker else "nothing could be learnt: reference order"


def _source(unit: Row, order: Sequence[int], most: int, pieces: Tokenizer) -> _Source:
    """Return the title and the first paragraphs, cut at a number of sub-words, the title's included."""
    title = normalised(unit["title"])
    tokens = [*_tokens(title, pieces), sub_words.SPECIAL.index(sub_words.TITLE_END)]
    texts: list[str] = []
    for index in order:
        if len(tokens) >= most:
            break
        texts.append(unit["paragraphs"][index]["text"])
        tokens += _tokens(texts[-1], pieces)
    text = " ".join([title, sub_words.TITLE_END, *texts])
    if len(tokens) > most:
        tokens = tokens[:most]
        decoded = pieces.decode(tokens, skip_special_tokens=False).strip()
        text = decoded.replace(sub_words.TITLE_END, f" {sub_words.TITLE_END}", 1)
    return _Source(text, tokens, len(texts))


def _tokens(text: str, pieces: Tokenizer) -> list[int]:
    return list(pieces.encode(text, add_special_tokens=False).ids)
