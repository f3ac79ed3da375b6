"""The console log of a run of the project's own commands, where Dagster shows the output of a run.

Belongs here: writing it when the run has ended. Not here: the output of runs that Dagster itself starts: it
captures that. Commands do not let it: it would take the output of the whole process, the display of progress
too, and start four processes a run.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from dagster._core.storage.compute_log_manager import ComputeIOType
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

from orchestration.dagster.instance import home, instance


def write_console_log(run: dg.ExecuteInProcessResult) -> None:
    """Write every event of a run, a line each, with errors whole; a full disk costs the log alone."""
    captured = (event for event in run.all_events if event.event_type is dg.DagsterEventType.LOGS_CAPTURED)
    if (event := next(captured, None)) is None:
        return
    logs = LocalComputeLogManager(str(home() / "storage"))  # where Dagster keeps them by default
    key = logs.build_log_key_for_run(run.run_id, event.logs_captured_data.file_key)
    with contextlib.suppress(OSError):
        with logs.open_log_stream(key, ComputeIOType.STDERR) as stream:
            assert stream is not None, "it is a file"
            stream.writelines(f"{line}\n" for line in _lines(run.run_id))
        Path(logs.complete_artifact_path(key)).touch()  # type: ignore[no-untyped-call]


def _lines(run_id: str) -> Iterator[str]:
    for entry in instance().all_logs(run_id):
        time = datetime.fromtimestamp(entry.timestamp, UTC).strftime("%Y-%m-%d %H:%M:%S")
        level = logging.getLevelName(int(entry.level))
        what = [entry.step_key, entry.dagster_event.event_type_value if entry.dagster_event else None]
        yield " - ".join([time, level, *filter(None, what), entry.message])
        data = entry.dagster_event.event_specific_data if entry.dagster_event else None
        if (error := getattr(data, "error", None) or entry.error_info) is not None:
            yield error.to_string()
