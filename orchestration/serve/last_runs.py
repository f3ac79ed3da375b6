"""The last runs, as Dagster's server tells them: what was made, and what failed and was not made since.

Belongs here: asking and sorting. Not here: how it is shown (templates/home.html), what is failed, stale or
missing by the manifests (dagster/health.py), which takes longer than a page may.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

import urllib3

#: How many runs are asked for, how many of each kind are shown, and seconds to wait for Dagster.
ASKED, _SHOWN, _TIMEOUT = 100, 10, 3.0

#: Dagster's documented GraphQL query of runs, newest first.
_QUERY = f"""{{
  made: runsOrError(filter: {{statuses: [SUCCESS]}}, limit: {ASKED}) {{ ...runs }}
  failed: runsOrError(filter: {{statuses: [FAILURE, CANCELED]}}, limit: {ASKED}) {{ ...runs }}
}}
fragment runs on Runs {{ results {{
  runId creationTime startTime endTime assetSelection {{ path }} tags {{ key value }}
}} }}
"""

#: The last times that an asset was made: in a partition, and at all. Events of `sync` may say "absent".
_MADE = """assetOrError(assetKey: {path: %s}) { ... on Asset {
  of_partition: assetMaterializations(partitions: [%s], limit: 10) { ...made }
  of_any: assetMaterializations(limit: 10) { ...made }
} }
"""
_ABSENT = {"key": "dagster/data_version", "value": "absent"}  # Dagster is too large to import here
_FRAGMENT = "fragment made on MaterializationEvent { timestamp partition tags { key value } }"

#: An asset's path and a partition, or "".
_Place: TypeAlias = tuple[tuple[str, ...], str]


@dataclass(frozen=True)
class LastRun:
    """A run that has ended."""

    what: str
    """The datasets and the partition."""
    ended: float
    """In seconds since 1970."""
    page: str
    """The address of its page."""

    @property
    def when(self) -> str:
        """When it ended, in UTC."""
        return datetime.fromtimestamp(self.ended, UTC).strftime("%Y-%m-%d %H:%M")


def last_runs(dagster: str) -> tuple[list[LastRun], list[LastRun]] | None:
    """Return the last runs that made something and those that failed; None if Dagster does not answer.

    `dagster` is the address of its server. Runs that make no assets, such as those of `sync`, are left out.
    """
    try:
        data = _ask(dagster, _QUERY)
        made, failed = (
            [run for run in data[kind]["results"] if run["assetSelection"]] for kind in ("made", "failed")
        )
        newest = {_places(run): run for run in reversed(failed)}
        times = _times(dagster, {place for places in newest for place in places})
    except (urllib3.exceptions.HTTPError, ValueError, LookupError, TypeError):
        return None
    still = [run for run in failed if newest[_places(run)] is run and not _mended(run, times)]
    return [_shown(run, dagster) for run in made[:_SHOWN]], [_shown(run, dagster) for run in still[:_SHOWN]]


def _ask(dagster: str, query: str) -> Mapping[str, Any]:
    asked = {"query": query}
    answer = urllib3.request("POST", f"{dagster}graphql", json=asked, timeout=_TIMEOUT, retries=False)
    data: Mapping[str, Any] = answer.json()["data"]
    return data


def _places(run: Mapping[str, Any]) -> tuple[_Place, ...]:
    return tuple(sorted((tuple(key["path"]), _partition(run)) for key in run["assetSelection"]))


def _partition(run: Mapping[str, Any]) -> str:
    return next((str(tag["value"]) for tag in run["tags"] if tag["key"] == "dagster/partition"), "")


def _times(dagster: str, places: Iterable[_Place]) -> dict[_Place, float]:
    """Return when each partition was made last, in seconds since 1970; 0 if never."""
    listed = sorted(places)
    if not listed:
        return {}
    asked = [
        f"a{index}: " + _MADE % (json.dumps(path), json.dumps(partition))
        for index, (path, partition) in enumerate(listed)
    ]
    data = _ask(dagster, f"{{ {' '.join(asked)} }} {_FRAGMENT}")
    return {place: _last(data[f"a{index}"]) for index, place in enumerate(listed)}


def _last(asset: Mapping[str, Sequence[Mapping[str, Any]]]) -> float:
    """Return when it was made last. An asset without partitions may be made with those of others."""
    events = [*asset.get("of_partition", ())]
    events += [event for event in asset.get("of_any", ()) if event["partition"] is None]
    made = [event for event in events if _ABSENT not in event["tags"]]
    return max((float(event["timestamp"]) / 1000 for event in made), default=0.0)


def _mended(run: Mapping[str, Any], times: Mapping[_Place, float]) -> bool:
    """Return whether all that a failed run should have made is made: by itself, or the rest since."""
    last = [times[place] for place in _places(run)]
    return min(last) >= (run["startTime"] or _ended(run)) and max(last) > _ended(run)


def _ended(run: Mapping[str, Any]) -> float:
    return float(run["endTime"] or run["creationTime"])


def _shown(run: Mapping[str, Any], dagster: str) -> LastRun:
    first, *more = sorted("/".join(key["path"]) for key in run["assetSelection"])
    shown = f"{first} and {len(more)} more" if more else first
    return LastRun(f"{shown} {_partition(run)}".strip(), _ended(run), f"{dagster}runs/{run['runId']}")
