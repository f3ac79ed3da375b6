"""Types, bounds and defaults of a key in words, from the JSON schema that pydantic makes of a model.

Belongs here: wording, and the models that a type holds. Not here: what a key means (meanings.py).
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from tables import code

Schema = Mapping[str, Any]

_SIMPLE = {
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
}
_BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
}
#: Bounds of every text and list, and bounds that read better in words.
_ALWAYS_MET = {("minLength", 0), ("minItems", 0)}
_IN_WORDS = {("minLength", 1): "not empty", ("minItems", 1): "not empty"}


def type_text(schema: Schema, models: Mapping[str, Schema]) -> str:
    """Return the type of a key in words."""
    if "$ref" in schema:
        named = models[schema["$ref"].rpartition("/")[2]]
        return type_text(named, models)
    if "const" in schema:
        return code(json.dumps(schema["const"]).strip('"'))
    if "enum" in schema:
        return _either([code(str(value)) for value in schema["enum"]])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return _either(dict.fromkeys(type_text(choice, models) for choice in schema[several]))
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"list of {len(schema['prefixItems'])}"
        return f"list of {_plural(type_text(schema.get('items', {}), models))}"
    if kind == "object":
        if "properties" in schema:
            return "keys"
        inner = schema.get("additionalProperties")
        return f"names, each with {type_text(inner, models)}" if isinstance(inner, Mapping) else "names"
    return _SIMPLE.get(str(kind), "any value")


def bounds(schema: Schema) -> str:
    """Return the bounds of a value; for a list or for names, the bounds of each item."""
    found = list(dict.fromkeys(_bounds(schema)))
    return ", ".join(found)


def _bounds(schema: Schema) -> Iterator[str]:
    for name, phrase in _BOUNDS.items():
        if name in schema and (name, schema[name]) not in _ALWAYS_MET:
            yield _IN_WORDS.get((name, schema[name]), phrase.format(schema[name]))
    if "pattern" in schema:
        yield f"matches {code(schema['pattern'])}"
    for several in ("anyOf", "oneOf", "allOf"):
        for choice in schema.get(several, ()):
            yield from _bounds(choice)
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, Mapping):
            yield from (f"each {bound}" for bound in _bounds(inner))


def default_text(value: Any) -> str:
    """Return a default as params.yaml has it; of one with keys of its own, their names."""
    if isinstance(value, BaseModel):
        return "those below"
    if isinstance(value, Mapping) and value and any(isinstance(item, BaseModel) for item in value.values()):
        return ", ".join(map(code, value))
    plain = list(value) if isinstance(value, tuple | frozenset | set) else value
    if isinstance(plain, list) and any(isinstance(item, BaseModel) for item in plain):
        return f"{len(plain)}"
    if isinstance(plain, str):
        return code(plain) if plain else "empty"
    text = json.dumps(plain, default=str, ensure_ascii=False)
    return code(text) if text != "{}" and text != "[]" else "none"


def model_of(annotation: Any) -> type[BaseModel] | None:
    """Return the only model that a type is or contains; None if it contains no model or several."""
    found = list(dict.fromkeys(_models(annotation)))
    return found[0] if len(found) == 1 else None


def nested_models(kind: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the models that the keys of a model hold, each once."""
    return list(
        dict.fromkeys(model for field in kind.model_fields.values() for model in _models(field.annotation))
    )


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _models(inner)


def _plural(text: str) -> str:
    return {"integer": "integers", "number": "numbers", "text": "texts"}.get(text, text)


def _either(texts: typing.Iterable[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} or {last}" if most else last
