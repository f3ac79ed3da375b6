"""params.yaml, read once and typed.

Belongs here: the sections that say what is made (partitions, exclusions, sources, storage), and reading all
sections. Not here: the sections of the ops, which are declared next to the ops.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    PrivateAttr,
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


def read_yaml(content: str | bytes) -> Any:
    """Parse YAML as DVC does: version 1.2, in which `010` is ten, `yes` is text, and no key occurs twice.

    Raises ValueError, which names the line.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe").load(content)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{place}{error.problem or error.context}") from error
    except YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


class ParamsError(ValueError):
    """params.yaml is invalid; the message names the key and the cause."""


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

    records_per_part: int = Field(default=256, gt=0)
    """Records per part file. Smaller parts: less memory, more files."""


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
    """Months of publication that the datasets cover, both ends included."""
    exclude: list[Exclusion] = Field(default_factory=list)
    """Partitions that cannot be made. The rest can then finish."""
    numerics: Literal["strict", "fast"] = "strict"
    """strict: baseline kernels, one thread, the same bytes on every x86-64 processor; fast: all it has."""
    store: StoreParams = StoreParams()
    engine: EngineParams = EngineParams()
    """Where parts are computed; the bytes are the same."""
    sources: Mapping[str, Mapping[str, AnySource]]
    mlflow: str = ""
    """The MLflow server or store that runs are sent to; empty for a store in the checkout."""

    def folders(self, records: str) -> dict[str, Source]:
        """Return the sources of some raw records that are folders, by name."""
        found = self.sources.get(records, {})
        return {name: source for name, source in found.items() if isinstance(source, Source)}

    def named_datasets(self, records: str | None) -> dict[str, DatasetSource]:
        """Return the sources that are datasets, sorted by name."""
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
    """Return the nearest folder that is a project and a root of DVC, from the working directory up."""
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / ".dvc").is_dir() and _is_project(folder):
                return folder
    return None


_SECTION = re.compile(rb"""^["']?(partitions|sources)["']?[ \t]*:""", re.MULTILINE)


def _is_project(folder: Path) -> bool:
    """Return whether params.yaml has the sections of a project, because other DVC repositories have one, too.

    It is not parsed: a syntax error in it is reported later. If a section was deleted, or the file cannot be
    read, the state of earlier commands still tells the project.
    """
    sections = set[bytes]()
    try:
        sections = {*_SECTION.findall((folder / "params.yaml").read_bytes())}
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # reported when its content is needed
        pass
    return sections == {b"partitions", b"sources"} or (folder / ".silverloom").is_dir()


_params_from: ContextVar[Path | None] = ContextVar("_params_from", default=None)


@contextlib.contextmanager
def params_from(folder: Path) -> Iterator[None]:
    """Within the block, take params from the params.yaml of a folder, not from that of the project."""
    token = _params_from.set(folder)
    try:
        yield
    finally:
        _params_from.reset(token)


def document(root: Path | None = None) -> Mapping[str, Any]:
    """Return params.yaml of a project, by default of this one. Raises ParamsError if it is unreadable."""
    return _document(root or _params_from.get() or project())


def settings(root: Path | None = None) -> Settings:
    """Return the settings that every dataset depends on. Raises ParamsError."""
    return _settings(root or _params_from.get() or project())


def read_again() -> None:
    """Forget the cached params.yaml; the next access reads it again."""
    _document.cache_clear()
    _settings.cache_clear()


@lru_cache
def _document(root: Path) -> Mapping[str, Any]:
    try:
        content = read_yaml((root / "params.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
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
        return "is missing: say where the month comes from, or `partitions: {every: none}`"
    if source.month is not None and source.month.every and every != "month":
        return "is `every`, which asks month by month: it needs `partitions: {every: month}`"
    return None


def common_values(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params that the rows of every dataset depend on, with defaults filled in."""
    store = validated(StoreParams, content.get("store") or {}, "store")
    return {"numerics": content.get("numerics") or "strict", "store": store.model_dump()}


def section(kind: type[Section]) -> Section:
    """Return the section of params.yaml that belongs to a class. Raises ParamsError."""
    assert kind.section is not None, f"{kind.__name__} declares no section"
    return validated(kind, raw_section(document(), kind.section), kind.section)


def raw_section(content: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path; {} if it is missing: then the section has its defaults.

    Raises ParamsError if a part of the path is not a mapping.
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
        lines = [_complaint(kind, where, dict(fault)) for fault in error.errors()]
        raise ParamsError("params.yaml: " + "; ".join(lines)) from error


def check_names(content: Mapping[str, Any], sections: set[str]) -> None:
    """Raise ParamsError for a section of params.yaml that is not declared."""
    _check(content, "", sections | set(Settings.model_fields))


def _check(content: Mapping[str, Any], prefix: str, allowed: set[str]) -> None:
    for name, value in content.items():
        path = f"{prefix}{name}"
        if path in allowed:
            continue
        if not any(known.startswith(f"{path}.") for known in allowed):
            depth = path.count(".") + 1
            near = did_you_mean(path, {".".join(known.split(".")[:depth]) for known in allowed})
            raise ParamsError(f"params.yaml: unknown key {path}{near}; known: {', '.join(sorted(allowed))}")
        if not isinstance(value, dict | None):
            raise ParamsError(f"params.yaml: {path} must hold keys (found {value!r})")
        _check(value or {}, f"{path}.", allowed)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question after the known name that is nearest to an unknown one; "" if none is near."""
    near = get_close_matches(name, sorted(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _complaint(kind: type[Params], where: str, error: Mapping[str, Any]) -> str:
    place = [str(name) for name in error["loc"] if name not in (_FOLDER, _DATASET)]
    path = ".".join(filter(None, [where, *place]))
    if error["type"] == "extra_forbidden":
        return f"unknown key {path}{did_you_mean(place[-1], _keys_beside(kind, error['loc']))}"
    if error["type"] == "missing":
        return f"{path} is missing"
    return f"{path}: {error['msg'].removeprefix('Value error, ')} (found {error.get('input')!r})"


def _keys_beside(kind: type[Params], place: tuple[int | str, ...]) -> list[str]:
    """Return the keys of a section, or of a source; [] for those of a section's sections."""
    sources: dict[str, type[Params]] = {_FOLDER: Source, _DATASET: DatasetSource}
    owner = sources.get(str(place[-2])) if place[1:] else kind
    return [field.alias or name for name, field in owner.model_fields.items()] if owner else []


_LOGIN = re.compile(r"(?<=://)[^/?#\s]*@")
_FIELD = re.compile(
    r"([?&](?:user(?:name)?|pass(?:word|wd)?|pwd|token|(?:api_?)?key|secret)=)[^&\s'\"]+", re.I
)


def without_logins(text: str) -> str:
    """Return a text without logins in addresses: `https://me:secret@host/` becomes `https://host/`.

    Fields of an address such as `password=` become three stars. The logins in the addresses of MLflow and of
    Dagster's storage are removed whatever characters they contain.
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
