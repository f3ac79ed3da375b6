"""The last runs, as Dagster's server tells them: what was made, and what failed and was not made since.

Belongs here: asking and sorting. Not here: how it is shown (templates/home.html), what is failed, stale or
missing by the manifests (dagster/health.py), which takes longer than a page may.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import urllib3

#: How many runs are asked for, how many of each kind are shown, and seconds to wait for Dagster.
_ASKED, _SHOWN, _TIMEOUT = 100, 10, 3.0

#: Dagster's documented GraphQL query of runs, newest first.
_QUERY = """
query Last($limit: Int!) {
  made: runsOrError(filter: {statuses: [SUCCESS]}, limit: $limit) { ...runs }
  failed: runsOrError(filter: {statuses: [FAILURE, CANCELED]}, limit: $limit) { ...runs }
}
fragment runs on Runs { results { runId jobName endTime assetSelection { path } tags { key value } } }
"""


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

    `dagster` is the address of its server.
    """
    asked = {"query": _QUERY, "variables": {"limit": _ASKED}}
    try:
        answer = urllib3.request("POST", f"{dagster}graphql", json=asked, timeout=_TIMEOUT, retries=False)
        data = answer.json()["data"]
        made, failed = (_runs(data[kind]["results"], dagster) for kind in ("made", "failed"))
    except (urllib3.exceptions.HTTPError, ValueError, LookupError, TypeError):
        return None
    since = {run.what: run.ended for run in reversed(made)}
    still = [run for run in failed if run.ended > since.get(run.what, 0.0)]
    return made[:_SHOWN], list({run.what: run for run in reversed(still)}.values())[::-1][:_SHOWN]


def _runs(results: Iterable[Mapping[str, Any]], dagster: str) -> list[LastRun]:
    runs = []
    for run in results:
        tags = {tag["key"]: tag["value"] for tag in run["tags"]}
        names = ["/".join(key["path"]) for key in run["assetSelection"] or ()] or [run["jobName"]]
        shown = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        what = f"{shown} {tags.get('dagster/partition', '')}".strip()
        runs.append(LastRun(what, run["endTime"] or 0.0, f"{dagster}runs/{run['runId']}"))
    return runs
