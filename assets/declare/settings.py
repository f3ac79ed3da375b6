"""params.yaml, read once and typed.

Belongs here: the sections that say what is made (partitions, exclusions, sources, storage), and the reading
of all sections. Not here: the sections of the ops, which stand beside them.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import yaml
from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ops.core import periods
from ops.core.params import Params
from ops.core.periods import Every
from ops.parse.source import DatasetSource, Source

Section = TypeVar("Section", bound=Params)


class YamlLoader(yaml.CSafeLoader):
    """Reads numbers as DVC does, which writes 1e-06: PyYAML takes that for a text."""


YamlLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)


class ParamsError(ValueError):
    """params.yaml cannot be used; the text names the key and says what is wrong."""


def _as_text(value: Any) -> Any:
    """Return a year as text: YAML reads it as a number."""
    return str(value) if isinstance(value, int) else value


#: A month or year as params.yaml names it.
PeriodName: TypeAlias = Annotated[str, BeforeValidator(_as_text)]


class Partitions(Params, section="partitions"):
    """The periods of publication that the datasets cover, both ends included."""

    every: Every = "month"
    start: PeriodName = Field(default="", validate_default=True)
    end: PeriodName = Field(default="", validate_default=True)

    @field_validator("start", "end")
    @classmethod
    def _a_period(cls, value: str, info: ValidationInfo) -> str:
        every = info.data.get("every")
        if every is not None and (value or every != "none") and (fault := periods.fault(value, every)):
            raise ValueError(fault)
        return value

    @model_validator(mode="after")
    def _in_order(self) -> Partitions:
        if self.end < self.start:
            raise ValueError(f"end ({self.end}) is before start ({self.start})")
        return self

    @property
    def names(self) -> list[str]:
        """The names of all periods, in order: months, years, or one name."""
        return [*_between(self.start, self.end, self.every)]


@lru_cache(maxsize=8)
def _between(first: str, last: str, every: Every) -> list[str]:
    return periods.between(first, last, every)


class Exclusion(Params):
    """A partition that is not made, and why."""

    asset: str
    partition: PeriodName
    reason: str = Field(min_length=1)


class StoreParams(Params, section="store"):
    """How datasets lie on disk."""

    records_per_part: int = Field(default=256, gt=0)


class TaskResources(Params):
    """What one part of a dataset needs of the machine that computes it."""

    processors: int = Field(default=1, ge=1)
    gpus: int = Field(default=0, ge=0)
    memory: int = Field(default=0, ge=0)
    """Bytes; 0 where it does not matter."""


class EngineParams(Params, section="engine"):
    """Where parts are computed. Nothing that is made depends on it."""

    kind: Literal["local", "ray"] = "local"
    address: str = "auto"
    """Of a Ray cluster: `host:port`, `auto` for that of this machine, `local` to start one."""
    retries: int = Field(default=3, ge=0)
    """How often a task whose machine was lost is started again."""
    partitions: int | None = Field(default=None, ge=1)
    """How many are made at a time, also by Dagster's backfills; null: by processors, and two by Dagster's."""
    join_bytes: int = Field(default=64 << 20, ge=1)
    """How large the files are that one task of a join reads; what is smaller is joined by the driver."""
    resources: Mapping[str, TaskResources] = Field(default_factory=dict)
    """By dataset (`parasci/sentences`) or group (`parasci`)."""

    def needs(self, dataset: str) -> TaskResources:
        """Return what a part of a dataset needs, by its own name or that of its group."""
        group = dataset.partition("/")[0]
        return self.resources.get(dataset) or self.resources.get(group) or TaskResources()


_FOLDER, _DATASET = "(a folder)", "(a dataset)"


def _source_tag(value: Any) -> str:
    named = "dataset" in value if isinstance(value, dict) else isinstance(value, DatasetSource)
    return _DATASET if named else _FOLDER


AnySource: TypeAlias = Annotated[
    Annotated[Source, Tag(_FOLDER)] | Annotated[DatasetSource, Tag(_DATASET)], Discriminator(_source_tag)
]


class Settings(Params):
    """The part of params.yaml that every dataset depends on, and the sources."""

    partitions: Partitions
    exclude: list[Exclusion] = Field(default_factory=list)
    numerics: Literal["strict", "fast"] = "strict"
    store: StoreParams = StoreParams()
    engine: EngineParams = EngineParams()
    sources: Mapping[str, Mapping[str, AnySource]]
    mlflow: str = ""
    """The server or store of MLflow that runs are sent to; empty for one of the checkout's own."""

    def folders(self, records: str) -> dict[str, Source]:
        """Return the sources of some raw records that are folders, by name."""
        found = self.sources.get(records, {})
        return {name: source for name, source in found.items() if isinstance(source, Source)}

    def named_datasets(self, records: str | None) -> dict[str, DatasetSource]:
        """Return those that are datasets, sorted by name."""
        found = self.sources.get(records or "", {})
        return {name: source for name, source in sorted(found.items()) if isinstance(source, DatasetSource)}

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


@cache
def checkout() -> Path:
    """Return the checkout that this code was imported from."""
    return Path(__file__).resolve().parents[2]


@cache
def project() -> Path:
    """Return the project that this process works on: params.yaml, data and history are its own.

    It is the project around the working directory. Outside of any, it is the checkout of the code.
    """
    return nearest_project() or checkout()


def nearest_project() -> Path | None:
    """Return the nearest folder with a params.yaml that is a root of DVC, from the working directory up."""
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / "params.yaml").is_file() and (folder / ".dvc").is_dir():
                return folder
    return None


def document(root: Path | None = None) -> Mapping[str, Any]:
    """Return params.yaml of a project, by default of this one. Raises ParamsError if it is unreadable."""
    return _document(root or project())


def settings(root: Path | None = None) -> Settings:
    """Return the settings that every dataset depends on. Raises ParamsError."""
    return _settings(root or project())


def read_again() -> None:
    """Let params.yaml be read anew when it is next asked for."""
    _document.cache_clear()
    _settings.cache_clear()


@lru_cache
def _document(root: Path) -> Mapping[str, Any]:
    try:
        content = YamlLoader((root / "params.yaml").read_text(encoding="utf-8")).get_single_data()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ParamsError(f"params.yaml cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ParamsError("params.yaml must hold sections: `name:` followed by its keys")
    return content


@lru_cache
def _settings(root: Path) -> Settings:
    content = _document(root)
    known = {name: content[name] for name in Settings.model_fields if content.get(name) is not None}
    found = validated(Settings, known, "")
    for records in found.sources:
        for name, source in found.folders(records).items():
            if fault := _month_fault(source, found.partitions.every):
                raise ParamsError(f"params.yaml: sources.{records}.{name}.month {fault}")
    return found


def _month_fault(source: Source, every: Every) -> str | None:
    """Return why the month rule of a source does not fit the partitions."""
    if source.month is None and every != "none":
        return "is missing: say how the month is told, or `partitions: {every: none}`"
    if source.month is not None and source.month.every and every != "month":
        return "is `every`, which asks month by month: it needs `partitions: {every: month}`"
    return None


def common_values(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of some params.yaml that the rows of every dataset depend on, with defaults."""
    store = validated(StoreParams, content.get("store") or {}, "store")
    return {"numerics": content.get("numerics") or "strict", "store": store.model_dump()}


def section(kind: type[Section]) -> Section:
    """Return the section of params.yaml that belongs to a class. Raises ParamsError."""
    assert kind.section is not None, f"{kind.__name__} declares no section"
    return validated(kind, raw_section(document(), kind.section), kind.section)


def raw_section(content: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path; {} where nothing does: the section has its defaults.

    Raises ParamsError for a part of the path that holds no keys.
    """
    value: Any = content
    for name in path.split("."):
        if not isinstance(value, dict):
            raise ParamsError(f"params.yaml: {path} has no place: found {value!r} where keys are expected")
        value = value.get(name)
        if value is None:
            return {}
    return value


def validated(kind: type[Section], value: Any, where: str) -> Section:
    """Return `value` as a `kind`. Raises ParamsError that names each bad key."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        lines = [_complaint(where, dict(fault)) for fault in error.errors()]
        raise ParamsError("params.yaml: " + "; ".join(lines)) from error


def check_names(content: Mapping[str, Any], sections: set[str]) -> None:
    """Raise ParamsError for a section of params.yaml that nothing declares."""
    _check(content, "", sections | set(Settings.model_fields))


def _check(content: Mapping[str, Any], prefix: str, allowed: set[str]) -> None:
    for name, value in content.items():
        path = f"{prefix}{name}"
        if path in allowed:
            continue
        if not any(known.startswith(f"{path}.") for known in allowed):
            raise ParamsError(f"params.yaml: unknown key {path}; known: {', '.join(sorted(allowed))}")
        if not isinstance(value, dict | None):
            raise ParamsError(f"params.yaml: {path} must hold keys (found {value!r})")
        _check(value or {}, f"{path}.", allowed)


def _complaint(where: str, error: Mapping[str, Any]) -> str:
    place = [str(name) for name in error["loc"] if name not in (_FOLDER, _DATASET)]
    path = ".".join(filter(None, [where, *place]))
    if error["type"] == "extra_forbidden":
        return f"unknown key {path}"
    if error["type"] == "missing":
        return f"{path} is missing"
    return f"{path}: {error['msg'].removeprefix('Value error, ')} (found {error.get('input')!r})"


_LOGIN = re.compile(r"(?<=://)[^/?#\s]*@")
_FIELD = re.compile(
    r"([?&](?:user(?:name)?|pass(?:word|wd)?|pwd|token|(?:api_?)?key|secret)=)[^&\s'\"]+", re.I
)


def without_logins(text: str) -> str:
    """Return a text whose addresses have no user and password: `https://me:secret@host/` is `https://host/`.

    Fields of an address such as `password=` have three stars. The logins of MLflow's
    address and of Dagster's storage are taken out whatever signs they hold.
    """
    for login in _known():
        text = text.replace(f"://{login}@", "://")
    return _FIELD.sub(r"\1***", _LOGIN.sub("", text))


def _known() -> list[str]:
    """Return the logins of the servers that keep state."""
    found = [os.environ.get(name, "") for name in ("MLFLOW_TRACKING_URI", "SILVERLOOM_DAGSTER_POSTGRES")]
    with contextlib.suppress(ParamsError):
        found.append(settings().mlflow)
    logins = (address.partition("://")[2].rpartition("@")[0] for address in found)
    return [login for login in logins if login]
