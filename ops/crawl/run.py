"""Begin a crawl in a process of its own, and hear how far it is.

Belongs here: the child's beginning and end. Not here: what it does (child.py), and what becomes of what it
fetched (outcomes.py).
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import ops
from ops.crawl.captures.options import CaptureOptions
from ops.crawl.options import CAPTURES, URLS, CrawlOptions
from ops.crawl.url_list import FORMATS

#: What every crawl is handed of the environment, as patterns of names: no secrets of other programs.
_ENVIRONMENT = (
    *("PATH", "HOME", "LANG", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP", "PYTHON*", "LD_LIBRARY_PATH"),
    *("*_PROXY", "*_proxy", "SSL_CERT_*", "SILVERLOOM_*"),
)

#: What the process that fetches knows of the options of a kind.
_OPTIONS: Mapping[str, type[CrawlOptions]] = {
    CAPTURES: CaptureOptions,
    **{kind: form.options for kind, form in FORMATS.items()},
}


class CrawlError(RuntimeError):
    """A crawl that ended before it was through: what it has is kept, and the next run goes on from it."""


def run(
    folder: Path,
    former: Path | None,
    urls: Sequence[str],
    options: CrawlOptions,
    root: Path,
    tell: Callable[[int, int], None],
    kind: str = URLS,
    month: str = "",
    queries: Sequence[str] = (),
) -> None:
    """Ask for all URLs, and what they lead to, that the journal in `folder` has no outcome of.

    Of a `kind` that lists, `urls` are lines of it: queries, or what lists the items of a `month`. `queries`
    are those of a search whose lines list them, which the journal knows. `former` is
    the folder of another journal, whose pages are asked for on condition that they changed. `tell` is called
    with how many URLs are done and how many are known. Raises CrawlError.
    """
    from ops.crawl.child import PLAN, Plan

    plan = Plan(
        kind=kind,
        month=month,
        urls=urls,
        queries=queries,
        options=options.model_dump(mode="json", include=set(_OPTIONS[kind].model_fields)),
        digest=options.digest,
        root=str(root),
        former=str(former) if former else None,
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PLAN).write_text(plan.model_dump_json())
    ours, theirs = socket.socketpair()  # its end tells the child that this process is gone, however it went
    with tempfile.TemporaryFile() as printed, ours, ours.makefile() as progress:
        with theirs:
            child = subprocess.Popen(
                [sys.executable, "-m", "ops.crawl.child", str(folder), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=environment(options),
                start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the child
            )
        try:
            for line in progress:
                done, known = map(int, line.split())
                tell(done, known)
            status = child.wait()
        finally:
            child.kill()
            child.wait()
        if status != 0:
            printed.seek(0)
            last = printed.read().decode(errors="replace").strip().splitlines()[-3:]
            raise CrawlError(f"the crawl ended with status {status}: {' '.join(last)[:500]}")


def environment(options: CrawlOptions) -> dict[str, str]:
    """Return the environment of the process that fetches: what it needs of this one's."""
    patterns = (*_ENVIRONMENT, *options.environment)
    handed = {
        name: value
        for name, value in os.environ.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    return {**handed, "PYTHONPATH": str(Path(ops.__path__[0]).parent)}
