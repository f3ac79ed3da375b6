"""What params.yaml says of captures. Not here: what becomes of it."""

from __future__ import annotations

from pydantic import Field

from ops.crawl.collections.kinds import BUCKETS, CollectionOptions


class CaptureOptions(CollectionOptions):
    """Where Common Crawl's columnar index and its WARC files are, and which captures are taken."""

    licence: str = Field(min_length=1, description="of the pages; an SPDX name")
    index: str = Field(
        min_length=1,
        description="a folder or bucket with Parquet files, or the https:// address of a list of them",
    )
    files: str = Field(
        default="https://data.commoncrawl.org/",
        min_length=1,
        description="a folder, bucket or address that names of WARC files begin at, and those of the list",
    )
    crawl: str = Field(
        default="",
        pattern=r"^[\w-]*$",
        description="CC-MAIN-2018-26: its last capture of a page, whenever; empty: the last of the period",
    )
    pages: int = Field(default=10_000_000, gt=0, description="how many addresses are looked for")

    @property
    def environment(self) -> tuple[str, ...]:
        """What the packages behind fsspec read keys and settings from."""
        return BUCKETS
