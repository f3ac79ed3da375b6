"""Articles and pages as rows, and the steps from them to examples.

Belongs here: data that several tests of this system build. Not here: what they assert.
"""

import json
from typing import Any

from silverloom.ops.core.derived import NewFolder
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import FILES, Artifact
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.parse.schemas import ARTICLES, WEB_PAGES
from silverloom.ops.wikisum import schemas
from silverloom.ops.wikisum.corpus import CorpusParams, corpus
from silverloom.ops.wikisum.ranked import RankedParams, ranked
from silverloom.ops.wikisum.references import ReferenceParams, references
from silverloom.ops.wikisum.search_index import search_index
from tests.parts import parts

FIELDS = {"ranked": schemas.RANKED, "corpus": schemas.CORPUS, "references": schemas.REFERENCES}


def article(title, lead, sections=(), cites=(), month="2018-06", categories=()) -> dict[str, Any]:
    """An article: lead and sections as (heading, text); a text may be empty."""
    text, found = "", []
    for level, (heading, body) in enumerate([("", lead), *sections]):
        start = len(text) + 2 * bool(text and body)
        text = text + ("\n\n" if text and body else "") + body
        found.append({"title": heading, "level": 1 + bool(level), "start": start, "end": start + len(body)})
    return {
        **dict.fromkeys(ARTICLES.kept.names),
        "id": f"article-{title}",
        "source_ids": [title],
        "licence": "CC-BY-SA-4.0",
        "document": title,
        "title": title,
        "month": month,
        "text": text,
        "sections": found,
        "citations": [{"url": url, "section": 0} for url in cites],
        "lists": [],
        "categories": list(categories),
    }


def page(url, *paragraphs, title=None, month="2018-06", boilerplate=()) -> dict[str, Any]:
    """A web page; `boilerplate` are the places of paragraphs that are no main text."""
    text, places = "", []
    for place, paragraph in enumerate(paragraphs):
        start = len(text) + 2 * bool(text)
        text = f"{text}\n\n{paragraph}" if text else paragraph
        places.append({"start": start, "end": start + len(paragraph)})
        places[-1]["boilerplate"] = float(place in boilerplate)
    return {
        **dict.fromkeys(WEB_PAGES.kept.names),
        "id": f"page-{url}",
        "source_ids": [url],
        "licence": "CC0-1.0",
        "document": url,
        "url": url,
        "title": title,
        "month": month,
        "encoding": "utf-8",
        "language": "en",
        "text": text,
        "paragraphs": places,
    }


def crawled(url, landed, month="2018-06", also=(), ranks=None) -> dict[str, Any]:
    """The row of a crawl; with `document`, a page was read from it."""
    row = {"id": f"crawled-{month}-{url}", "url": url, "final_url": landed, "month": month}
    return {**row, "also": list(also), "about": ranks and json.dumps({"ranks": ranks})}


class Steps:
    """The datasets of some articles and pages, each made when it is first requested."""

    def __init__(self, folder, articles, pages, moved=(), references=None, corpus=None, ranked=None):
        self.folder = folder
        every = ReferenceParams(least_section_words=1)  # sections are short here
        self.params = (references or every, corpus or CorpusParams(), ranked or RankedParams())
        self.articles = parts(folder / "articles", ARTICLES.kept, articles)
        self.pages = parts(folder / "pages", WEB_PAGES.kept, *([row] for row in pages))
        rows = [crawled(*row) for row in moved]
        self.cited_pages = parts(folder / "cited", PAGES.kept, [row for row in rows if not row["about"]])
        found = [row for row in rows if row["about"]]
        self.found_pages = parts(folder / "found", PAGES.kept, found)
        queries = sorted({query for row in found for query in json.loads(row["about"])["ranks"]})
        if queries:
            asked = [
                {"unit": row["id"], "url": row["id"], "fate": "listing", "links": queries} for row in articles
            ]
            lines = [{"options": "", "listed": ""}, *asked]
            (folder / "found" / FILES).mkdir()
            text = "".join(f"{json.dumps(line)}\n" for line in lines)
            (folder / "found" / FILES / "engine-00000.jsonl").write_text(text)
        self.made: dict[str, Any] = {}

    def index(self) -> Artifact:
        return artifact(self.folder / "index", schemas.SEARCH_INDEX, list(search_index(self.pages)))

    def references(self):
        """The outcomes of the references, one for each part of the articles."""
        return references(
            self.articles,
            self.cited_pages,
            self.found_pages,
            self.pages,
            self.index(),
            self.params[0],
            NewFolder(self.folder / "derived"),
            Strict(True),
        )

    def outcome(self, name):
        """The one outcome of a step."""
        if name not in self.made:
            _, choosing, ranking = self.params
            steps = {
                "references": self.references,
                "corpus": lambda: [corpus(self.outcome("references").kept, choosing)],
                "ranked": lambda: ranked(self.parts("corpus"), self.articles, self.pages, ranking),
            }
            [self.made[name]] = steps[name]()
            conserved(self.made[name])
        return self.made[name]

    def parts(self, name):
        return parts(self.folder / name, FIELDS[name].kept, self.outcome(name).kept)

    def kept(self, name, *columns):
        rows = self.outcome(name).kept.to_pylist()
        return [tuple(row[column] for column in columns) for row in rows] if columns else rows

    def dropped(self, name, *columns):
        rows = self.outcome(name).dropped.to_pylist()
        return [tuple(row[column] for column in columns) for row in rows]


def artifact(folder, shape, outcomes) -> Artifact:
    """Write outcomes with files to disk, as a dataset with files."""
    for outcome in outcomes:
        conserved(outcome)
        for name, content in outcome.files.items():
            path = folder / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    (folder / "files").mkdir(parents=True, exist_ok=True)
    return Artifact(
        parts(folder / "rows", shape.kept, *(outcome.kept for outcome in outcomes)), folder / "files"
    )


def conserved(outcome):
    """Fail unless every unit has one fate."""
    units = outcome.units.to_pylist()
    used = {name for row in outcome.kept.to_pylist() for name in (row["id"], *row["source_ids"])}
    lost = outcome.dropped["id"].to_pylist() + outcome.rejected["id"].to_pylist()
    assert sorted(lost + [unit for unit in units if unit in used]) == sorted(units)
