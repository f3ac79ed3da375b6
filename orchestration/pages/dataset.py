"""One page a dataset: what came in, what became of it and why, and how what was kept is distributed.

Belongs here: the funnel, the months, the distributions, columns and params. Not here: single rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from assets.declare.declaration import Declaration
from assets.declare.report import Everything, Files
from ops.measures import edges
from ops.outcome import meaning
from orchestration.files.page_paths import page_path
from orchestration.files.parquet import TABLES
from orchestration.lineage.rows import Counted
from orchestration.pages.html import render
from orchestration.pages.system import systems
from orchestration.quality.profile import profile, total


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield a page for every dataset."""
    pictures = {name: link for system in systems() for name, link in system.pictures.items()}
    parts = {name: part for system in systems() for name, part in system.dataset_parts.items()}
    for name, one in numbers.items():
        shapes = total(profile(folder, one.item.measures) for folder in everything[name].values())
        steps = [numbers[step.name] for step in lineage(one.item, numbers)]
        part = parts.get(name)
        added = part.data(everything[name].values()) if part else {}
        data = {
            "name": name,
            **added,
            "months": _months(one),
            "funnel": [entry for step in steps for entry in _funnel(step)],
            "measures": [
                {"name": measure, "edges": edges(measure), "counts": counts}
                for measure, counts in shapes.items()
            ],
        }
        yield render(
            page_path(name),
            "dataset.html",
            name,
            data=data,
            one=one,
            steps=steps,
            pictures=pictures.get(name),
            part=part,
            columns=_columns(one.item),
            params={path: _flow(value) for path, value in sorted(one.item.values.items())},
            **added,
        )


def lineage(item: Declaration, numbers: Mapping[str, Counted]) -> list[Declaration]:
    """Return the datasets whose units became this one's, the first one first: follow what each consumes."""
    chain = [item]
    while chain[0].consumes:
        argument = chain[0].consumes.partition(".")[0]
        source = next(source for source in chain[0].inputs if source.argument == argument)
        chain.insert(0, numbers[source.key.to_user_string()].item)
    return chain


def _months(one: Counted) -> list[dict[str, Any]]:
    """Return rows by month and by what became of them, dropped ones by reason."""
    entries = []
    for month, counts in one.rows.items():
        for table in ("kept", "rejected"):
            entries.append({"month": month or "all", "outcome": table, "reason": "", "rows": counts[table]})
        for reason, rows in one.reasons[month].items():
            entries.append({"month": month or "all", "outcome": "dropped", "reason": reason, "rows": rows})
    return entries


def _funnel(one: Counted) -> list[dict[str, Any]]:
    return [{"step": one.item.name, "outcome": table, "rows": one.total(table)} for table in TABLES]


def _columns(item: Declaration) -> list[tuple[str, str, str]]:
    """Return name, type and meaning of the kept rows' columns."""
    assert item.shape is not None
    return [(column.name, str(column.type), meaning(column)) for column in item.shape.kept]


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=False, sort_keys=True, width=100)
    return text.removesuffix("...\n").strip()
