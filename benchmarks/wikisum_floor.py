"""The floor of similarity among pages of one encyclopedia: sections of articles, found for other articles.

Run: python benchmarks/wikisum_floor.py DATA [--articles dump|single] [--pages N] [--seed N] [--few]. DATA
has wikipedia/ (as in wikisum_real.py): the articles of its dumps, or the single ones. Each section behind a
lead is cut into pages of two to four paragraphs; the local index finds ten for each heading of each article.
A page of the article itself is on its topic, any other is not. The score is the similarity of page and title,
less some share of that with another article that the page was found for.

Printed: what a floor loses of the articles' own pages, and drops of the others; and for each share, what the
floor that loses 5 % drops. The share and the floor of params.yaml were chosen on another draw of the dump.
With --few: the same for partitions of few articles, which are drawn 40 times.
"""

from __future__ import annotations

import argparse
import random
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pyarrow as pa

from benchmarks.wikisum_real import records
from silverloom.ops.core.outcome import Row
from silverloom.ops.crawl.local_search import LocalIndex
from silverloom.ops.crawl.search import NOT_ASKED, QUERY, asked, queries
from silverloom.ops.models.encoder import ENCODER, embedder
from silverloom.ops.parse import wikipedia
from silverloom.ops.wikisum.references import sections_of
from silverloom.ops.wikisum.topic import RESULTS, passage_embeddings, topic_similarities, with_rivals

FEWEST_WORDS, RESULTS_OF_QUERY = 40, 10
SHARES, FLOORS = (0.0, 0.25, 0.5, 0.75, 1.0), (0.04, 0.06, 0.08, 0.1, 0.12, 0.16, 0.19)
LOSES = 0.05
COUNTS, DRAWS, FEW_FLOORS = (1, 3, 5, 10, 20, 40, 64), 40, (0.08, 0.14)


def articles_of(data: Path, kind: str) -> list[Row]:
    """Return the articles that have a section behind their lead."""
    with TemporaryDirectory() as folder:
        work = Path(folder)
        for path in sorted(data.glob("wikipedia/*.bz2")):
            (work / f"{path.name}.xml.bz2").write_bytes(path.read_bytes())
        if kind == "single":
            work = work / "single"
            with tarfile.open(data / "wikipedia" / "wikitext_pages.tar.gz") as archive:
                archive.extractall(work, filter="data")
        form = "wikitext" if kind == "single" else "mediawiki_dump"
        found = wikipedia.parse_articles([*records(wikipedia.FORMATS, form, work)]).kept.to_pylist()
    return [article for article in found if len(article["sections"]) > 1]


def pages_of(article: Row, draw: random.Random) -> Iterator[str]:
    """Yield the sections of an article behind its lead, cut into pages of two to four paragraphs."""
    for _, text in [*sections_of(article)][1:]:
        paragraphs = [paragraph for paragraph in text.split("\n") if paragraph.strip()]
        while paragraphs:
            many = draw.randint(2, 4)
            page, paragraphs = "\n\n".join(paragraphs[:many]), paragraphs[many:]
            if len(page.split()) >= FEWEST_WORDS:
                yield page


def rivals_of(results: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Return the similarity of each result with its rival, 0 without one."""
    rivals = with_rivals(pa.Table.from_pylist([*map(dict, results)], RESULTS)).kept["rival"].to_pylist()
    return np.array([rival or 0 for rival in rivals])


def print_few(results: Sequence[Mapping[str, Any]], own: np.ndarray, articles: Sequence[str]) -> None:
    """Print what each floor loses and drops if only a few articles are in the partition."""
    for count in [count for count in COUNTS if count <= len(articles)]:
        scores, is_own = [], []
        for seed in range(DRAWS if count < len(articles) else 1):
            drawn = set(random.Random(seed).sample(articles, count))  # noqa: S311  no secret
            places = [place for place, result in enumerate(results) if result["article_id"] in drawn]
            some = [results[place] for place in places]
            similarities = np.array([result["similarity"] for result in some])
            scores.append(np.maximum(similarities - 0.5 * rivals_of(some), 0))
            is_own.append(own[places])
        score, mine = np.concatenate(scores), np.concatenate(is_own)
        for floor in FEW_FLOORS:
            lost, dropped = (score[mine] < floor).mean(), (score[~mine] < floor).mean()
            print(f"{count} articles, floor {floor}: loses {lost:.1%}, drops {dropped:.1%}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--articles", choices=("dump", "single"), default="single")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--few", action="store_true")
    given = parser.parse_args()
    draw = random.Random(given.seed)  # noqa: S311  no secret
    articles = articles_of(given.data, given.articles)
    pages = [(article["id"], page) for article in articles for page in pages_of(article, draw)]
    pages = draw.sample(pages, min(given.pages, len(pages)))
    found: dict[tuple[int, int], None] = {}
    with TemporaryDirectory() as folder:
        index = LocalIndex.of([(str(place), text) for place, (_, text) in enumerate(pages)], Path(folder))
        for number, article in enumerate(articles):
            headings = asked((section["title"] for section in article["sections"]), NOT_ASKED)
            for query in queries(article["title"], headings, QUERY):
                for hit in index.search(query, RESULTS_OF_QUERY):
                    found[number, int(hit.url)] = None
    embed = embedder(ENCODER)
    there = sorted({page for _, page in found})
    embedded = dict(zip(there, passage_embeddings([pages[page][1] for page in there], embed), strict=True))
    similarities = topic_similarities(
        [articles[number]["title"] for number, _ in found], [embedded[page] for _, page in found], embed
    )
    results = [
        {"article_id": articles[number]["id"], "page_id": str(page), "similarity": similarity}
        for (number, page), similarity in zip(found, similarities.tolist(), strict=True)
    ]
    rival = rivals_of(results)
    own = np.array([articles[number]["id"] == pages[page][0] for number, page in found])
    print(f"{len(articles)} articles, {len(pages)} pages; results: {own.sum()} own, {(~own).sum()} others")
    if given.few:
        print_few(results, own, [article["id"] for article in articles])
        return
    for share in SHARES:
        scores = similarities - share * rival
        floor = np.quantile(scores[own], LOSES)
        print(f"share {share}: the floor {floor:.3f} drops {(scores[~own] < floor).mean():.1%} of the others")
    for share in (0.0, 0.5):
        scores = np.maximum(similarities - share * rival, 0)
        for floor in FLOORS:
            lost, dropped = (scores[own] < floor).mean(), (scores[~own] < floor).mean()
            print(f"share {share}, floor {floor}: loses {lost:.1%}, drops {dropped:.1%}")


if __name__ == "__main__":
    main()
