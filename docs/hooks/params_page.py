"""Pages of every key of params.yaml, from the pydantic models that read it.

Belongs here: which sections are on which page, and a table for each. Not here: what a key means (the models
and their docstrings say that: meanings.py), how a type is worded (wording.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pkgutil import iter_modules
from typing import Any

from meanings import docstring, field_meaning
from pydantic import BaseModel
from tables import code, table
from wording import bounds, default_text, model_of, nested_models, type_text

import silverloom.assets.systems
from silverloom.assets.declare.params_file import document
from silverloom.assets.declare.settings import Settings
from silverloom.ops.core.params import Params
from silverloom.ops.parse.source import DatasetSource, Source
from silverloom.orchestration.definitions import workspace

HEADER = ["key", "type", "default", "bounds", "meaning"]
#: Sections with a page of their own that are no system's; the others are on the page "general".
OWN_PAGES = frozenset({"filters", "sources"})
TITLES = {
    "general": "General sections of params.yaml",
    "sources": "params.yaml: sources",
    "filters": "params.yaml: filters",
    "shared": "params.yaml: what several sections share",
}
#: The systems on disk.
SYSTEMS = sorted(module.name for module in iter_modules(silverloom.assets.systems.__path__))
#: Of a mapping that has a default.
REPLACED = "what is given replaces all of them"
#: A model with as many keys that several sections hold has one table, on the page "shared".
MANY = 4


def sections() -> dict[str, type[BaseModel]]:
    """Return the model of every section, by its dotted path, sorted."""
    workspace()  # declares every dataset, and so imports every model
    found = {kind.section: kind for kind in _below(Params) if kind.section}
    return dict(sorted(found.items()))


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its name."""
    found = sections()
    shared = shared_models([*found.values(), Settings, Source, DatasetSource])
    parts: dict[str, list[str]] = {name: [f"# {title}\n"] for name, title in TITLES.items()}
    parts |= {name: [f"# params.yaml: {name}\n"] for name in SYSTEMS}
    parts["general"].append(_section("", Settings, shared, frozenset({*found, "sources"})))
    for path, kind in found.items():
        parts[page_of(path)].append(_section(path, kind, shared))
    parts["sources"].append(SOURCES)
    for kind in (Source, DatasetSource):
        parts["sources"].append(_section("sources.<records>.<name>", kind, shared, title=kind.__name__))
    for kind in shared:
        parts["shared"].append(_section("", kind, shared - {kind}, title=kind.__name__))
    return {name: "\n".join(texts) for name, texts in parts.items()}


def page_of(path: str) -> str:
    """Return the page that a section is on, by its dotted path."""
    top = path.partition(".")[0]
    return top if top in {*SYSTEMS, *OWN_PAGES} else "general"


SOURCES = """
`sources.<records>.<name>` is a source. `<records>` is the dataset that reads it (`papers`, `prose`, ...), and
`<name>` is a name of your own. A source is a folder, or another dataset. The kinds of each dataset are
in [datasets of sources](../datasets/sources.md), and what each kind is, in
[add a source](../../how-to/add-a-source.md).
"""


def shared_models(roots: list[type[BaseModel]]) -> set[type[BaseModel]]:
    """Return the models with many keys that several other models contain."""
    owners = Counter(model for root in _reached(roots) for model in set(nested_models(root)))
    return {model for model, times in owners.items() if times > 1 and len(model.model_fields) >= MANY}


def _reached(roots: list[type[BaseModel]]) -> set[type[BaseModel]]:
    found: set[type[BaseModel]] = set()
    waiting = list(roots)
    while waiting:
        if (model := waiting.pop()) not in found:
            found.add(model)
            waiting += nested_models(model)
    return found


def _below(kind: type[Params]) -> Iterator[type[Params]]:
    for inner in kind.__subclasses__():
        yield inner
        yield from _below(inner)


def _section(
    path: str,
    kind: type[BaseModel],
    shared: set[type[BaseModel]],
    without: frozenset[str] = frozenset(),
    title: str = "",
) -> str:
    heading = (
        f"## {title or code(path)} {{ #{(title or path).replace('.', '-')} }}\n" if title or path else ""
    )
    where = f"In {code(path)}.\n" if title and path else ""
    found = _rows(path, "", kind, kind, shared)
    rows = [row for row in found if re.split(r"[.\[]", row[0].strip("`"))[0] not in without]
    return "\n".join([heading, where, docstring(kind) + "\n", table(HEADER, rows)])


def _rows(
    path: str,
    prefix: str,
    kind: type[BaseModel],
    root: type[BaseModel],
    shared: set[type[BaseModel]],
) -> Iterator[list[str]]:
    """Yield a row for each key of a model, and for those of the models in it."""
    schema = kind.model_json_schema(by_alias=True)
    required = schema.get("required", [])
    for name, field in kind.model_fields.items():
        key = field.alias or name
        facts: Mapping[str, Any] = schema["properties"][key]
        inner = model_of(field.annotation)
        place = ".".join(filter(None, [path, prefix, key]))
        if key in required:
            default = "required"
        elif field.default_factory_takes_validated_data:
            default = "by the other keys"
        else:
            default = default_text(field.get_default(call_default_factory=True))
            default = f"{default}; the paper: {facts['paper']}" if "paper" in facts else default
            default = _with_sample(default, default_text(field.get_default(call_default_factory=True)), place)
        meaning = field_meaning(kind, name)
        if isinstance(values := field.get_default(), Mapping) and values and "replaces" not in meaning:
            meaning = f"{meaning.rstrip('.;')}; {REPLACED}" if meaning else REPLACED
        if inner in shared:
            meaning = " ".join(
                filter(None, [meaning, f"Keys: [{inner.__name__}](shared.md#{inner.__name__})."])
            )
        yield [
            code(f"{prefix}.{key}" if prefix else key),
            type_text(facts, schema.get("$defs", {})),
            default,
            bounds(facts),
            meaning,
        ]
        if inner is not None and inner not in shared and inner not in (root, kind):
            below = ".".join(filter(None, [prefix, key + _names(facts)]))
            yield from _rows(path, below, inner, root, shared)


def _with_sample(said: str, default: str, place: str) -> str:
    """Return what is said of a default, with the values that the sample's params.yaml has in place of it.

    Below `<name>` these are the different values of all names.
    """
    values: list[Any] = [document()]
    for name in place.split("."):
        mappings = [value for value in values if isinstance(value, Mapping)]
        if name == "<name>":
            values = [inner for mapping in mappings for inner in mapping.values()]
        else:
            values = [mapping[name] for mapping in mappings if name in mapping]
    given = [value for value in values if value is not None and not isinstance(value, Mapping)]
    texts = list(dict.fromkeys(map(default_text, given)))
    return said if texts in ([], [default]) else f"{said}; the sample: {', '.join(texts)}"


def _names(facts: Mapping[str, Any]) -> str:
    """Return what separates a key from the keys of the models in it: `sizes.<name>`, `exclude[]`."""
    choices = [facts, *facts.get("anyOf", [])]
    if any(choice.get("type") == "array" for choice in choices):
        return "[]"
    return ".<name>" if any("additionalProperties" in choice for choice in choices) else ""
