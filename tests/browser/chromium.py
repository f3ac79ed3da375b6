"""`make browser`: the Chromium that the browser tests drive, found or installed.

Belongs here: where a Chromium may be, and who may install one. Not here: how pages are opened (visit.py).
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from tests.machine import MissingError, install_packages, last_line, run

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: A browser without a single font measures all text as nothing.
PACKAGES = ("chromium", "fonts-liberation")
WHERE = (
    "from playwright.sync_api import sync_playwright as p\nwith p() as it: print(it.chromium.executable_path)"
)


class NoBrowserError(MissingError):
    """There is no Chromium, and none could be installed."""


def find() -> Path:
    """Return a Chromium that starts. Raises NoBrowserError, saying where there is none."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        path = shutil.which(chosen)
        if path is None:
            raise NoBrowserError(f"CHROMIUM={chosen} is no program")
        _start(path)
        return Path(path)
    tried = []
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            try:
                _start(path)
                return Path(path)
            except NoBrowserError as error:
                tried.append(str(error))
    path = _ask_playwright()
    if path and Path(path).is_file():
        _start(path)
        return Path(path)
    raise NoBrowserError(
        "; ".join([f"none of {', '.join(NAMES)} on PATH, nor Playwright's own starts", *tried])
    )


def install() -> Path:
    """Find a Chromium or else install one. Raises NoBrowserError, saying all that was tried."""
    tried = []
    for attempt in (None, _from_debian, _from_playwright):
        try:
            if attempt is not None:
                attempt()
            return find()
        except MissingError as error:
            tried.append(str(error))
            if os.environ.get("CHROMIUM"):
                break
    raise NoBrowserError(
        "the browser tests need Chromium, and none could be had:\n- "
        + "\n- ".join(tried)
        + "\nInstall Chromium or Chrome, or name one by CHROMIUM=/path/to/chrome, and run `make browser` again."
    )


def _from_debian() -> None:
    install_packages(*PACKAGES)


def _from_playwright() -> None:
    """Let Playwright download the Chromium that it was tested with."""
    done = run([sys.executable, "-m", "playwright", "install", "chromium"])
    if done.returncode != 0:
        raise NoBrowserError(f"python -m playwright install chromium: {last_line(done)}")


def _ask_playwright() -> str:
    """Where Playwright keeps a Chromium of its own, be it there or not; asked in a process of its own
    because Playwright can run once in a process only."""
    return run([sys.executable, "-c", WHERE]).stdout.strip()


def _start(path: str) -> None:
    """Run the program; a launcher without its browser, or a browser without its libraries, ends otherwise."""
    done = run([path, "--version"])
    if done.returncode != 0 or "chrom" not in done.stdout.lower():
        raise NoBrowserError(f"{path} does not start: {last_line(done)}")


if __name__ == "__main__":
    try:
        print(f"browser: {install()}")
    except NoBrowserError as error:
        sys.exit(f"error: {error}")
