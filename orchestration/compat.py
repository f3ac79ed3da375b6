"""What is needed of Dagster and has no public door: the tags that its staleness and its lists of runs go by.

Belongs here: names that Dagster keeps to itself, each with a test that fails when they change. Not here: what
is done with them (execute/runless.py, dagster/).

Dagster writes these tags for what its own runs make. What was made elsewhere is reported with the same ones:
`report_runless_asset_event` takes tags, but no public name tells which.
"""

from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from dagster._core.storage.tags import REPOSITORY_LABEL_TAG

__all__ = [
    "CODE_VERSION_TAG",
    "DATA_VERSION_IS_USER_PROVIDED_TAG",
    "DATA_VERSION_TAG",
    "REPOSITORY_LABEL_TAG",
    "SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD",
    "get_input_data_version_tag",
    "get_input_event_pointer_tag",
]
