"""Ways to damage a file.

Belongs here: damaging one file. Not here: which files (the tests), and the expected outcome.
"""

import os
import random
from pathlib import Path

#: What each damage leaves in place of the file's bytes.
CONTENTS = {
    "emptied": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "random bytes": lambda content: random.Random(7).randbytes(len(content) or 100),
    "zeros": lambda content: bytes(len(content) or 100),
    "another shape": lambda content: b'{"counts": [], "files": {"../x": 1}, "target": "../../x"}',
    "a list": lambda content: b'[{"relpath": "../x", "md5": "d41d8cd98f00b204e9800998ecf8427e"}, 1]',
}
#: Nothing is unreadable to root.
DAMAGES = (*CONTENTS, *(["unreadable"] if os.geteuid() else []))


def damage(path: Path, how: str) -> None:
    """Damage a file in one of DAMAGES; a missing file is created."""
    content, mode = (path.read_bytes(), path.stat().st_mode) if path.is_file() else (b"", 0o644)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONTENTS.get(how, bytes)(content))
    path.chmod(mode if how in CONTENTS else 0)  # DVC trusts write-protected files
