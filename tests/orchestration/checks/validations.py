"""Run a validation on rows and return its findings."""

import dataclasses

import pyarrow as pa

from assets.declare.expectations import between, not_null, steady, unique
from ops.core.counts import counts
from ops.core.outcome import Outcome, Shape, columns
from orchestration.checks import history, validate
from orchestration.checks.history import Result
from orchestration.definitions import workspace
from orchestration.files.identity import folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.state.freshness import Manifest

COUNTS = {"kept": 5, "dropped": 2, "rejected": 1}


def entry(month="2018-06", version="v1", *results):
    return history.entry(month, "run", version, "suite", COUNTS, results)


MET = Result(not_null("id")[0], True, 0, "5 rows")


SHAPE = Shape(unit=columns(), kept=columns(("score", pa.float64()), ("text", pa.string())))


SUITE = (
    *not_null("id"),
    unique("id"),
    between("score", 0, 1),
    between("text.characters", 2, severity="warning"),
    *steady(),
)


def checking(tmp_workspace):
    """Validate a month of rows as if they had just been made; return the two findings."""
    dataset = dataclasses.replace(workspace().datasets["talksumm/pairs"], shape=SHAPE, expectations=SUITE)

    def check(scores, suite=SUITE, text="some text", month="2018-06"):
        folder = tmp_workspace.root / "made"
        folder.mkdir(exist_ok=True)
        rows = [
            {"id": f"r{index}", "source_ids": ["f"], "licence": "CC0", "score": score, "text": text}
            for index, score in enumerate(scores)
        ]
        write_outcomes(folder, [Outcome.of(SHAPE, [row["id"] for row in rows], rows)], SHAPE)
        record = Manifest({}, folder_hashes(folder), counts(folder))
        chosen = dataclasses.replace(dataset, expectations=tuple(suite))
        return validate.check(tmp_workspace, chosen, month, folder, record, "run-1")

    check.dataset, check.workspace = dataset, tmp_workspace
    return check
