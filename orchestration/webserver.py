"""Dagster's webserver, which counts the months of a range that ended before today rightly.

Belongs here: one correction to Dagster, and its own entry. Not here: starting and ending it (ui.py).

Dagster 1.13 counts the partitions of its plots from today backwards, at most 120, and past the range's end:
the months of a corpus stood at the edge of the plot, and those of one that ended ten years ago nowhere.
"""

from __future__ import annotations

from dagster import TimeWindowPartitionsDefinition
from dagster._core.definitions.partitions.context import PartitionLoadingContext, partition_loading_context
from dagster._core.types.pagination import PaginatedResults


class Months(TimeWindowPartitionsDefinition):
    """Only for the method: Dagster builds the definitions of a code location from its own class."""

    def get_paginated_partition_keys(
        self, context: PartitionLoadingContext, limit: int, ascending: bool, cursor: str | None = None
    ) -> PaginatedResults[str]:
        """Return a page of the partitions that there are."""
        with partition_loading_context(new_ctx=context):
            keys = self.get_partition_keys()
        return PaginatedResults.create_from_sequence(keys, limit=limit, ascending=ascending, cursor=cursor)


def correct() -> None:
    """Let every definition of this process page through its partitions that way."""
    page = Months.get_paginated_partition_keys
    TimeWindowPartitionsDefinition.get_paginated_partition_keys = page  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    from dagster_webserver import cli

    correct()
    cli.main()  # type: ignore[no-untyped-call]
