"""What a key of params.yaml means: as its model says, or else as the comment in params.yaml does.

Belongs here: finding these words. Not here: the words.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import griffe
import yaml
from pydantic import BaseModel
from yaml.nodes import MappingNode, Node


def docstring(kind: type[BaseModel]) -> str:
    """Return what a model says of itself."""
    return inspect.cleandoc(kind.__doc__ or "")


def field_meaning(kind: type[BaseModel], name: str) -> str:
    """Return what a model says of a field: its description, or else the string under it; or ""."""
    described = kind.model_fields[name].description
    return described or next(filter(None, (_under(owner, name) for owner in kind.__mro__)), "")


def _under(owner: type, name: str) -> str:
    if not (isinstance(owner, type) and issubclass(owner, BaseModel)) or owner is BaseModel:
        return ""
    module = _module(owner.__module__)
    found = module.classes.get(owner.__name__)
    member = found.attributes.get(name) if found else None
    return " ".join(member.docstring.value.split()) if member and member.docstring else ""


@cache
def _module(name: str) -> griffe.Module:
    source = Path(inspect.getfile(__import__(name, fromlist=["_"])))
    return griffe.visit(name.rpartition(".")[2], filepath=source, code=source.read_text(encoding="utf-8"))


def comments(path: Path) -> dict[str, str]:
    """Return the comments of a YAML file, by the dotted path of the key on the same line or below."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    root = yaml.compose(text, yaml.CSafeLoader)
    return dict(_comments(root, "", lines))


def _comments(node: Node | None, path: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    if not isinstance(node, MappingNode) or node.flow_style:
        return
    for key, value in node.value:
        place = f"{path}.{key.value}" if path else str(key.value)
        if comment := _behind(lines, key, value) or _above(lines, key.start_mark.line):
            yield place, comment
        yield from _comments(value, place, lines)


def _behind(lines: list[str], key: Node, value: Node) -> str:
    line = key.start_mark.line
    end = value.end_mark if value.end_mark.line == line else key.end_mark
    return lines[line][end.column :].partition(" #")[2].strip()


def _above(lines: list[str], line: int) -> str:
    said: list[str] = []
    while line and lines[line - 1].strip().startswith("#"):
        line -= 1
        said.insert(0, lines[line].strip().lstrip("# "))
    return " ".join(said)
