"""Leads to read, of articles whose own sections are pages, many of them at addresses that they cite.

Run: python benchmarks/wikisum_leads.py DATA FOLDER [--seed N], then as printed, and with --draw PROJECT
[--many N] to print some examples of the set "lead": what a model reads, and the lead; with --lengths PROJECT,
how many of a lead's content words its input has at several lengths, in words. DATA has wikipedia/ and
web/ (as in wikisum_real.py), whose pages are there, too. Each section behind a lead is cut into pages of two
to four paragraphs. A page is at an address that its section cites, as long as there are unused ones, else at
one that nothing cites.
"""

from __future__ import annotations

import argparse
import html
import random
import shutil
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow.dataset as ds

from benchmarks.wikisum_floor import articles_of, pages_of
from silverloom.ops.core.outcome import Row
from silverloom.ops.crawl.warc import resource_record
from silverloom.ops.wikisum.dispersion import content_words
from silverloom.ops.wikisum.ranked import order_of
from silverloom.ops.wikisum.sections import cited_address

DATE = "2018-06-01T00:00:00Z"


def addressed(articles: list[Row], draw: random.Random) -> Iterator[tuple[str, str, str, bool]]:
    """Yield address, title, text of each page, and whether its article cites the address."""
    used: set[str] = set()
    for article in articles:
        for index, section in enumerate(article["sections"][1:], start=1):
            alone = {**article, "sections": [article["sections"][0], section]}
            cited = [each["url"] for each in article["citations"] if each["section"] == index]
            for place, text in enumerate(pages_of(alone, draw)):
                free = [url for url in map(cited_address, cited) if url not in used]
                url = free[0] if free else f"https://pages.example/{article['document']}/{index}/{place}"
                used.add(url)
                yield url, section["title"] or article["title"], text, bool(free)


def write(data: Path, folder: Path, seed: int) -> None:
    """Write the sources, and print the commands that make the examples."""
    for name in ("dump", "sections", "web"):
        (folder / name).mkdir(parents=True)
    for path in sorted(data.glob("wikipedia/*.bz2")):
        shutil.copy(path, folder / "dump" / f"{path.name}.xml.bz2")
    for path in sorted(data.glob("web/*.tar.gz")):
        with tarfile.open(path) as archive:
            archive.extractall(folder / "web" / path.name.partition(".")[0], filter="data")
    for path in folder.glob("web/**/*expected*"):
        path.unlink()
    cited = 0
    articles = articles_of(data, "dump")
    pages = [*addressed(articles, random.Random(seed))]  # noqa: S311  no secret
    with (folder / "sections" / "pages.warc").open("wb") as file:
        for url, title, text, is_cited in pages:
            cited += is_cited
            paragraphs = "".join(f"<p>{html.escape(part)}</p>\n" for part in text.split("\n\n"))
            head = f"<meta charset=utf-8><title>{html.escape(title)}</title>"
            body = f"<!doctype html><html><head>{head}</head><body>{paragraphs}</body></html>"
            file.write(resource_record(url, body.encode(), DATE, False, "text/html; charset=utf-8")[0])
    print(f"{len(articles)} articles, {len(pages)} pages of their sections, {cited} at cited addresses")
    sources = " ".join(f"--source {folder / name}" for name in ("dump", "sections", "web"))
    print(f"silverloom init PROJECT --system wikisum {sources}; cd PROJECT; git add .; git commit -m New")
    print("silverloom run")


def show(project: Path, many: int, seed: int) -> None:
    """Print drawn examples."""
    rows = ds.dataset(project / "data/wikisum/examples", format="parquet").to_table().to_pylist()
    leads = sorted((row for row in rows if row["set"] == "lead"), key=lambda row: row["id"])
    drawn = random.Random(seed).sample(leads, min(many, len(leads)))  # noqa: S311  no secret
    print(f"{len(drawn)} of {len(leads)} leads\n")
    for number, row in enumerate(drawn, start=1):
        print(f"##### {number}\n\nINPUT\n{row['source_text']}\n\nTARGET\n{row['target_text']}\n")


def lengths(project: Path) -> None:
    """Print the mean share of the content words of leads, not of titles, in the first words of inputs."""
    rows = ds.dataset(project / "data/wikisum/ranked", format="parquet").to_table().to_pylist()
    for most in (400, 800, 1600, 3200, 8800):
        shares = []
        for row in rows:
            rankings = ((each["corpus"], each["ranker"], each["scores"]) for each in row["rankings"])
            scores = next(scores for *what, scores in rankings if what == ["combined", "tf_idf"])
            text = " ".join(row["paragraphs"][place]["text"] for place in order_of(scores))
            wanted = {*content_words(row["lead"])} - {*content_words(row["title"])}
            if wanted:
                there = wanted.intersection(content_words(" ".join(text.split()[:most])))
                shares.append(len(there) / len(wanted))
        print(f"{most:,} words: {fmean(shares):.2f} of the words of {len(shares)} leads")


def main() -> None:
    """Write the sources, print examples, or compare lengths of inputs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draw", type=Path, metavar="PROJECT")
    parser.add_argument("--lengths", type=Path, metavar="PROJECT")
    parser.add_argument("--many", type=int, default=10)
    given = parser.parse_args()
    if given.draw:
        show(given.draw, given.many, given.seed)
    elif given.lengths:
        lengths(given.lengths)
    else:
        write(given.data, given.folder, given.seed)


if __name__ == "__main__":
    main()
