"""Extractors as files.

Belongs here: which extractor a config makes. Not here: the files themselves (ops/models/network_files.py),
where they lie (orchestration), checkpoints (ops/models/training/checkpoints.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter

from ops.models.extractors.config import PointerConfig, TransformerConfig
from ops.models.extractors.embeddings import Embed
from ops.models.extractors.paper import Extractor
from ops.models.extractors.pointer_extractor import PointerExtractor
from ops.models.extractors.transformer_extractor import TransformerExtractor
from ops.models.network_files import CONFIG, WEIGHTS, read_config, read_weights, written
from ops.models.word_vectors import WordVectors


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
    return written(extractor.config, extractor.network)


def load(
    files: Mapping[str, bytes], vectors: WordVectors | None = None, embed: Embed | None = None
) -> Extractor:
    """Return the extractor that `save` made files of. Raises ModelFilesError if they do not hold one."""
    configs: TypeAdapter[PointerConfig | TransformerConfig] = TypeAdapter(PointerConfig | TransformerConfig)
    config = read_config(files, configs, (CONFIG, WEIGHTS))
    extractor = make(config, vectors=vectors, embed=embed)
    read_weights(files, extractor.network, (CONFIG,))
    return extractor
