"""Extractors as files: weights in safetensors, the config in JSON.

Belongs here: what is written and read. Not here: where files lie (orchestration), checkpoints
(ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from ops.models.extractors.config import PointerConfig, TransformerConfig
from ops.models.extractors.embeddings import Embed
from ops.models.extractors.paper import Extractor
from ops.models.extractors.pointer_extractor import PointerExtractor
from ops.models.extractors.transformer_extractor import TransformerExtractor
from ops.models.word_vectors import WordVectors

CONFIG, WEIGHTS = "config.json", "weights.safetensors"


class ModelFilesError(ValueError):
    """The files are no extractor; the message names the file and the cause."""


def make(
    config: PointerConfig | TransformerConfig,
    seed: int = 0,
    vectors: WordVectors | None = None,
    embed: Embed | None = None,
) -> PointerExtractor | TransformerExtractor:
    """Return an extractor with random weights; `vectors` and `embed` replace what the config names."""
    if isinstance(config, PointerConfig):
        return PointerExtractor(config, seed, vectors)
    return TransformerExtractor(config, seed, embed)


def save(extractor: PointerExtractor | TransformerExtractor) -> dict[str, bytes]:
    """Return an extractor as named bytes; the same weights give the same bytes."""
    config = extractor.config.model_dump(mode="json")
    weights = {name: value.cpu().contiguous() for name, value in extractor.network.state_dict().items()}
    return {
        CONFIG: (json.dumps(config, indent=1, sort_keys=True) + "\n").encode(),
        WEIGHTS: save_tensors(weights),
    }


def load(
    files: Mapping[str, bytes], vectors: WordVectors | None = None, embed: Embed | None = None
) -> Extractor:
    """Return the extractor that `save` made files of. Raises ModelFilesError if they do not hold one."""
    if missing := [name for name in (CONFIG, WEIGHTS) if name not in files]:
        raise ModelFilesError(f"no {' and no '.join(missing)} among the model's files")
    configs: TypeAdapter[PointerConfig | TransformerConfig] = TypeAdapter(PointerConfig | TransformerConfig)
    try:
        config = configs.validate_json(files[CONFIG])
    except ValidationError as error:
        first = error.errors()[0]
        raise ModelFilesError(f"{CONFIG}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    extractor = make(config, vectors=vectors, embed=embed)
    try:
        extractor.network.load_state_dict(load_tensors(files[WEIGHTS]))
    except (SafetensorError, RuntimeError) as error:
        raise ModelFilesError(
            f"{WEIGHTS}: {str(error).splitlines()[0]}: not the weights of {CONFIG}"
        ) from None
    extractor.network.eval()
    return extractor
