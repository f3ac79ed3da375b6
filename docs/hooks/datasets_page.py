"""Pages of every dataset, from its declaration: what it reads, its columns, and why it drops a unit.

Belongs here: a declaration as Markdown. Not here: the words of columns (the shapes in ops/), of reasons
(assets/reasons.py) and of datasets (their functions).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pyarrow as pa
from params_page import SYSTEMS, page_of
from tables import code, table

from silverloom.assets.declare.declaration import DECLARED, Dataset, Key
from silverloom.assets.reasons import reasons_of
from silverloom.orchestration.definitions import workspace

#: What each group of datasets is called.
TITLES = {
    "sources": "Datasets of sources",
    **{name: f"Datasets of {name}" for name in SYSTEMS},
}

_TYPES = {
    "string": "text",
    "large_string": "text",
    "bool": "true or false",
    "binary": "bytes",
    "double": "number",
}


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its name."""
    workspace()  # declares every dataset
    return {
        group: "\n".join([f"# {title}\n", *(_dataset(item) for item in _of_group(group))])
        for group, title in TITLES.items()
    }


def _of_group(group: str) -> list[Dataset]:
    return [item for key, item in DECLARED.items() if key.group == group and item.shape is not None]


def _dataset(item: Dataset) -> str:
    assert item.shape is not None
    lost = reasons_of(item.name)
    dropped = table(["reason", "meaning"], [[code(name), text] for name, text in lost.items()])
    why = ["**Dropped because**\n", dropped] if lost else []
    return "\n".join(
        [
            f"## {item.name} {{ #{anchor(item.name)} }}\n",
            inspect.cleandoc(item.function.__doc__ or "") + "\n",
            table(["", ""], [[f"**{name}**", text] for name, text in _facts(item)]),
            "**Columns**\n",
            table(["column", "type", "meaning"], list(_columns(item.shape.kept))),
            *why,
        ]
    )


def anchor(dataset: str) -> str:
    """Return the anchor of a dataset on the page of its group."""
    return dataset.replace("/", "-")


def _facts(item: Dataset) -> Iterator[tuple[str, str]]:
    if item.replaces:
        yield "replaces", f"{_link(item.replaces.to_user_string())}, for all that is declared later"
    if item.records:
        yield "reads", f"the folders and datasets of `sources.{item.records}` in params.yaml"
        yield "kinds", ", ".join(map(code, sorted(item.formats)))
    if inputs := [
        _input(source.key.to_user_string(), source.all_partitions) for source in item.argument_inputs
    ]:
        yield "inputs", ", ".join(inputs)
    if item.consumes:
        yield (
            "unit",
            f"a row of `{item.consumes}`" if "." not in item.consumes else f"an item of `{item.consumes}`",
        )
    sections = [str(kind.section) for kind in item.params.values()]
    if sections:
        links = [f"[`{name}`](../params/{page_of(name)}.md#{name.replace('.', '-')})" for name in sections]
        yield "params", ", ".join(links)
    yield "partitions", "the periods of `partitions`" if item.partitioned else "one, of all periods"
    beside = "in the partition's folder `__files`"
    if item.trains is not None:
        yield "files", f"trained models, {beside}"
    elif item.files is not None:
        yield "files", beside
    yield "licence", _licence(item)


def _licence(item: Dataset) -> str:
    if item.records:
        return "of each row: that of its source in params.yaml"
    if item.key.asset == "release_files":
        return "only rows whose licences are in `release.licences`"
    return "of each row: those of all rows that it was made from"


def _input(name: str, whole: bool) -> str:
    return (
        f"{_link(name)} (all partitions)"
        if whole and DECLARED[Key(*name.split("/"))].partitioned
        else _link(name)
    )


def _link(name: str) -> str:
    return f"[{code(name)}]({name.partition('/')[0]}.md#{anchor(name)})"


def _columns(schema: pa.Schema, prefix: str = "") -> Iterator[list[str]]:
    """Yield a row for each column, followed by those of the fields in it."""
    for field in schema:
        yield from _column(field, prefix)


def _column(field: pa.Field, prefix: str) -> Iterator[list[str]]:
    kind, inner = _kind(field.type)
    meaning = (field.metadata or {}).get(b"meaning", b"").decode()
    yield [code(prefix + field.name), kind, _escaped(meaning)]
    if inner is not None:
        for index in range(inner.num_fields):
            yield from _column(inner.field(index), f"{prefix}{field.name}.")


def _kind(kind: pa.DataType) -> tuple[str, pa.StructType | None]:
    """Return a type in words, and the struct that it is or holds."""
    if pa.types.is_struct(kind):
        return "fields", kind
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
        text, inner = _kind(kind.value_type)
        return ("list of fields" if inner is not None else f"list of {text}"), inner
    name = str(kind)
    if pa.types.is_integer(kind):
        return f"integer ({name})", None
    return _TYPES.get(name, name), None


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("`", "\\`")
