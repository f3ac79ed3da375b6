"""Search by somebody's HTTP API: any that answers a URL with JSON.

Belongs here: the request, and the way to the URLs in the answer. Not here: the client (client.py).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from pydantic import Field, field_validator

from ops.crawl.client import Client, FetchError
from ops.crawl.search.hits import Hit
from ops.params import Params


class HttpSearchParams(Params):
    """A provider. Nothing of it is a secret: the key stands in the environment."""

    url: str = Field(pattern=r"^https?://.*\{query\}", description="with {query}, maybe {k}, {offset}, {key}")
    results: str = Field(description="JMESPath to the list of URLs: `web.results[].url`")
    key_variable: str | None = Field(
        default=None, pattern=r"^\w+$", description="the environment variable that holds the key"
    )
    key_header: str | None = Field(default=None, description="the header for the key; else {key} in url")
    page: int = Field(default=100, gt=0, description="the most that the provider gives at once")

    @field_validator("results")
    @classmethod
    def _path(cls, value: str) -> str:
        import jmespath  # here, as below, since every command imports the kinds of crawls
        from jmespath.exceptions import JMESPathError

        try:
            jmespath.compile(value)
        except JMESPathError as error:
            raise ValueError(f"no JMESPath: {error}") from None
        return value


@dataclass(frozen=True)
class HttpSearch:
    """A provider that is asked by a client."""

    params: HttpSearchParams
    client: Client

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` pages in the order of the answers, of which there are several for an {offset}.

        Without one there are at most `page`. Raises LookupError where the environment has no key, FetchError
        for an answer that holds no URLs; neither text holds the key.
        """
        found: dict[str, None] = {}
        offset, paged = 0, "{offset}" in self.params.url
        while len(found) < k and (paged or not offset):
            size = min(k - len(found), self.params.page)
            urls = self._answer(query, size, offset)[:size]
            if found.keys() >= {*urls}:  # the end, or the same again
                break
            found |= dict.fromkeys(urls)
            offset += len(urls)
        return [Hit(url, rank, None) for rank, url in enumerate(found, start=1)]

    def _answer(self, query: str, k: int, offset: int) -> list[str]:
        key = self._key()
        values = {"query": quote_plus(query), "k": str(k), "offset": str(offset), "key": quote_plus(key)}
        url = self.params.url
        for name, value in values.items():
            url = url.replace(f"{{{name}}}", value)
        headers = {self.params.key_header: key} if self.params.key_header else {}
        try:
            found = self._urls(query, self.client.read(url, headers))
        except FetchError as error:
            raise FetchError(_without(key, str(error))) from None
        if any(_without(key, place) != place for place in found):
            raise FetchError(f"the answer to {query!r} gives the key away in its URLs")
        return found

    def _urls(self, query: str, content: bytes) -> list[str]:
        import jmespath

        try:
            found = jmespath.search(self.params.results, json.loads(content))
        except (ValueError, RecursionError) as error:
            raise FetchError(f"the answer to {query!r} is no JSON: {str(error)[:300]}") from None
        if not isinstance(found, list) or not all(isinstance(url, str) for url in found):
            raise FetchError(f"the answer to {query!r} has no URLs at {self.params.results!r}")
        # Half of a surrogate pair becomes what it does in browsers.
        return [url.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for url in found]

    def _key(self) -> str:
        name = self.params.key_variable
        if name is None:
            return ""
        key = os.environ.get(name, "").strip()
        if not (key and key.isascii() and key.isprintable()):
            raise LookupError(f"the environment variable {name} holds no key for {self.params.url}")
        return key


def _without(key: str, text: str) -> str:
    """Return a text without a key, in any form that it has in URLs and headers."""
    for form in filter(None, (key, quote_plus(key), quote(key))):
        text = text.replace(form, "***")
    return text
