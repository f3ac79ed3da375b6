"""Encoder-decoders of Hugging Face on disk: finding one, loading it with its tokenizer, writing both.

Belongs here: any model of `AutoModelForSeq2SeqLM` that has a fast tokenizer. Not here: what it reads
(pretrained.py, ops/models/long_sequences/pretrained.py).

The files are those that Hugging Face writes, in a folder of their own, beside our config: other programs load
that folder by `from_pretrained`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoTokenizer
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
from transformers.utils.logging import disable_progress_bar

from ops.models.hub import hub_snapshot, is_hub_model
from ops.models.installed import existing
from ops.models.network_files import CONFIG, ModelFilesError
from ops.models.seq2seq.shared_once import SharedOnce

#: Where the files of Hugging Face lie among those of a model.
FOLDER = "pretrained"


def load_pretrained(name: str, folder: Path | None = None) -> tuple[Any, Any]:
    """Return the network of a name, or that of a folder, and its tokenizer.

    Raises ModelNotInstalledError if it is not there, ValueError for one that is no encoder-decoder or has no
    fast tokenizer.
    """
    disable_progress_bar()  # it would be drawn over the run's own lines
    place = str(folder or _installed(name))
    config: Any = AutoConfig.from_pretrained(place, local_files_only=True)
    if type(config) not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING:
        raise ValueError(f"{name} is a {config.model_type}: no encoder-decoder")
    kind: Any = MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING[type(config)]
    tokenizer: Any = AutoTokenizer.from_pretrained(place, local_files_only=True)
    if not tokenizer.is_fast:
        raise ValueError(f"{name} has no fast tokenizer (tokenizer.json)")
    network = kind.from_pretrained(place, local_files_only=True, dtype=torch.float32).eval()
    # Afterwards: loading goes by the whole state.
    network.__class__ = type(kind.__name__, (SharedOnce, kind), {})
    return network, tokenizer


def pretrained_files(network: Any, tokenizer: Any) -> dict[str, bytes]:
    """Return both as named bytes, in `FOLDER`."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return {
            f"{FOLDER}/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file()
        }


@contextmanager
def folder_of(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Write the files of Hugging Face into a folder while it is read. Raises ModelFilesError for none."""
    its = {
        name.removeprefix(f"{FOLDER}/"): content
        for name, content in files.items()
        if name.startswith(f"{FOLDER}/")
    }
    if CONFIG not in its:
        raise ModelFilesError(f"no {FOLDER}/{CONFIG} among the model's files")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in its.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield Path(folder)


def _installed(name: str) -> Path:
    return hub_snapshot(name) if is_hub_model(name) else existing(name)
