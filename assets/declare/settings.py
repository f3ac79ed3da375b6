"""The sections of params.yaml that say what is made: partitions, exclusions, sources, storage, engine.

Belongs here: their types. Not here: the sections of the ops, which are declared next to the ops, and reading
the file (params_file.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from silverloom.ops.core import periods
from silverloom.ops.core.params import Params
from silverloom.ops.core.periods import Every
from silverloom.ops.parse.source import RECORDS_PER_PART, DatasetSource, Source


def _as_text(value: Any) -> Any:
    """Return a year as text, because YAML reads it as a number."""
    return str(value) if isinstance(value, int) else value


#: As the last period: the newest one in the sources that is over.
LATEST = "latest"

#: A month or year in params.yaml.
PeriodName: TypeAlias = Annotated[str, BeforeValidator(_as_text)]


class Partitions(Params, section="partitions"):
    """The periods of publication that the datasets cover, both ends included."""

    every: Every = "month"
    """Length of a period; none: one partition for all."""
    start: PeriodName = Field(default="", validate_default=True)
    """First period: `2018-06`, or `2018` for years."""
    end: PeriodName = Field(default="", validate_default=True)
    """Last period, included; `latest`: the newest one in the sources that is over."""
    _newest: str = PrivateAttr(default="")

    @field_validator("start", "end")
    @classmethod
    def _a_period(cls, value: str, info: ValidationInfo) -> str:
        every = info.data.get("every")
        if info.field_name == "end" and value == LATEST and every != "none":
            return value
        if every is not None and (value or every != "none") and (fault := periods.fault(value, every)):
            raise ValueError(fault)
        return value

    @model_validator(mode="after")
    def _in_order(self) -> Partitions:
        if self.end < self.start and not self.follows_sources:
            raise ValueError(f"end ({self.end}) is before start ({self.start})")
        return self

    @property
    def follows_sources(self) -> bool:
        """Whether the last period is the newest one in the sources."""
        return self.end == LATEST

    def follow(self, newest: str) -> None:
        """Set the newest period in the sources, once these can be read: all datasets must be declared."""
        self._newest = max(newest, self.start)

    @property
    def last(self) -> str:
        """The last period; the first one as long as the newest in the sources is not known."""
        return (self._newest or self.start) if self.follows_sources else self.end

    @property
    def names(self) -> list[str]:
        """The names of all periods, in order: months, years, or one name."""
        return [*_between(self.start, self.last, self.every)]


@lru_cache(maxsize=8)
def _between(first: str, last: str, every: Every) -> list[str]:
    return periods.between(first, last, every)


class Exclusion(Params):
    """A partition that is not made, and why."""

    asset: str
    """Dataset, as `group/name`."""
    partition: PeriodName
    """Period that is not made."""
    reason: str = Field(min_length=1)
    """Why; shown wherever the partition is missing."""


class StoreParams(Params, section="store"):
    """How datasets are stored on disk."""

    records_per_part: int = Field(default=RECORDS_PER_PART, gt=0)
    """Records per part file at most; 128 KiB of text in files end one, too. Smaller parts: less memory, more
    files."""


class TaskResources(Params):
    """The resources that one part of a dataset needs."""

    processors: int = Field(default=1, ge=1)
    """Processors of one part."""
    gpus: int = Field(default=0, ge=0)
    """GPUs of one part."""
    memory: int = Field(default=0, ge=0)
    """Bytes; 0 if it does not matter."""


class EngineParams(Params, section="engine"):
    """Where parts are computed. It does not affect any output."""

    kind: Literal["local", "ray"] = "local"
    """Where parts are computed: on this machine or on a Ray cluster."""
    address: str = "auto"
    """The address of a Ray cluster: `host:port`, `auto` for this machine's, `local` to start one."""
    retries: int = Field(default=3, ge=0)
    """How often a task is restarted if its machine is lost."""
    node_timeout: float = Field(default=300.0, gt=0)
    """Seconds that a run waits for a cluster that lost its last machine for a task, or does not answer."""
    partitions: int | None = Field(default=None, ge=1)
    """How many are made at once, in Dagster's backfills too; null: one per CPU, at most 4; two in Dagster."""
    partition_retries: int = Field(default=3, ge=0)
    """How often a partition is tried again after a failure of the network, of a server, or of a lock."""
    retry_wait: float = Field(default=1.0, ge=0)
    """Seconds before the first of these retries; each next pause is twice as long."""
    longest_retry_wait: float = Field(default=60.0, ge=0)
    """Seconds that such a pause takes at most."""
    join_bytes: int = Field(default=64 << 20, ge=1)
    """The size of the files that one task of a join reads; the driver does smaller joins itself."""
    resources: Mapping[str, TaskResources] = Field(default_factory=dict)
    """By dataset (`parasci/sentences`) or group (`parasci`)."""

    def needs(self, dataset: str) -> TaskResources:
        """Return the resources that a part of a dataset needs, by the dataset's name or its group's."""
        group = dataset.partition("/")[0]
        return self.resources.get(dataset) or self.resources.get(group) or TaskResources()


#: Who owns a dataset, in the two forms that Dagster takes.
Owner: TypeAlias = Annotated[str, Field(pattern=r"^(team:[\w-]+|[^@\s]+@[^@\s]+\.[^@\s]+)$")]

#: How errors of pydantic name the kinds of a source.
A_FOLDER, A_DATASET = "(a folder)", "(a dataset)"


def _source_tag(value: Any) -> str:
    named = "dataset" in value if isinstance(value, dict) else isinstance(value, DatasetSource)
    return A_DATASET if named else A_FOLDER


AnySource: TypeAlias = Annotated[
    Annotated[Source, Tag(A_FOLDER)] | Annotated[DatasetSource, Tag(A_DATASET)], Discriminator(_source_tag)
]


class Settings(Params):
    """The part of params.yaml that every dataset depends on, and the sources."""

    partitions: Partitions
    """Months of publication that the datasets cover, both ends included."""
    targets: list[str] = Field(default_factory=list)
    """Datasets or systems that run, plan and health are about, with what they need; none: all datasets."""
    exclude: list[Exclusion] = Field(default_factory=list)
    """Partitions that cannot be made. The rest can then finish."""
    numerics: Literal["strict", "fast"] = "strict"
    """strict: baseline kernels, one thread, the same bytes on every x86-64 processor; fast: all it has."""
    store: StoreParams = StoreParams()
    engine: EngineParams = EngineParams()
    """Where parts are computed; the bytes are the same."""
    sources: Mapping[str, Mapping[str, AnySource]]
    owners: Mapping[str, list[Owner]] = Field(default_factory=dict)
    """Whom to ask, by dataset or group, as Dagster shows it: `me@example.org` or `team:language`."""
    mlflow: str = ""
    """The MLflow server or store that runs are sent to; empty for a store in the checkout."""
    alerts: str = ""
    """Where failed runs and checks are reported: a webhook (`https://...`) or a mailbox (`smtps://...`)."""

    def folders(self, records: str) -> dict[str, Source]:
        """Return the sources of some raw records that are folders, by name."""
        sources = self.sources.get(records, {})
        return {name: source for name, source in sources.items() if isinstance(source, Source)}

    def named_datasets(self, records: str | None) -> dict[str, DatasetSource]:
        """Return the sources that are datasets, sorted by name."""
        sources = self.sources.get(records or "", {})
        return {name: source for name, source in sorted(sources.items()) if isinstance(source, DatasetSource)}

    @property
    def source_paths(self) -> list[str]:
        """The folders of all sources."""
        return [source.path for records in self.sources for source in self.folders(records).values()]

    @field_validator("exclude")
    @classmethod
    def _once(cls, value: list[Exclusion]) -> list[Exclusion]:
        names = Counter((exclusion.asset, exclusion.partition) for exclusion in value)
        if twice := sorted(name for name, times in names.items() if times > 1):
            raise ValueError(f"excluded twice: {twice}")
        return value
