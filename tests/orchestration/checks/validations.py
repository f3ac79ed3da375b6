"""Run a validation on rows and return its findings."""

import dataclasses

import pyarrow as pa

from silverloom.assets.declare.expectations import between, not_null, steady, unique
from silverloom.ops.core.counts import counts
from silverloom.ops.core.outcome import Outcome, Shape, columns
from silverloom.orchestration.checks import validate
from silverloom.orchestration.checks.conservation import accepted, recorded
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.state.freshness import Manifest, write_manifest

KEY = {"inputs": {}, "params": {}, "code": {}}

SHAPE = Shape(unit=columns(), kept=columns(("score", pa.float64()), ("text", pa.string())))


SUITE = (
    *not_null("id"),
    unique("id"),
    between("score", 0, 1),
    between("text.characters", 2, severity="warning"),
    *steady(),
)


def checking(tmp_workspace):
    """Validate a month of rows as if they had just been made, and record it if it passes; return the findings."""
    dataset = dataclasses.replace(workspace().datasets["talksumm/pairs"], shape=SHAPE, expectations=SUITE)

    def check(scores, suite=SUITE, text="some text", month="2018-06"):
        folder = tmp_workspace.root / "made"
        folder.mkdir(exist_ok=True)
        rows = [
            {"id": f"r{index}", "source_ids": ["f"], "licence": "CC0", "score": score, "text": text}
            for index, score in enumerate(scores)
        ]
        write_outcomes(folder, [Outcome.of(SHAPE, [row["id"] for row in rows], rows)], SHAPE)
        record = Manifest(KEY, folder_hashes(folder), counts(folder))
        chosen = dataclasses.replace(dataset, expectations=tuple(suite))
        findings = validate.check(tmp_workspace, chosen, month, folder, record)
        if accepted(findings):
            record = dataclasses.replace(record, checks=recorded(findings))
            write_manifest(tmp_workspace, chosen, month, record)
        return findings

    check.dataset, check.workspace = dataset, tmp_workspace
    return check
