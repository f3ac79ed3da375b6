"""File operations of a project's programs: logged, one of them fatal, and what a power cut after it leaves.

Belongs here: compiling and preloading file_operations.c, and losing what was not synced. Not here: what is asserted (the
tests).
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

#: SQLite syncs its files itself, and is tested by its authors.
SQLITE = (".db", ".db-wal", ".db-shm", ".db-journal")

#: What may be left of a file that was not synced.
LOSSES = {
    "dropped": lambda path: path.unlink(),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "halved": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
}


def library(folder: Path) -> Path:
    """Compile the library to preload; skips the test without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    made = folder / "file_operations.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return made


def variables(root: Path, log: Path, begin: str = "", number: int = 0) -> dict[str, str]:
    """Return the environment in which operations below a folder are logged, and the given one kills the process.

    Counting starts with the first operation on a path that contains `begin`.
    """
    return {
        "FAULT_ROOTS": str(root),
        "FAULT_LOG": str(log),
        "FAULT_FROM": begin,
        "FAULT_AT": str(number),
    }


def operations(log: Path) -> list[tuple[str, str, str]]:
    """Return the logged operations: what was done, and to which one or two paths."""
    return [tuple(line.split("\t")) for line in log.read_text().splitlines()]


def unsynced(log: Path) -> set[Path]:
    """Return the files whose latest bytes, or whose new names, are not known to be on disk."""
    written, named = set[str](), set[str]()
    for call, path, other in operations(log):
        if call == "syncfs":
            written, named = set(), set()
        elif call == "fsync":
            written.discard(path)
            named = {name for name in named if Path(name).parent != Path(path)}
        elif call in ("rename", "link"):
            written = set(_renamed(written, path, other))
            named = {*_renamed(named, path, other), other}
        elif call == "unlink":
            written.discard(path)
            named.discard(path)
        elif call in ("write", "empty", "create"):
            written |= {path} if call != "create" else set()
            named |= {path} if call != "write" else set()
    paths = map(Path, written | named)
    return {path for path in paths if path.is_file() and not path.name.endswith(SQLITE)}


def _renamed(names: set[str], old: str, new: str) -> Iterator[str]:
    """Yield the names after a file or folder was renamed over another one."""
    for name in names:
        if name == old or name.startswith(f"{old}/"):
            yield new + name[len(old) :]
        elif name != new:
            yield name


def cut_power(log: Path, loss: str) -> set[Path]:
    """Lose what is not synced, in one way; return the files that were hit."""
    hit = unsynced(log)
    for path in hit:
        mode = path.stat().st_mode
        path.chmod(0o644)
        LOSSES[loss](path)
        if path.exists():
            path.chmod(mode)
    return hit
