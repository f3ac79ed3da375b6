"""Reading params.yaml: its sections as typed params, and errors that name the key and the cause.

Belongs here: the file, read once. Not here: what the sections say (settings.py, and the classes next to the
ops), parsing YAML (yaml.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from silverloom.assets.declare.project import project
from silverloom.assets.declare.settings import A_DATASET, A_FOLDER, Settings, StoreParams
from silverloom.assets.declare.yaml import read_yaml
from silverloom.ops.core.params import Params
from silverloom.ops.core.periods import Every
from silverloom.ops.parse.source import DatasetSource, Source

Section = TypeVar("Section", bound=Params)


class ParamsError(ValueError):
    """params.yaml is invalid; the message names the key and the cause."""


_params_from: ContextVar[Path | None] = ContextVar("_params_from", default=None)


@contextlib.contextmanager
def params_from(folder: Path) -> Iterator[None]:
    """Within the block, take params from the params.yaml of a folder, not from that of the project."""
    token = _params_from.set(folder)
    try:
        yield
    finally:
        _params_from.reset(token)


def folder_of_params() -> Path:
    """Return the folder whose params.yaml counts: that of the project, or of `params_from`."""
    return _params_from.get() or project()


def document(root: Path | None = None) -> Mapping[str, Any]:
    """Return params.yaml of a project, by default of this one. Raises ParamsError if it is unreadable."""
    return _document(root or folder_of_params())


def settings(root: Path | None = None) -> Settings:
    """Return the settings that every dataset depends on. Raises ParamsError."""
    return _settings(root or folder_of_params())


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
    loaded = validated(Settings, known, "")
    for records in loaded.sources:
        for name, source in loaded.folders(records).items():
            if fault := _month_fault(source, loaded.partitions.every):
                raise ParamsError(f"params.yaml: sources.{records}.{name}.month {fault}")
    return loaded


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


def validated(kind: type[Section], value: Any, where: str, origin: str = "params.yaml") -> Section:
    """Return `value` as a `kind`. Raises ParamsError that names its origin and each bad key."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        lines = [_complaint(kind, where, dict(fault)) for fault in error.errors()]
        raise ParamsError(f"{origin}: {'; '.join(lines)}") from error


def check_names(content: Mapping[str, Any], sections: set[str]) -> None:
    """Raise ParamsError for a section of params.yaml that is not declared."""
    check_sections(content, sections | set(Settings.model_fields))


def check_sections(
    content: Mapping[str, Any], allowed: set[str], origin: str = "params.yaml", prefix: str = ""
) -> None:
    """Raise ParamsError, which names the origin of the content, for a section that is not allowed."""
    for name, value in content.items():
        path = f"{prefix}{name}"
        if path in allowed:
            continue
        if not any(known.startswith(f"{path}.") for known in allowed):
            depth = path.count(".") + 1
            near = did_you_mean(path, {".".join(known.split(".")[:depth]) for known in allowed})
            raise ParamsError(f"{origin}: unknown key {path}{near}; known: {', '.join(sorted(allowed))}")
        if not isinstance(value, dict | None):
            raise ParamsError(f"{origin}: {path} must hold keys (found {value!r})")
        check_sections(value or {}, allowed, origin, f"{path}.")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question after the known name that is nearest to an unknown one; "" if none is near."""
    near = get_close_matches(name, sorted(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _complaint(kind: type[Params], where: str, error: Mapping[str, Any]) -> str:
    place = [str(name) for name in error["loc"] if name not in (A_FOLDER, A_DATASET)]
    path = ".".join(filter(None, [where, *place]))
    if error["type"] == "extra_forbidden":
        return f"unknown key {path}{did_you_mean(place[-1], _keys_beside(kind, error['loc']))}"
    if error["type"] == "missing":
        return f"{path} is missing"
    return f"{path}: {error['msg'].removeprefix('Value error, ')} (found {error.get('input')!r})"


def _keys_beside(kind: type[Params], place: tuple[int | str, ...]) -> list[str]:
    """Return the keys of a section, or of a source; [] for those of a section's sections."""
    sources: dict[str, type[Params]] = {A_FOLDER: Source, A_DATASET: DatasetSource}
    owner = sources.get(str(place[-2])) if place[1:] else kind
    return [field.alias or name for name, field in owner.model_fields.items()] if owner else []
