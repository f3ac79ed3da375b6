"""robots.txt, read within bounds: one may be made to be slow to read, as a page may.

Belongs here: the rules, as Scrapy asks for them. Not here: what follows from them (middlewares.py).
"""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import ProtegoRobotParser, RobotParser

from ops.parse.bounded.bounds import TooLongError, computing_at_most

#: What is read of it: as much as RFC 9309 asks for at the least.
_BYTES = 500 * 2**10
#: Of the processor, to read it: each rule is stored for each of the agents above it.
_SECONDS = 2


class RobotsError(IgnoreRequest):
    """robots.txt forbids a URL, or cannot be read."""


class RobotRules(RobotParser):
    """The rules of one robots.txt, as Protego reads them."""

    def __init__(self, rules: RobotParser) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Return the rules, as Scrapy asks for them. Raises RobotsError."""
        try:
            with computing_at_most(_SECONDS):
                return cls(ProtegoRobotParser.from_crawler(crawler, robotstxt_body[:_BYTES]))
        except TooLongError as error:
            raise RobotsError(f"to read it takes {error}") from None

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Say whether an agent may ask for a URL."""
        return self._rules.allowed(url, user_agent)
