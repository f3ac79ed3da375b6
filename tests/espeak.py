"""`make speech`: find or install espeak-ng, which speaks the text that the tests of recordings recognise.

Belongs here: the program and its speech. Not here: recognising it (ops/talksumm/sources/speech.py).
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from tests.machine import MissingError, install_packages

NAME = "espeak-ng"


def spoken(text: str) -> bytes:
    """Return a text as speech, in WAV. Raises MissingError."""
    return subprocess.run([find(), "-s", "120", "--stdout", text], stdout=subprocess.PIPE, check=True).stdout


def find() -> str:
    """Return the path of espeak-ng. Raises MissingError."""
    path = shutil.which(NAME)
    if path is None:
        raise MissingError(f"the tests of recordings need {NAME}: run `make speech`, or install it")
    return path


def install() -> str:
    """Find espeak-ng, or install it. Raises MissingError."""
    if shutil.which(NAME) is None:
        install_packages(NAME)
    return find()


if __name__ == "__main__":
    try:
        print(f"speech: {install()}")
    except MissingError as error:
        sys.exit(f"error: {error}")
