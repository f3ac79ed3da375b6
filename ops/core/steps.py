"""Datasets of one corpus, made one after the other in a temporary folder: what needs no project.

Belongs here: storing the kept rows of each step, counting what it loses, the params of all steps. Not here:
the steps (each system's `chain.py`), publication, versions and checks, which are a project's (orchestration).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from silverloom.ops.core.joins import stored
from silverloom.ops.core.outcome import Outcome, Shape
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Engine, OneProcess, Parts

Section = TypeVar("Section", bound=Params)

#: Rejected units whose errors are remembered; the others are only counted.
_ERRORS = 20


def _ignore(text: str) -> None:
    """Ignore a line of text."""


class Sections:
    """The params of steps, by their class: `sections[ExampleParams]`."""

    def __init__(self, sections: Iterable[Params]) -> None:
        self._sections = {type(section): section for section in sections}

    @classmethod
    def defaults(cls, kinds: Iterable[type[Params]]) -> Sections:
        """Return the defaults of some classes."""
        return cls(kind() for kind in kinds)

    def __getitem__(self, kind: type[Section]) -> Section:
        section = self._sections[kind]
        assert isinstance(section, kind)
        return section


class Steps:
    """Makes datasets below `folder`, and remembers the units that they lose.

    `tell` gets a line of text with each finished part.
    """

    def __init__(
        self, folder: Path, engine: Engine | None = None, tell: Callable[[str], object] = _ignore
    ) -> None:
        self.folder, self.engine, self._tell = folder, engine or OneProcess(), tell
        self.dropped: dict[str, Counter[str]] = {}
        """The number of dropped units by reason, by dataset."""
        self.rejected: Counter[str] = Counter()
        """The number of rejected units by dataset."""
        self.errors: list[str] = []
        """The first errors, each with file, row and cause."""

    def made(self, name: str, shape: Shape, outcomes: Iterable[Outcome] = ()) -> Parts:
        """Store the kept rows of a step, part by part, and return them. Without outcomes, it has no rows."""
        like = Parts(shape.kept, (), self.engine)
        return stored(self._kept(name, shape, outcomes), shape.kept, like, self.folder / name)

    def _kept(self, name: str, shape: Shape, outcomes: Iterable[Outcome]) -> Iterator[pa.Table]:
        units, parts = 0, 0
        reasons = self.dropped.setdefault(name, Counter())
        for outcome in outcomes:
            reasons.update(outcome.dropped["reason"].to_pylist())
            self.rejected[name] += outcome.rejected.num_rows
            if outcome.rejected.num_rows:
                self.errors += outcome.rejected["error"].to_pylist()[: _ERRORS - len(self.errors)]
            units += len(outcome.units)
            self._tell(f"{name}: {units:,} done")
            parts += 1
            yield outcome.kept
        if not parts:
            yield shape.kept.empty_table()
