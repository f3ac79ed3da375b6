"""WikiSum on real articles whose references are web pages and the other articles: Tables 1 and 2, rankers.

Run: python benchmarks/wikisum_real.py DATA [--folds N] [--rankers NAME ...] [--paper] [--read N]. DATA has
wikipedia/ (dumps as *.bz2, wikitext_pages.tar.gz) and web/ (pages as *.tar.gz). What an article cites is not
among these pages, so all references come from the search; other articles serve as pages on related topics.
The learned ranker is trained on all folds but one and tested on that one, fold by fold. "by length" ranks by
the target that it predicts: recall of the lead's bigrams per paragraph word.

--paper detects clones with the paper's formula, and keeps whatever the search finds. --read prints that many
kept references, sampled by --seed, each with the places that have the title's words, to judge by reading.
Clones are counted for several `least_section_words`, each with its longest run of words that the article has,
too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.derived import NewFolder
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, OneProcess, Part, Parts
from silverloom.ops.core.sampling import place_of
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.crawl.search import NOT_ASKED
from silverloom.ops.metrics.bootstrap import interval, paired_bootstrap
from silverloom.ops.models.encoder import ENCODER, embedder
from silverloom.ops.parse import web, wikipedia
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.schemas import ARTICLES, WEB_PAGES
from silverloom.ops.parse.source import MonthRule, Source
from silverloom.ops.rank.rankers import content_words
from silverloom.ops.text.word_numbers import number_words
from silverloom.ops.wikisum import clone_recalls, dispersion, schemas
from silverloom.ops.wikisum.corpus import CorpusParams, corpus
from silverloom.ops.wikisum.dispersion import DispersionParams
from silverloom.ops.wikisum.examples import ExampleParams
from silverloom.ops.wikisum.learned_ranker import LEARNED, LearnedRanker, relevance
from silverloom.ops.wikisum.ranked import RankedParams, lead_recall
from silverloom.ops.wikisum.ranked import ranked as ranked_op
from silverloom.ops.wikisum.references import ReferenceParams, sections_of
from silverloom.ops.wikisum.references import references as references_op
from silverloom.ops.wikisum.search_index import search_index
from silverloom.ops.wikisum.statistics import statistics
from silverloom.ops.wikisum.topic import passage_embeddings, topic_score, topic_similarities

MONTH, LENGTHS, AT_ONCE = "2018-06", (100, 500, 1000), 16
#: Values of `least_section_words` to compare.
LEASTS = (1, 2, 5, 10, 20, 50, 100)
#: Floors of similarity with the title, and words of the sections that they must not drop.
FLOORS, SECTION_WORDS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2), 100


def records(formats: Mapping[str, Any], kind: str, folder: Path) -> Iterator[Record]:
    """Yield the records of a folder."""
    source = Source(kind=kind, path=str(folder), month=MonthRule(constant=MONTH), licence="CC-BY-SA-4.0")
    for raw in formats[kind].split(folder, source):
        yield Record(record_id(kind, raw), kind, kind, source.licence, MONTH, raw)


def rows(data: Path, work: Path) -> tuple[list[Row], list[Row]]:
    """Return the articles and the web pages."""
    for path in sorted(data.glob("wikipedia/*.bz2")):
        (work / "dump").mkdir(exist_ok=True)
        shutil.copy(path, work / "dump" / f"{path.name}.xml.bz2")
    for path in sorted(data.glob("*/*.tar.gz")):
        with tarfile.open(path) as archive:
            archive.extractall(work / path.parent.name / path.name, filter="data")
    found = [*records(wikipedia.FORMATS, "mediawiki_dump", work / "dump")]
    found += records(wikipedia.FORMATS, "wikitext", work / "wikipedia")
    articles = wikipedia.parse_articles(found).kept.to_pylist()
    found = [*records(web.FORMATS, "html", work / "web")]
    pages = web.parse_web_pages([item for item in found if "expected" not in item.raw.path]).kept.to_pylist()
    return articles, [{**page, "url": None} for page in pages] + [as_page(article) for article in articles]


def as_page(article: Row) -> Row:
    """Return an article as a page of the encyclopedia."""
    paragraphs, start = [], 0
    for text in article["text"].split("\n\n"):
        paragraphs.append({"start": start, "end": start + len(text), "boilerplate": 0.0})
        start += len(text) + 2
    return {
        **dict.fromkeys(WEB_PAGES.kept.names),
        **{name: article[name] for name in ("licence", "document", "title", "month", "text")},
        "id": f"page-{article['id']}",
        "source_ids": [article["id"]],
        "url": f"https://en.wikipedia.org/wiki/{article['title'].replace(' ', '_')}",
        "paragraphs": paragraphs,
    }


def parts(folder: Path, schema: pa.Schema, tables: Sequence[pa.Table]) -> Parts:
    """Return tables as parts on disk."""
    folder.mkdir(parents=True)
    found = []
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"{number:05d}.parquet")
        found.append(Part(str(folder / f"{number:05d}.parquet")))
    return Parts(schema, tuple(found), OneProcess())


def made(
    data: Path, work: Path, rankers: Sequence[str], finding: ReferenceParams, choosing: CorpusParams
) -> tuple[Parts, Parts, Parts]:
    """Return the references, corpus and ranked paragraphs of all articles."""
    found, all_pages = rows(data, work)
    print(f"{len(found)} articles, {len(all_pages)} pages")
    many = pa.Table.from_pylist(found, schema=ARTICLES.kept)
    pieces = [many.slice(first, AT_ONCE) for first in range(0, len(found), AT_ONCE)]
    articles = parts(work / "articles", ARTICLES.kept, pieces)
    pages = parts(work / "pages", WEB_PAGES.kept, [pa.Table.from_pylist(all_pages, schema=WEB_PAGES.kept)])
    cited = parts(work / "cited", PAGES.kept, [])
    [listed] = search_index(pages)
    index = Artifact(parts(work / "listed", schemas.SEARCH_INDEX.kept, [listed.kept]), work)
    candidates = list(
        references_op(articles, cited, cited, pages, index, finding, NewFolder(work / "index"), Strict(True))
    )
    references = parts(work / "references", schemas.REFERENCES.kept, [item.kept for item in candidates])
    outcomes = [corpus(item.kept, choosing) for item in candidates]
    chosen = [outcome.kept for outcome in outcomes]
    fates = Counter(reason for outcome in outcomes for reason in outcome.dropped["reason"].to_pylist())
    print(f"{sum(map(len, chosen))} references kept; dropped: {dict(fates)}")
    corpora = parts(work / "corpus", schemas.CORPUS.kept, chosen)
    params = RankedParams(rankers=tuple(rankers), corpora=("combined",))
    began = time.process_time()
    outcomes = list(ranked_op(corpora, articles, pages, params))
    print(f"ranked by {', '.join(rankers)} in {time.process_time() - began:.0f} s of processor time")
    return references, corpora, parts(work / "ranked", schemas.RANKED.kept, [item.kept for item in outcomes])


def floor(references: Parts, work: Path) -> None:
    """Print what floors lose of sections under their own titles, and drop of what was found.

    A section has no rival here: it was not found for another article.
    """
    articles = [row for table in parts_at(work / "articles") for row in table.to_pylist()]
    sections = [
        (article["title"], text)
        for article in articles
        for heading, text in islice(sections_of(article), 1, None)
        if len(text.split()) >= SECTION_WORDS and heading not in NOT_ASKED
    ]
    titles, texts = zip(*sections, strict=True)
    embed = embedder(ENCODER)
    own = topic_similarities(titles, passage_embeddings(texts, embed), embed)
    results = [row for table in references for row in table.to_pylist()]
    found = np.array([topic_score(row["title_similarity"], row["rival_similarity"]) for row in results])
    print(f"{len(own)} sections under their titles, {len(found)} results")
    for least in FLOORS:
        print(f"  floor {least}: loses {(own < least).mean():.1%}, drops {(found < least).mean():.1%}")


def clones(references: Parts, work: Path, finding: ReferenceParams, threshold: float) -> None:
    """Print how many results are clones by the least size of a section, and those that sizes disagree on."""
    articles = {row["id"]: row for table in parts_at(work / "articles") for row in table.to_pylist()}
    columns = ["id", "title", "text"]
    pages = {row["id"]: row for row in pq.read_table(work / "pages", columns=columns).to_pylist()}
    shingle = finding.shingle_words if finding.recall == "shingles" else 1
    flagged: dict[int, set[tuple[str, str]]] = {least: set() for least in LEASTS}
    rows = [row for table in references for row in table.select(["article_id", "page_id"]).to_pylist()]
    for name, of_article in groupby(rows, key=lambda row: str(row["article_id"])):
        ids = [row["page_id"] for row in of_article]
        sections = [text for _, text in sections_of(articles[name])]
        for least in LEASTS:
            recalls = clone_recalls([pages[page]["text"] for page in ids], sections, shingle, least)
            flagged[least] |= {
                (name, page) for page, recall in zip(ids, recalls, strict=True) if recall > threshold
            }
    for least, of_least in flagged.items():
        print(f"  clones with least_section_words {least}: {len(of_least)} of {len(rows)}")
    for name, page in sorted(set.union(*flagged.values())):
        leasts = [least for least, of_least in flagged.items() if (name, page) in of_least]
        run = longest_run(articles[name]["text"], pages[page]["text"])
        shown = f"{len(run)} words shared in a row: {' '.join(run[:20])}"
        print(f"    {articles[name]['title']} <- {pages[page]['title']}: at {leasts}; {shown}")


def longest_run(one: str, other: str) -> list[str]:
    """Return the longest run of words that two texts share."""
    first, second = ([word.lower() for word in re.findall(r"\w+", text)] for text in (one, other))
    block = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
    return first[block.a : block.a + block.size]


def parts_at(folder: Path) -> Iterator[pa.Table]:
    """Yield the tables that `parts` stored."""
    for path in sorted(folder.glob("*.parquet")):
        yield pq.read_table(path)


def read(corpora: Parts, work: Path, many: int, seed: int) -> None:
    """Print some kept references to read, each with the places that have the title's words."""
    kept = [row for table in corpora for row in table.to_pylist()]
    pages = pq.read_table(work / "pages", columns=["id", "text"]).to_pylist()
    texts = {row["id"]: row["text"] for row in pages}
    for row in random.Random(seed).sample(kept, min(many, len(kept))):  # noqa: S311  no secret
        print(f"  {row['article_title']} <- {row['title'] or row['address']} ({row['title_similarity']})")
        text = texts[row["page_id"]]
        for word in dict.fromkeys(content_words(row["article_title"])):
            for place in list(re.finditer(rf"\b{re.escape(word)}\b", text, re.IGNORECASE))[:2]:
                around = text[max(place.start() - 70, 0) : place.end() + 70]
                print(f"      {' '.join(around.split())}")


def recalls(units: Sequence[Row], folds: int) -> Mapping[tuple[str, int], list[float]]:
    """Return the recall of the leads' bigrams by ranker and length; the learned ranker's fold by fold."""
    places = [int(place_of(0, unit["title"]) * folds) for unit in units]
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for fold in range(folds):
        learnt = [
            (unit["title"], unit["paragraphs"], unit["lead"])
            for unit, place in zip(units, places, strict=True)
            if place != fold
        ]
        ranker = LearnedRanker.fit(learnt, 0.001)
        assert ranker is not None
        for unit, place in zip(units, places, strict=True):
            if place == fold:
                scores = {ranking["ranker"]: ranking["scores"] for ranking in unit["rankings"]}
                scores[LEARNED] = ranker.scores(unit["title"], unit["paragraphs"])
                scores["by length"] = relevance(unit["paragraphs"], unit["lead"]).tolist()
                for name, values in scores.items():
                    for words in LENGTHS:
                        found[name, words].append(lead_recall(unit, values, words))
    return found


def held(units: Sequence[Row]) -> None:
    """Print how many clauses of leads are covered by the article's references, and by those of three others.

    Coverage by another article's references is chance, or the clause applies to both.
    """
    best: dict[bool, list[float]] = {True: [], False: []}
    for place, unit in enumerate(units):
        found = dispersion.statements(unit["lead"], unit["title"])
        for step in range(4) if found else ():
            paragraphs = units[(place + step) % len(units)]["paragraphs"]
            words = number_words([unit["lead"], *(item["text"] for item in paragraphs)], known=unit["lead"])
            pages = [item["page_id"] for item in paragraphs]
            shares = dispersion.recalls(found, unit["title"], words, pages)
            best[step == 0] += [max(its) for its in zip(*shares, strict=True)]
    for share in (0.4, 0.5, 0.6, 0.7, 0.8):
        own, others = (np.mean(np.array(best[side]) >= share) for side in (True, False))
        print(
            f"  clauses covered at a share of {share}: {own:.1%} of {len(best[True])}, by others {others:.1%}"
        )


def show(tables: Mapping[str, Any], found: Mapping[tuple[str, int], list[float]]) -> None:
    """Print the tables and the rankers."""
    for row in tables["table_1"]:
        print("  Table 1", {name: value for name, value in row.items() if name != "published"})
    for row in tables["table_2"]:
        print(
            f"  Table 2 {row['aspect']:15} {row['percentile']:4} % {row['value']!s:>9} {row['published']:>9}"
        )
    for row in tables["clones"]:
        share = row["clones"] / max(row["candidates"], 1)
        print(
            f"  clones of {row['words_above']}+ words: {row['clones']} of {row['candidates']} ({share:.0%})"
        )
    for (name, words), values in sorted(found.items(), key=lambda pair: (pair[0][1], pair[0][0])):
        mean, low, high = interval(values)
        line = f"  bigram recall at {words:5} by {name:10} {mean:.4f} [{low:.4f}, {high:.4f}]"
        if name != "tf_idf":
            above = paired_bootstrap(values, found["tf_idf", words])
            line += f", above tf_idf {above.difference:+.4f} [{above.low:+.4f}, {above.high:+.4f}]"
        print(line)


def main() -> None:
    """Make and print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    every = ["identity", "tf_idf", "text_rank", "sum_basic", "cheating"]
    parser.add_argument("--rankers", nargs="+", default=every, choices=every)
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    finding, choosing = ReferenceParams(), CorpusParams()
    if given.paper:
        finding = ReferenceParams(recall="words")
        choosing = CorpusParams(clone_recall=0.5, title_similarity=0)
    with TemporaryDirectory() as folder:
        references, corpora, ranked = made(given.data, Path(folder), given.rankers, finding, choosing)
        floor(references, Path(folder))
        clones(references, Path(folder), finding, choosing.clone_recall)
        read(corpora, Path(folder), given.read, given.seed)
        *_, last = statistics(
            ranked, corpora, references, ExampleParams(citations=0), choosing, DispersionParams()
        )
        tables = json.loads(last.files["tables.json"])
        units = [unit for table in ranked for unit in table.to_pylist() if unit["lead"]]
        print(f"{len(units)} articles with a lead and a reference")
        held(units)
        show(tables, recalls(units, given.folds))


if __name__ == "__main__":
    main()
