"""Models that are packages or files: where they are installed, and the digest of their bytes.

Belongs here: finding such a model and its digest. Not here: models of the hub (hub.py), a digest of any name
(digest.py), and loading, which is a module for each kind of model, so that what uses one kind does not depend
on the packages of another.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
#: The wheels that the models come from, with their hashes. Set-up leaves the second file's out.
MODELS_TXT, WHISPER_MODELS_TXT = _ROOT / "models.txt", _ROOT / "whisper-models.txt"

#: What installs each.
_INSTALLS = {MODELS_TXT: "make setup", WHISPER_MODELS_TXT: "make whisper"}

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)==\S+ --hash=sha256:(?P<digest>[0-9a-f]{64})")


class ModelNotInstalledError(LookupError):
    """A model is named that this machine does not have; the message says what brings it."""


def installed_digest(name: str) -> str:
    """Return the sha256 of a package's wheel or of a file's bytes.

    Raises ModelNotInstalledError if `name` is neither in models.txt or whisper-models.txt nor a file.
    """
    if is_file(name):
        return _file_digest(name)
    pinned = _pinned(MODELS_TXT) | _pinned(WHISPER_MODELS_TXT)
    if name not in pinned:
        raise ModelNotInstalledError(
            f"no model {name!r} in {MODELS_TXT.name} or {WHISPER_MODELS_TXT.name}, which have "
            f"{', '.join(sorted(pinned))}: add its line "
            "(name==version --hash=sha256:...) and run `make setup`"
        )
    return pinned[name]


def is_listed(name: str) -> bool:
    """Return whether a name is in models.txt or whisper-models.txt."""
    return name in _pinned(MODELS_TXT) or name in _pinned(WHISPER_MODELS_TXT)


def is_file(name: str) -> bool:
    """Return whether a name stands for a file or a folder, be it there or not: its first letters tell."""
    return name.startswith(("/", "./", "../", "~"))


def existing(name: str) -> Path:
    """Return the path of a file or a folder. Raises ModelNotInstalledError if it is not there."""
    path = Path(name).expanduser()
    if not path.exists():
        raise ModelNotInstalledError(f"model {name!r}: there is no such file")
    return path


def module(name: str) -> str:
    """Return the name under which Python imports the package of a model."""
    return name.replace("-", "_")


def package_folder(name: str) -> Path:
    """Return where the package of a model is installed. Raises ModelNotInstalledError if it is not."""
    spec = importlib.util.find_spec(module(name)) if module(name).isidentifier() else None
    if spec is None or spec.origin is None:
        # Where the project is not (ops/models/served.py), the lists are not, either.
        extra = WHISPER_MODELS_TXT.is_file() and name in _pinned(WHISPER_MODELS_TXT)
        of = WHISPER_MODELS_TXT if extra else MODELS_TXT
        raise ModelNotInstalledError(
            f"model {name!r} is not installed: run `{_INSTALLS[of]}`, which installs {of.name}"
        )
    return Path(spec.origin).parent


@lru_cache(maxsize=2)
def _pinned(of: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(of.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _REQUIREMENT.fullmatch(line.strip())
        if match is None:
            raise ValueError(f"{of.name}, line {number}: not `name==version --hash=sha256:...`: {line!r}")
        found[match["name"]] = match["digest"]
    return found


def vocabulary_of(matrix: Path) -> Path:
    """Return the file of the words of an .npy matrix. Raises ModelNotInstalledError if it is not there."""
    return existing(str(matrix.with_suffix(".vocab.txt")))


def _file_digest(name: str) -> str:
    """Return the sha256 of a file; of several, that of their relative names and hashes."""
    path = existing(name)
    if path.is_file() and path.suffix != ".npy":
        return _sha256(path)
    files = (
        sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path, vocabulary_of(path)]
    )
    base = path if path.is_dir() else path.parent
    lines = "".join(f"{file.relative_to(base).as_posix()} {_sha256(file)}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
