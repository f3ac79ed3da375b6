"""A page per dataset: its input units, their outcomes with reasons, and distributions of the kept rows.

Belongs here: the funnel, the partitions, the distributions, columns and params. Not here: single rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.declare.logins import without_logins
from silverloom.assets.rows.reading import Counted
from silverloom.ops.core.measures import edges
from silverloom.ops.core.outcome import meaning
from silverloom.ops.core.profile import profile, total
from silverloom.pages.html import render
from silverloom.pages.paths import DATA_DOCS, page_path
from silverloom.pages.system import systems


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield a page for each dataset."""
    pictures = {name: link for system in systems().values() for name, link in system.pictures.items()}
    parts = {name: part for system in systems().values() for name, part in system.dataset_parts.items()}
    for name, counted in numbers.items():
        dataset = counted.dataset
        assert dataset.shape is not None
        shapes = total(profile(folder, dataset.measures) for folder in everything[name].values())
        part = parts.get(name)
        added = part.data(everything[name].values()) if part else {}
        data = {
            "name": name,
            **added,
            "partitions": list(_partitions(counted)),
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
            counted=counted,
            steps=[numbers[step] for step in steps(dataset, numbers)],
            pictures=pictures.get(name),
            data_docs=f"../{DATA_DOCS}/expectations/silverloom/{name}.html",
            part=part,
            columns=[(column.name, column.type, meaning(column)) for column in dataset.shape.kept],
            params={path: _flow(value) for path, value in sorted(dataset.values.items())},
            **added,
        )


def steps(dataset: Dataset, numbers: Mapping[str, Counted]) -> list[str]:
    """Return the chain of datasets from the source to this one; each consumes the one before."""
    names = [dataset.name]
    while dataset.consumes:
        argument = dataset.consumes.partition(".")[0]
        names.insert(0, next(s.key.to_user_string() for s in dataset.inputs if s.argument == argument))
        dataset = numbers[names[0]].dataset
    return names


def _partitions(dataset: Counted) -> Iterator[dict[str, Any]]:
    """Yield row counts by partition and outcome; dropped rows are counted by reason."""
    for partition, counts in dataset.rows.items():
        outcomes = [("kept", "", counts["kept"]), ("rejected", "", counts["rejected"])]
        outcomes += [("dropped", reason, rows) for reason, rows in dataset.reasons[partition].items()]
        for outcome, reason, rows in outcomes:
            yield {"partition": partition or "all", "outcome": outcome, "reason": reason, "rows": rows}


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=False, sort_keys=True, width=100)
    return without_logins(text.removesuffix("...\n").strip())
