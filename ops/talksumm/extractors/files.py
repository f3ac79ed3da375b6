"""Extractors as files, and the interface for calling them outside of the project.

Belongs here: making an extractor from its config; papers in, indices of chosen sentences out (`KIND`). Not
here: the file format (ops/models/trained.py), where files are stored (orchestration), checkpoints
(ops/models/training/checkpoints.py). torch is loaded when an extractor is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from silverloom.ops.core.outcome import Row
from silverloom.ops.models.trained import CONFIG, WEIGHTS, ModelKind, network_files, read_config, read_weights
from silverloom.ops.talksumm.extractors.config import PointerConfig, TransformerConfig
from silverloom.ops.talksumm.extractors.paper import Extractor, ExtractorPaper

if TYPE_CHECKING:
    from silverloom.ops.models.encoder import Embed
    from silverloom.ops.models.word_vectors import WordVectors
    from silverloom.ops.talksumm.extractors.pointer import PointerExtractor
    from silverloom.ops.talksumm.extractors.transformer import TransformerExtractor


def make(
    config: PointerConfig | TransformerConfig,
    seed: int = 0,
    vectors: WordVectors | None = None,
    embed: Embed | None = None,
) -> PointerExtractor | TransformerExtractor:
    """Return an extractor with random weights; `vectors` and `embed` replace those that the config names."""
    from silverloom.ops.talksumm.extractors.pointer import PointerExtractor
    from silverloom.ops.talksumm.extractors.transformer import TransformerExtractor

    if isinstance(config, PointerConfig):
        return PointerExtractor(config, seed, vectors)
    return TransformerExtractor(config, seed, embed)


def save(extractor: PointerExtractor | TransformerExtractor) -> dict[str, bytes]:
    """Return an extractor as named bytes; the same weights give the same bytes."""
    return network_files(extractor.config, extractor.network)


def load(
    files: Mapping[str, bytes], vectors: WordVectors | None = None, embed: Embed | None = None
) -> Extractor:
    """Return the extractor in files of `save`. Raises ModelFilesError if they do not contain one."""
    configs: TypeAdapter[PointerConfig | TransformerConfig] = TypeAdapter(PointerConfig | TransformerConfig)
    config = read_config(files, configs, (CONFIG, WEIGHTS))
    extractor = make(config, vectors=vectors, embed=embed)
    read_weights(files, extractor.network, (CONFIG,))
    return extractor


def _answer(extractor: Extractor, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    papers = [
        ExtractorPaper(str(number), list(row["sentences"]), row["title"]) for number, row in enumerate(rows)
    ]
    extractions = [extractor.extract(paper, params["words"]) for paper in papers]
    return [{"indices": list(chosen.indices), "scores": list(chosen.scores)} for chosen in extractions]


#: `words` is the maximum number of words in the chosen sentences.
KIND = ModelKind(
    module=__name__,
    inputs={"title": "string", "sentences": "string*"},
    outputs={"indices": "long*", "scores": "double*"},
    params={"words": ("long", 150)},
    example={"title": "On rows", "sentences": ["We count every row .", "Nothing is lost ."]},
    load=load,
    answer=_answer,
    named=True,
)
