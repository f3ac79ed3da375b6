"""Files that are made of all parts of a step.

Belongs here: putting them beside the last part. Not here: what is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ops.outcome import Outcome, Outcomes, Shape


def with_files(
    outcomes: Iterable[Outcome], shape: Shape, files: Callable[[], Mapping[str, bytes]]
) -> Outcomes:
    """Yield the outcomes, the last of them with `files()`, which is called when all others are done.

    Without any, one that is empty but for the files.
    """
    last: Outcome | None = None
    for outcome in outcomes:
        if last is not None:
            yield last
        last = outcome
    yield replace(last or Outcome.of(shape, [], []), files=dict(files()))
