"""What a command shows while it works: a live display on a terminal, occasional lines anywhere else.

Belongs here: the partitions in progress and how far along each is. Not here: where events come from
(messages.py), and the lines about finished partitions (loop.py).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Column

from silverloom.orchestration.messages import Event, Intervals, Notice, PartitionProgress, duration


@dataclass(frozen=True)
class _Escaped:
    """A partition's progress, rendered when it is displayed, so that the time left counts down."""

    progress: PartitionProgress

    def __str__(self) -> str:
        return escape(str(self.progress))


class Display:
    """The partitions in progress, on one console. `total` is the number of partitions to check."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", table_column=Column(no_wrap=True)),
            BarColumn(bar_width=None, table_column=Column(ratio=1, max_width=24)),
            TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
            TextColumn("{task.fields[text]}", table_column=Column(no_wrap=True)),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._overall = self._bars.add_task("partitions", total=total, text=f"0 of {total}")
        self._rows: dict[str, Task] = {}
        self._lock = threading.Lock()  # worker events arrive on other threads
        self._stopped = threading.Event()

    def __enter__(self) -> Display:
        self._bars.start()  # does nothing without a terminal
        if not self._console.is_terminal:
            threading.Thread(target=self._write_lines, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()
        self._stopped.set()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Hand the terminal over to other programs for a while."""
        self._bars.stop()
        try:
            yield
        finally:
            self._bars.start()

    def begin(self, partition: str) -> None:
        """Start showing a partition."""
        with self._lock:
            row = self._bars.add_task(escape(partition), total=None, text="", intervals=Intervals())
            self._rows[partition] = next(task for task in self._bars.tasks if task.id == row)

    def __call__(self, event: Event) -> None:
        """Show a partition's progress, or a notice about it."""
        with self._lock:
            if isinstance(event, Notice):
                self._console.print(f"{escape(event.partition)}: {escape(event.text)}")
            elif (row := self._rows.get(event.partition)) is not None:
                self._bars.update(row.id, completed=event.done, total=event.total, text=_Escaped(event))

    def end(self, partition: str) -> None:
        """Stop showing a partition."""
        with self._lock:
            self._bars.remove_task(self._rows.pop(partition).id)

    def advance(self) -> None:
        """Count a partition as settled: made, failed, or already fresh."""
        self._bars.advance(self._overall)
        overall = self._bars.tasks[0]
        self._bars.update(self._overall, text=f"{overall.completed:.0f} of {overall.total:.0f}")

    def _write_lines(self) -> None:
        """Write a line of progress per partition at intervals; short partitions get none."""
        while not self._stopped.wait(0.2):
            with self._lock:
                for row in self._rows.values():
                    if row.fields["intervals"].due():
                        since = f"running for {duration(row.elapsed or 0)}"
                        details = ", ".join(filter(None, [str(row.fields["text"]), since]))
                        self._console.print(f"{row.description}: {details}")
