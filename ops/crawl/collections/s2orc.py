"""S2ORC: the shards of a release, as Semantic Scholar's datasets API lists them.

Belongs here: shards. Not here: the papers in them (ops/parse).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from ops.crawl.client import FetchError
from ops.crawl.collections.item import Item, WebCollection


@dataclass(frozen=True)
class S2orcShards(WebCollection):
    """The shards of a release (`2023-04-11`); the key of the API stands in the environment."""

    release: str
    dataset: str = "s2orc"
    place: str = "https://api.semanticscholar.org/datasets/v1/release"
    key_variable: str = "S2_API_KEY"

    def items(self, month: str) -> Iterator[Item]:
        """Yield the shards by name, if the release is of this month; each listing signs where they lie anew.

        Raises LookupError without a key, FetchError.
        """
        if not self.release.startswith(month):
            return
        if not (key := os.environ.get(self.key_variable, "")):
            raise LookupError(f"the environment variable {self.key_variable} holds no key for {self.place}")
        url = f"{self.place}/{self.release}/dataset/{self.dataset}"
        try:
            files = json.loads(self.client.read(url, {"x-api-key": key}))["files"]
            found = {urlsplit(file).path.rpartition("/")[2]: file for file in files}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise (
                error if isinstance(error, FetchError) else FetchError(f"{url}: no list of files")
            ) from error
        for name, file in sorted(found.items()):
            yield Item(name, file, month)
