"""robots.txt, read within bounds: one may be made to be slow to read, as a page may.

Belongs here: the rules, as Scrapy asks for them. Not here: what follows from them (middlewares.py).
"""

from __future__ import annotations

from typing import Self

from protego import Protego
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import RobotParser

from ops.parse.bounded.bounds import TooLongError, computing_at_most

#: What is read of it: as much as RFC 9309 asks for at the least.
_BYTES = 500 * 2**10
#: Of the processor, to read it: each rule is stored for each of the agents above it.
_SECONDS = 2


class RobotsError(IgnoreRequest):
    """robots.txt forbids a URL, or cannot be read."""


class RobotRules(RobotParser):
    """The rules of one robots.txt, which Protego reads."""

    def __init__(self, rules: Protego) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Return the rules, as Scrapy asks for them. Raises RobotsError."""
        text = robotstxt_body[:_BYTES].decode("utf-8-sig", "ignore")
        try:
            with computing_at_most(_SECONDS):
                return cls(Protego.parse(text))
        except TooLongError as error:
            raise RobotsError(f"to read it takes {error}") from None

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Say whether an agent may ask for a URL."""
        address, agent = (text.decode() if isinstance(text, bytes) else text for text in (url, user_agent))
        return self._rules.can_fetch(address, agent)
