"""`make browser`: find or install the Chromium that the browser tests drive.

Belongs here: where a Chromium may be, and how to install one. Not here: how pages are opened (visit.py).
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from tests.machine import MissingError, install_packages, last_line, run

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: A browser without any font measures all text as empty.
PACKAGES = ("chromium", "fonts-liberation")
WHERE = (
    "from playwright.sync_api import sync_playwright as p\nwith p() as it: print(it.chromium.executable_path)"
)


class NoBrowserError(MissingError):
    """There is no Chromium, and none could be installed."""


def find() -> Path:
    """Return a Chromium that starts. Raises NoBrowserError, naming the places that were searched."""
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
    """Find a Chromium, or install one. Raises NoBrowserError, listing everything that was tried."""
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
    """The path of Playwright's own Chromium, whether it exists or not.

    Runs in a separate process, because Playwright can run only once in a process.
    """
    return run([sys.executable, "-c", WHERE]).stdout.strip()


def _start(path: str) -> None:
    """Start the program; a launcher without its browser, or a browser without its libraries, fails."""
    done = run([path, "--version"])
    if done.returncode != 0 or "chrom" not in done.stdout.lower():
        raise NoBrowserError(f"{path} does not start: {last_line(done)}")


if __name__ == "__main__":
    try:
        print(f"browser: {install()}")
    except NoBrowserError as error:
        sys.exit(f"error: {error}")
