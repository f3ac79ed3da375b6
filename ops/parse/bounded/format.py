"""A format whose parser runs in the bounded child.

Belongs here: the wrapper. Not here: the formats, whose `split` stays in this process: it reads bytes within
bounds, and asks the child what lines of JSON and rows of tables hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ops.params import Params
from ops.parse.bounded.bounds import BOUNDS, Bounds
from ops.parse.bounded.child import child_of
from ops.parse.bounded.messages import Call
from ops.parse.encodings import any_encoding
from ops.parse.source import Format, Only, Raw, Source

Document = TypeVar("Document", covariant=True)


@contextmanager
def parsed_next(raws: Iterable[tuple[object, Raw]]) -> Iterator[None]:
    """Let the children know which records will be parsed next, each by which format."""
    calls: defaultdict[Bounds, list[Call]] = defaultdict(list)
    for form, raw in raws:
        if isinstance(form, BoundedFormat):
            calls[form.bounds].append((form.form.parse, (raw,)))
    with ExitStack() as stack:
        for bounds, of_child in calls.items():
            stack.enter_context(child_of(bounds).ahead(of_child))
        yield


@dataclass(frozen=True)
class BoundedFormat(Generic[Document]):
    """Reads records as another format does, in the child; a fault or an excess is a ParseError."""

    form: Format[Document]
    bounds: Bounds = BOUNDS
    quick: bool = False
    """Whether `fields` needs no child: it reads little, in linear time. Every command asks for fields."""

    @property
    def options(self) -> type[Params] | None:
        """The class of the options that the format takes, None where it takes none."""
        return getattr(self.form, "options", None)

    @property
    def any_encoding(self) -> bool:
        """Whether its records are text that does not tell its encoding itself."""
        return any_encoding(self.form)

    @property
    def slow(self) -> bool:
        """Whether a record of it may take minutes."""
        return getattr(self.form, "slow", False)

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the records, see `Format.split`."""
        return self.form.split(folder, source, only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return what a month rule may ask for."""
        if self.quick:
            return self.form.fields(raw)
        return child_of(self.bounds).call(self.form.fields, raw)

    def parse(self, raw: Raw) -> Document:
        """Read the record whole."""
        return child_of(self.bounds).call(self.form.parse, raw)
