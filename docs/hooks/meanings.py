"""What a key of params.yaml means, as its model says.

Belongs here: finding these words. Not here: the words.
"""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path

import griffe
from pydantic import BaseModel


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
