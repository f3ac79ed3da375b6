"""What a command shows while it works: on a terminal one display that moves, else a line now and then.

Belongs here: the partitions under way and how far each is. Not here: who tells it (messages.py), the lines of
what has ended (loop.py).
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

from orchestration.messages import Event, Intervals, Notice, PartitionProgress, duration


@dataclass(frozen=True)
class _Escaped:
    """How far a partition is at the moment at which it is shown: the time that is left grows less."""

    progress: PartitionProgress

    def __str__(self) -> str:
        return escape(str(self.progress))


class Display:
    """The partitions under way, on one console; `total` is how many there are to look at."""

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
        self._lock = threading.Lock()  # workers are listened to in threads
        self._stopped = threading.Event()

    def __enter__(self) -> Display:
        self._bars.start()  # which does nothing where there is no terminal
        if not self._console.is_terminal:
            threading.Thread(target=self._write_lines, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()
        self._stopped.set()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to others for a while."""
        self._bars.stop()
        try:
            yield
        finally:
            self._bars.start()

    def begin(self, partition: str) -> None:
        """Show a partition that is made from now on."""
        with self._lock:
            row = self._bars.add_task(escape(partition), total=None, text="", intervals=Intervals())
            self._rows[partition] = next(task for task in self._bars.tasks if task.id == row)

    def __call__(self, event: Event) -> None:
        """Show how far a partition is, or what is to be known of it."""
        with self._lock:
            if isinstance(event, Notice):
                self._console.print(f"{escape(event.partition)}: {escape(event.text)}")
            elif (row := self._rows.get(event.partition)) is not None:
                self._bars.update(row.id, completed=event.done, total=event.total, text=_Escaped(event))

    def end(self, partition: str) -> None:
        """Show a partition no longer."""
        with self._lock:
            self._bars.remove_task(self._rows.pop(partition).id)

    def advance(self) -> None:
        """Count a partition that is settled: made, failed, or fresh as it was."""
        self._bars.advance(self._overall)
        overall = self._bars.tasks[0]
        self._bars.update(self._overall, text=f"{overall.completed:.0f} of {overall.total:.0f}")

    def _write_lines(self) -> None:
        """Write how far partitions are, where it is time; quick ones are not spoken of."""
        while not self._stopped.wait(0.2):
            with self._lock:
                for row in self._rows.values():
                    if row.fields["intervals"].due():
                        since = f"under way for {duration(row.elapsed or 0)}"
                        details = ", ".join(filter(None, [str(row.fields["text"]), since]))
                        self._console.print(f"{row.description}: {details}")
