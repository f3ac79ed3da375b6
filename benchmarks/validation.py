"""The cost of checks: 100,000 rows against 10 expectations.

Run: python benchmarks/validation.py. Times are processor time of all threads, so that other load does not
count. They exclude the import of Great Expectations, which is printed separately. The peer is Great
Expectations as in its documentation (a checkpoint with complete results). The floor is the same conditions as
pandas masks, without names, severities, results or failing rows.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from silverloom.assets.declare.expectations import (
    THIS_PARTITION,
    among,
    at_most,
    between,
    matches,
    none,
    not_null,
    unique,
)
from silverloom.ops.core.parts import part_name
from silverloom.orchestration.checks.evaluate import suite
from silverloom.orchestration.checks.results import keep_failing
from silverloom.orchestration.checks.validate import Validation, validate
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.parquet import write_table
from silverloom.orchestration.workspace.workspace import Workspace

ROWS, PART, ROUNDS = 100_000, 10_000, 3
SUITE = [
    *not_null("id", "licence"),
    unique("id"),
    matches("id", r"^row-[0-9a-f]{24}$"),
    among("month", THIS_PARTITION),
    between("score", 0, 1),
    between("text.characters", 1, 1_000),
    *none("text.control_characters", "text.foreign", severity="warning"),
    at_most("low", "high"),
]


def table(bad: float) -> pa.Table:
    """Return rows, of which the share `bad` has a score above 1."""
    draw = np.random.default_rng(0)
    words = np.array(
        ["we", "show", "that", "the", "model", "of", "a", "talk", "is", "aligned", "to", "its", "paper"]
    )
    texts = [" ".join(line) for line in draw.choice(words, (ROWS, 20))]
    low = draw.integers(0, 100, ROWS)
    return pa.table(
        {
            "id": [f"row-{index:024x}" for index in range(ROWS)],
            "licence": ["CC-BY-4.0"] * ROWS,
            "month": ["2018-06"] * ROWS,
            "score": draw.random(ROWS) + (draw.random(ROWS) < bad),
            "text": texts,
            "low": low,
            "high": low + draw.integers(0, 9, ROWS),
        }
    )


def checkpoint(rows: pa.Table) -> object:
    """Validate as in Great Expectations' documentation: with a checkpoint and complete results."""
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("pandas").add_dataframe_asset("rows")
    batch = asset.add_batch_definition_whole_dataframe("whole")
    made = context.suites.add(suite("rows", SUITE, "2018-06"))
    definition = context.validation_definitions.add(
        gx.ValidationDefinition(name="rows", data=batch, suite=made)
    )
    run = gx.Checkpoint(name="rows", validation_definitions=[definition], result_format="COMPLETE")
    return context.checkpoints.add(run).run(batch_parameters={"dataframe": measured_frame(rows)})


def measured_frame(rows: pa.Table) -> pd.DataFrame:
    """Return the suite's columns as a data frame, including measures."""
    from silverloom.ops.core.row_measures import measured

    return pa.table({name: measured(rows, name) for item in SUITE for name in item.columns}).to_pandas()


def masks(rows: pa.Table) -> int:
    """Count the failing rows with pandas masks."""
    frame = measured_frame(rows)
    broken = (
        frame["id"].isna()
        | frame["licence"].isna()
        | frame["id"].duplicated(keep=False)
        | ~frame["id"].str.match(r"^row-[0-9a-f]{24}$")
        | ~frame["month"].isin(["2018-06"])
        | ~frame["score"].between(0, 1)
        | ~frame["text.characters"].between(1, 1_000)
        | (frame["text.control_characters"] > 0)
        | (frame["text.foreign"] > 0)
        | (frame["low"] > frame["high"])
    )
    return int(broken.sum())


def least(run: Callable[[], object]) -> float:
    """Return the best time of several rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


def validations(bad: float, folder: Path) -> None:
    """Measure the process's first validation and later ones, and print them next to the peers."""
    rows = table(bad)
    for index in range(ROWS // PART):
        write_table(rows.slice(index * PART, PART), folder / part_name("kept", index))

    def ours() -> Validation:
        return validate(folder, SUITE, {}, "2018-06")

    def with_rows() -> None:
        keep_failing(Workspace(folder.parent), item, "2018-06", folder, ours().results)

    item = workspace().datasets["talksumm/pairs"]
    begin = time.process_time()
    found = ours()
    first = time.process_time() - begin
    later, kept = least(ours), least(with_rows)
    peer = least(lambda: checkpoint(pq.read_table(folder)))
    floor = least(lambda: masks(pq.read_table(folder)))
    failed = sum(result.unexpected for result in found.results)
    print(
        f"{ROWS:,} rows, {len(SUITE)} expectations, {failed:,} failing: {first:.2f} s at first, "
        f"{later:.2f} s then, {kept:.2f} s with the failing rows kept (target 1 s)"
    )
    print(
        f"  as a checkpoint {peer:.2f} s, {peer / later:.1f}x ours; "
        f"pandas masks {floor:.2f} s, ours {later / floor:.1f}x them"
    )


def main() -> None:
    """Measure and print."""
    begin = time.process_time()
    import great_expectations  # noqa: F401

    print(f"importing Great Expectations: {time.process_time() - begin:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        for bad in (0.0, 0.01, 1.0):
            place = Path(folder) / f"rows-{bad}"
            place.mkdir()
            validations(bad, place)


if __name__ == "__main__":
    main()
