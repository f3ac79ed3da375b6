"""What `silverloom init` says: what it found and chose, what it could not know, and what to expect.

Belongs here: these lines. Not here: finding it out (detect.py, survey.py), the project (create.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from silverloom.assets.declare.graph import system_named
from silverloom.orchestration.project.create import UNKNOWN_LICENCE, ProjectSource
from silverloom.orchestration.project.survey import expected


def told(system: str, made: Sequence[ProjectSource], every: str) -> Iterator[str]:
    """Yield what to tell about a new project, line by line."""
    for source in made:
        yield f"{source.told}: {source.folder}"
    for name in dict.fromkeys(source.given.name for source in made if source.licence == UNKNOWN_LICENCE):
        yield (
            f"licence of {name}: unknown, so no release has it or what is made from it; "
            f"say --licence {name}=LICENCE"
        )
    for name in dict.fromkeys(source.given.name for source in made if _lacks_credit(source)):
        yield (
            f"attribution of {name}: none, but its licence asks for one; say --attribution {name}=NAMES, "
            "or write it to params.yaml; --title, --citation and --url are for the card of a release, too"
        )
    there = {source.detected.reader or source.detected.records for source in made}
    for records, without in system_named(system).recommends.items():
        if records not in there:
            yield f"no {records}: {without}; add --source {records}=PATH"
    yield "numerics: fast, so this machine is used as it is; strict gives the same bytes on any (params.yaml)"
    yield from _periods(made, every)
    yield expected(system, [(source.detected.records, source.survey) for source in made])


def _lacks_credit(source: ProjectSource) -> bool:
    return source.licence.startswith("CC-BY") and not source.credits.get("attribution")


def _periods(made: Sequence[ProjectSource], every: str) -> Iterator[str]:
    """Yield which periods a source has: with partitions what they lack, else what option makes some."""
    for source in made:
        survey = source.survey
        if survey.undated and every != "none":
            name = source.given.path.name
            yield f"{name}: records without a {survey.field}, which will be rejected: {survey.undated}"
    if every == "none" and all(source.survey.field for source in made):
        first, last = min(item.survey.first for item in made), max(item.survey.last for item in made)
        yield (
            f"partitions: one for all; the records have dates, from {first} to {last}: "
            "--every month (or year) makes a partition of each"
        )
