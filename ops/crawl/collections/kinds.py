"""The kinds of collections in params.yaml: what a line of a list means, and the options.

Belongs here: making a `Collection` from a line. Not here: listing and fetching (one module each).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator

from silverloom.ops.crawl.client import Client
from silverloom.ops.crawl.collections.item import Collection
from silverloom.ops.crawl.collections.papers import AclAnthology, ArxivBulk, ArxivRecords, S2orcShards
from silverloom.ops.crawl.collections.web import Folder, WikipediaDump
from silverloom.ops.crawl.options import CrawlOptions, expression

#: Environment variables that the packages behind fsspec read, as name patterns.
BUCKETS = (
    *("AWS_*", "S3FS_*", "AZURE_*", "GOOGLE_*", "GCSFS_*", "CLOUDSDK_*", "STORAGE_EMULATOR_HOST"),
    *("FSSPEC_*", "SSH_AUTH_SOCK", "*_CA_BUNDLE"),
)


class CollectionOptions(CrawlOptions):
    """How the items of a collection are requested: one after the other."""

    depth: Literal[1] = 1
    listing_bytes: int = Field(default=2**30, gt=0, description="a larger listing, unpacked, is rejected")

    def own(self) -> dict[str, Any]:
        """Return the options of this kind only."""
        return {
            name: getattr(self, name)
            for name in type(self).model_fields.keys() - CollectionOptions.model_fields
        }


class AclOptions(CollectionOptions):
    """Options of the ACL Anthology: a line is one of its metadata files, such as P18 or 2020.acl."""

    metadata: str = AclAnthology.metadata
    files: str = AclAnthology.files


class ArxivOptions(CollectionOptions):
    """Options of arXiv by OAI-PMH: a line is a set, such as cs or physics:hep-th."""

    place: str = ArxivRecords.place
    files: str = ArxivRecords.files


class ArxivBulkOptions(CollectionOptions):
    """Options of arXiv's bulk listing: a line is the address of a manifest."""

    files: str = ArxivBulk.files


class WikipediaOptions(CollectionOptions):
    """Options of a Wikipedia dump: a line is the address of `...-multistream.xml.bz2`, next to its index."""

    first: int = Field(default=0, ge=0, description="the first pack, of about a hundred pages")
    last: int | None = Field(default=None, gt=0, description="the pack before which to end")


class S2orcOptions(CollectionOptions):
    """Options of S2ORC: a line is a release, such as 2023-04-11."""

    dataset: str = S2orcShards.dataset
    place: str = S2orcShards.place
    key_variable: str = S2orcShards.key_variable

    @property
    def environment(self) -> tuple[str, ...]:
        """The variable with the API key."""
        return (self.key_variable,)


class FolderOptions(CollectionOptions):
    """Options of a folder or bucket: a line is its address, such as s3://bucket/papers."""

    pattern: str = Field(description="an expression for paths, whose one group is the month")

    @field_validator("pattern")
    @classmethod
    def _one_group(cls, value: str) -> str:
        if expression(value).groups != 1:
            raise ValueError(f"{value!r} needs one group, around the month")
        return value

    @property
    def environment(self) -> tuple[str, ...]:
        """Environment variables with keys and settings for the packages behind fsspec."""
        return BUCKETS


class Kind(NamedTuple):
    """A kind: its options, and a function that makes a collection from client, line, month and options."""

    options: type[CollectionOptions]
    collection: Callable[[Client, str, str, Mapping[str, Any]], Collection]


KINDS: Mapping[str, Kind] = {
    "acl_anthology": Kind(AclOptions, lambda client, line, month, own: AclAnthology(client, [line], **own)),
    "arxiv": Kind(ArxivOptions, lambda client, line, month, own: ArxivRecords(client, line, **own)),
    "arxiv_bulk": Kind(ArxivBulkOptions, lambda client, line, month, own: ArxivBulk(client, line, **own)),
    "wikipedia_dump": Kind(
        WikipediaOptions,
        lambda client, line, month, own: WikipediaDump(
            client, line, line.removesuffix(".xml.bz2") + "-index.txt.bz2", month, **own
        ),
    ),
    "s2orc": Kind(S2orcOptions, lambda client, line, month, own: S2orcShards(client, line, **own)),
    "folder": Kind(FolderOptions, lambda client, line, month, own: Folder(line, **own)),
}
