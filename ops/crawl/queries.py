"""What is searched for an article: its title, and the headings of its sections.

Belongs here: the queries of an article, and rows of articles as lists of them. Not here: asking for them
(searched.py), crawling what they find (cited.py).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, ClassVar

import pyarrow as pa
from pydantic import AfterValidator, Field

from ops.crawl.options import SEARCH
from ops.crawl.searched import SearchOptions
from ops.outcome import Row
from ops.parse.source import Raw

#: The title in front tells sections of many articles apart.
QUERY = "{title} {section}"
#: Headings of lists that every article may have: nothing is about them.
NOT_ASKED = ("References", "External links", "See also", "Further reading", "Notes", "Bibliography")


def _words(query: str) -> str:
    try:
        query.format(title="", section="")
    except (LookupError, ValueError, AttributeError) as error:
        raise ValueError(f"{query!r} has something in braces besides title and section: {error}") from None
    return query


#: How a query is worded, with {title} and {section}.
Query = Annotated[str, AfterValidator(_words)]


def asked(headings: Iterable[str], not_asked: Collection[str]) -> list[str]:
    """Return the headings that are searched for, without those that are `not_asked`, in whatever case."""
    without = {heading.casefold() for heading in not_asked}
    return [heading for heading in headings if heading.strip().casefold() not in without]


def queries(title: str, headings: Iterable[str], query: str) -> list[str]:
    """Return what is searched for an article, each query once: of a lead, which has no heading, the title."""
    found = (query.format(title=title, section=heading) if heading else title for heading in headings)
    return list(dict.fromkeys(found))


class ArticleSearchOptions(SearchOptions):
    """How a search is asked for articles, and sites for its results."""

    how_many: ClassVar = SearchOptions.how_many | {"query", "not_asked"}

    depth: int = Field(default=2, ge=2, description="1 are the queries, 2 their results")
    licence: str = Field(min_length=1, description="of the pages; an SPDX name")
    query: Query = Field(
        default=QUERY, description="how a section is searched for; who reads the results words it the same"
    )
    not_asked: tuple[str, ...] = Field(default=NOT_ASKED, description="headings that nothing is searched for")


class ArticleQueries:
    """Reads rows with `title` and `sections`, and gives what is searched for them."""

    beside = False
    options = ArticleSearchOptions
    asks = SEARCH

    def __init__(self, query: str = QUERY, not_asked: Collection[str] = NOT_ASKED) -> None:
        self._query, self._not_asked = query, not_asked

    def given(self, options: ArticleSearchOptions) -> ArticleQueries:
        """Return the reader that words queries as a source has it."""
        return ArticleQueries(options.query, options.not_asked)

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of title and sections. Raises ValueError for rows that have none."""
        if missing := {"title", "sections"} - {*kept.names}:
            raise ValueError(f"has no {' and no '.join(sorted(missing))}")
        return ["title", "sections"]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the queries of an article, as JSON; what is a URL is none (searched.py)."""
        headings = asked((section["title"] for section in row["sections"]), self._not_asked)
        found = queries(row["title"], headings, self._query)
        no_urls = [query for query in found if not query.lower().startswith(("http://", "https://"))]
        return Raw(row["id"], row["id"], json.dumps(no_urls).encode())

    def parse(self, raw: Raw) -> tuple[str, ...]:
        """Return the queries."""
        return tuple(json.loads(raw.content))
