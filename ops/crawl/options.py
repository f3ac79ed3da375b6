"""The options of a crawl in params.yaml, and the folders in which a crawl works.

Belongs here: the options of a source whose pages are requested over HTTP, and the folders of a partition that
the asset function of crawls receives. Not here: the list of URLs (crawl.py), translating options for Scrapy
(middlewares.py), creating the folders (orchestration/partition).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from silverloom.ops.core.params import Params

#: Kinds of lists that lead to web pages; other kinds are collections (collections/kinds.py).
URLS, SEARCH = "url_list", "search"
#: The kind of a source whose pages are looked up in Common Crawl's columnar index (captures/).
CAPTURES = "common_crawl_index"


def expression(text: str) -> re.Pattern[str]:
    """Return a compiled regular expression. Raises ValueError if it is invalid."""
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None


class CrawlOptions(Params):
    """How the pages of a source are requested; `agent` and `contact` are required."""

    #: Options that affect how many URLs are requested, and which, but not how.
    how_many: ClassVar[frozenset[str]] = frozenset({"depth", "pages", "unchanged"})

    agent: str = Field(
        min_length=1, pattern=r"^[\w./ -]+$", description="the crawler's name, for robots.txt and logs"
    )
    contact: str = Field(
        pattern=r"^(mailto:\S+@\S+\.\S+|https?://\S+\.\S+)$",
        description="where the owner of a site can complain: mailto:... or the address of a page",
    )
    depth: int = Field(default=0, ge=0, description="links from the listed pages; 0: these alone")
    follow: list[str] = Field(default=[], description="expressions that a link must match one of")
    skip: list[str] = Field(default=[], description="expressions that no link may match")
    same_host: bool = Field(default=True, description="whether links to other hosts are left alone")
    pages: int = Field(default=10_000, gt=0, description="how many URLs are requested")
    page_bytes: int = Field(default=10 * 2**20, gt=0, description="a larger page, unpacked, is dropped")
    timeout: float = Field(
        default=30.0, gt=0, description="seconds for one answer, from the first byte to the last"
    )
    redirects: int = Field(default=5, ge=0)
    retries: int = Field(default=2, ge=0, description="after errors of the server or the network")
    longest_wait: float = Field(
        default=300.0,
        ge=0,
        description="seconds that Retry-After may ask for; with more the page is given up",
    )
    delay: float = Field(default=1.0, ge=0, description="least seconds between two requests to a host")
    host_connections: int = Field(default=1, gt=0, description="to one host at a time")
    connections: int = Field(default=32, gt=0, description="to all hosts at a time")
    allow: list[str] = Field(
        default=[],
        description="hosts, addresses or networks that may be contacted although they are not public",
    )
    unchanged: Literal["keep", "drop"] = Field(
        default="keep", description="what happens to pages that have not changed since the last request"
    )
    serve: Mapping[str, str] = Field(
        default={},
        description="for samples and tests: folders that are served on loopback, by the host they are",
    )
    clock: str | None = Field(
        default=None,
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
        description="for samples and tests: the time that every record bears",
    )

    @field_validator("clock")
    @classmethod
    def _time(cls, value: str | None) -> str | None:
        if value is not None:
            datetime.fromisoformat(value)
        return value

    @field_validator("follow", "skip")
    @classmethod
    def _expressions(cls, value: list[str]) -> list[str]:
        for text in value:
            expression(text)
        return value

    @property
    def user_agent(self) -> str:
        """The User-Agent header of the crawl."""
        return f"{self.agent} (+{self.contact})"

    @property
    def environment(self) -> tuple[str, ...]:
        """Additional environment variables for the fetching process, as name patterns."""
        return self.keys

    @property
    def keys(self) -> tuple[str, ...]:
        """Required environment variables."""
        return ()

    @property
    def digest(self) -> str:
        """Return the hash of how pages are requested: if it changes, they are requested again."""
        return hashlib.sha256(self.model_dump_json(exclude={*self.how_many}).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class CrawlPlace:
    """The folders of a crawl, and what is left of the previous one."""

    working: Path
    """Kept until the partition is published: an interrupted crawl continues from here."""
    former: Path | None
    """The files of the published partition, if any."""
    recrawl: bool
    """Whether pages of the previous crawl are requested again."""
    tell: Callable[[int, int], None]
    """Called with the number of URLs done, and of those known."""
    root: Path = Path()
    """Where relative paths in params.yaml start."""
    lock: Path | None = None
    """A lock that serialises all crawls; by default shared with the crawls in the same parent folder."""

    @property
    def asking(self) -> Path:
        """The file that is locked while the web is requested."""
        return self.lock or self.working.parent / ".asking"
