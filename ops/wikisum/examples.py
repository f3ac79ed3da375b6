"""Inputs and targets of a summariser.

Belongs here: what each set contains, cutting to sub-words, which articles give no example. Not here: rankings
(ranked.py, learned_ranker.py), sub-words (tokenizer.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import split_of
from silverloom.ops.core.thresholds import at_least, scored
from silverloom.ops.filters.contamination import ContaminationParams
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.text.words import fold
from silverloom.ops.wikisum import tokenizer as sub_words
from silverloom.ops.wikisum.corpus import SEARCH, CorpusName
from silverloom.ops.wikisum.learned_ranker import LEARNED, LearnedRanker
from silverloom.ops.wikisum.learned_ranker import load as load_ranker
from silverloom.ops.wikisum.rank import Method, rank
from silverloom.ops.wikisum.ranked import members, order_of
from silverloom.ops.wikisum.schemas import EXAMPLES, SplitParams
from silverloom.ops.wikisum.targets import PARAGRAPH_END, Target, TargetKind, beginning, targets_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer


#: An article has no section behind its lead, so a set of sections has no example of it.
NO_SECTION = "no_section_for_set"

#: What a user can do about an article that is dropped because it has too few cited pages.
UNCITED = (
    "crawl what articles cite (sources.cited_pages, docs/how-to/crawl.md), or keep such articles with "
    "wikisum.examples.citations: 0: all that they are made from is then what the search found"
)


class InputSet(Params):
    """What one set of examples is made from."""

    corpus: CorpusName = "combined"
    """References whose paragraphs are read."""
    ranker: Method | Literal["learned"] = "tf_idf"
    """What orders the paragraphs."""
    target: TargetKind = Field(
        "lead",
        description="what the model writes; section: an example for each section behind the lead, from "
        "title, heading and references; outline: the headings of these sections",
    )
    tokens: int = Field(
        11_000,
        ge=1,
        description="sub-words of the source, its title included: L; of real leads, 500 hold a fifth of the"
        " words, 11,000 over half",
        json_schema_extra={"paper": "500 and others to 11,000 for leads, 6,000 for articles"},
    )
    references: bool = Field(True, description="false: the title alone is the source (Figure 7)")
    longest_target: int | None = Field(
        default_factory=lambda values: _longest_of_paper(**values),
        ge=1,
        description="sub-words of the target; section 5.3 and Figure 7: 2,192 of an article, 4,000 from its "
        "title alone; null, and of leads: what the model says",
    )
    longer_targets: Literal["left_out", "cut"] = Field(
        "left_out", description="the paper ignores longer examples; cut: their first sub-words are learnt"
    )


def _longest_of_paper(target: str = "lead", references: bool = True, **_: object) -> int | None:
    if target != "article":
        return None
    return 2192 if references else 4000


class ExampleParams(Params, section="wikisum.examples"):
    """The sets of examples by name, and what an article needs."""

    sets: dict[str, InputSet] = Field(
        {
            "lead": InputSet(),
            "lead_learned": InputSet(ranker="learned"),
            "article": InputSet(target="article", tokens=6000),
        },
        min_length=1,
        description="what is given replaces all of them",
    )
    citations: int = Field(
        1,
        ge=0,
        description="an article with fewer crawled citations is dropped (section 3)",
        json_schema_extra={"paper": "1"},
    )


class _NotTaken(NamedTuple):
    """Why an article gives no example for a set."""

    reason: str
    tokens: int = 0
    """The length of a target that is too long."""


class _Source(NamedTuple):
    text: str
    natural: str
    tokens: list[int]
    paragraphs: list[Row]
    """The paragraphs, with their places in the natural text."""


class CleanParams(ContaminationParams, section="filters.contamination.wikisum"):
    """How much an example may overlap with a test set."""


def examples(
    ranked: Parts,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
    in_every_set: bool = False,
) -> Outcomes:
    """Yield an example of every article for every set; the units are the articles.

    Drop reasons: `no_crawlable_citation`, `no_lead`; and for an article that gives no example to any set,
    `too_long` if its target is longer than a set allows, else `no_paragraph`, or `no_section` if it has none
    behind its lead. What only some sets skip is counted as `too_long_for_set`, `no_paragraph_in_corpus` and
    `no_section_for_set`; `in_every_set` drops such articles, too, as `not_in_every_set`. Raises LookupError
    for a set whose ranker or corpus is missing from wikisum.ranked.
    """
    pieces = Loaded(sub_words.load, (tokenizer,))
    ranker = Loaded(load_ranker, (learned_ranker,))
    return ranked.map(examples_of, pieces, ranker, splits, params, in_every_set)


def examples_of(
    ranked: pa.Table,
    pieces: Loaded[Tokenizer],
    ranker: Loaded[LearnedRanker | None],
    splits: SplitParams,
    params: ExampleParams,
    in_every_set: bool,
) -> Outcome:
    """Return the examples of one part."""
    units = ranked.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    lost: Counter[str] = Counter()
    for unit in units:
        if not at_least(unit["citations"], params.citations):
            dropped.append(drop(unit, "no_crawlable_citation", float(unit["citations"]), UNCITED))
        elif not unit["lead"]:
            dropped.append(drop(unit, "no_lead"))
        else:
            rows: list[Row] = []
            not_taken: list[tuple[str, _NotTaken]] = []
            for name, content in params.sets.items():
                for row in _rows(unit, name, content, pieces.model, ranker.model, splits):
                    if isinstance(row, _NotTaken):
                        not_taken.append((name, row))
                    else:
                        rows.append(row)
            missing = [name for name, _ in not_taken]
            lost.update(reason.reason for _, reason in not_taken)
            if rows and missing and in_every_set:
                dropped.append(drop(unit, "not_in_every_set", float(len(missing)), ", ".join(missing)))
            else:
                kept += rows
            if not rows:
                longest = max(reason.tokens for _, reason in not_taken)
                if longest:
                    dropped.append(drop(unit, "too_long", float(longest), "sub-words of the target"))
                elif all(reason.reason == NO_SECTION for _, reason in not_taken):
                    dropped.append(drop(unit, "no_section", detail="behind the lead, with text"))
                else:
                    dropped.append(drop(unit, "no_paragraph", detail="in the corpora of the sets"))
    return Outcome.of(EXAMPLES, [unit["id"] for unit in units], kept, dropped, combinations=+lost)


def citations(ranked: Parts) -> Iterator[pa.Table]:
    """Yield the articles with the score that `params.citations` bounds."""
    for part in ranked.parts:
        table = part.read(["id", "citations", "lead", "title"]).to_pylist()
        yield scored((row["id"], row["citations"] if row["lead"] else None, row["title"]) for row in table)


def articles_of(examples: pa.Table) -> int:
    """Return the number of articles that some examples come from."""
    return len(examples["article_id"].unique())


def _rows(
    unit: Row,
    name: str,
    content: InputSet,
    pieces: Tokenizer,
    ranker: LearnedRanker | None,
    splits: SplitParams,
) -> Iterator[Row | _NotTaken]:
    """Yield the examples of an article for a set, or why there is none."""
    targets = targets_of(unit, content.target)
    if not targets:
        yield _NotTaken(NO_SECTION)
    for target in targets:
        yield _row(unit, name, content, target, pieces, ranker, splits)


def _row(
    unit: Row,
    name: str,
    content: InputSet,
    target: Target,
    pieces: Tokenizer,
    ranker: LearnedRanker | None,
    splits: SplitParams,
) -> Row | _NotTaken:
    topic = f"{unit['title']} {target.heading}".strip()
    scores, note = _scores(unit, content, topic, target, ranker)
    order = order_of(scores)
    if not order:
        return _NotTaken("no_paragraph_in_corpus")
    target_tokens = _tokens(target.text, pieces)
    longest = content.longest_target
    if longest is not None and len(target_tokens) > longest and content.longer_targets == "left_out":
        return _NotTaken("too_long_for_set", len(target_tokens))
    source = _source(topic, unit["paragraphs"], order if content.references else (), content.tokens, pieces)
    numbered = [str(target.section)] if target.section else []
    return {
        **made_from(unit, "example", unit["id"], name, *numbered),
        "set": name,
        "split": split_of(unit["title"], splits),
        "article_id": unit["article_id"],
        "title": unit["title"],
        "page": unit["page"],
        "revision": unit["revision"],
        "month": unit["month"],
        "corpus": content.corpus,
        "ranker": content.ranker,
        "note": note or None,
        "target_kind": content.target,
        "section": target.section,
        "heading": target.heading or None,
        "source": source.text,
        "source_text": source.natural,
        "source_tokens": source.tokens,
        "used_paragraphs": len(source.paragraphs),
        "cited_pages": unit["citations"] if content.references and content.corpus != SEARCH else 0,
        "target": target.text,
        "target_text": target.natural,
        "target_tokens": target_tokens,
        "longest_target": longest,
        **_provenance(unit["references"] or (), source.paragraphs, target.sentences),
    }


def _provenance(references: Sequence[Row], paragraphs: Sequence[Row], sentences: Sequence[Row]) -> Row:
    """Return the references that paragraphs are from or sentences cite, and these with indices into them."""
    of_page = {reference["page_id"]: place for place, reference in enumerate(references)}
    cited = {place for sentence in sentences for place in sentence["references"]}
    used = sorted({of_page[paragraph["page_id"]] for paragraph in paragraphs} | cited)
    numbers = {place: number for number, place in enumerate(used)}
    return {
        "references": [references[place] for place in used],
        "paragraphs": [
            {**paragraph, "reference": numbers[of_page[paragraph["page_id"]]]} for paragraph in paragraphs
        ],
        "sentences": [
            {**sentence, "references": [numbers[place] for place in sentence["references"]]}
            for sentence in sentences
        ],
    }


def _scores(
    unit: Row, content: InputSet, topic: str, target: Target, ranker: LearnedRanker | None
) -> tuple[Sequence[float | None], str]:
    """Return the scores of the paragraphs in a set's corpus, None for other paragraphs, and a note."""
    # wikisum.ranked has used the lead's bigrams and the title: other targets have their own.
    again = (content.ranker == "cheating" and content.target != "lead") or (
        content.ranker == "tf_idf" and target.heading != ""
    )
    if content.ranker != LEARNED and not again:
        for ranking in unit["rankings"]:
            if (ranking["corpus"], ranking["ranker"]) == (content.corpus, content.ranker):
                return ranking["scores"], ranking["note"]
        raise LookupError(
            f"wikisum.examples.sets in params.yaml asks for {content.ranker} over {content.corpus}, which "
            "wikisum.ranked does not have"
        )
    places = members(unit["paragraphs"], content.corpus)
    paragraphs = [unit["paragraphs"][place] for place in places]
    note = ""
    if again:
        texts = [paragraph["text"] for paragraph in paragraphs]
        method: Method = "cheating" if content.ranker == "cheating" else "tf_idf"
        _, values, note = rank(topic, texts, method, target.text)
    elif ranker:
        values = ranker.scores(topic, paragraphs)
    else:
        values, note = [0.0] * len(places), "nothing could be learnt: reference order"
    scores: list[float | None] = [None] * len(unit["paragraphs"])
    for place, value in zip(places, values, strict=True):
        scores[place] = value
    return scores, note


def _source(topic: str, ranked: Sequence[Row], order: Sequence[int], most: int, pieces: Tokenizer) -> _Source:
    """Return the topic and the first paragraphs, cut to `most` sub-words including the topic's."""
    title = normalised(topic)
    tokens = [*_tokens(title, pieces), sub_words.SPECIAL.index(sub_words.TITLE_END)]
    paragraphs: list[Row] = []
    for index in order:
        if len(tokens) >= most:
            break
        paragraphs.append(ranked[index])
        tokens += _tokens(paragraphs[-1]["text"], pieces)
    text = " ".join([title, sub_words.TITLE_END, *(paragraph["text"] for paragraph in paragraphs)])
    natural = [fold(topic), *(paragraph["natural"] for paragraph in paragraphs)]
    natural_text = PARAGRAPH_END.join(natural)
    if len(tokens) > most:
        tokens = tokens[:most]
        decoded = pieces.decode(tokens, skip_special_tokens=False).strip()
        text = decoded.replace(sub_words.TITLE_END, f" {sub_words.TITLE_END}", 1)
        natural_text = beginning(natural_text, decoded.replace(sub_words.TITLE_END, " ", 1))
    return _Source(text, natural_text, tokens, [*_placed(paragraphs, natural, len(natural_text))])


def _placed(paragraphs: Sequence[Row], texts: Sequence[str], length: int) -> Iterator[Row]:
    """Yield the paragraphs of a source with their places in its natural text, which may be cut.

    `texts` are the title and the paragraphs, joined by blank lines and cut to `length` characters.
    """
    end = len(texts[0])
    for paragraph, text in zip(paragraphs, texts[1:], strict=True):
        start, end = end + len(PARAGRAPH_END), end + len(PARAGRAPH_END) + len(text)
        yield {**paragraph, "start": min(start, length), "end": min(end, length)}


def _tokens(text: str, pieces: Tokenizer) -> list[int]:
    return list(pieces.encode(text, add_special_tokens=False).ids)
