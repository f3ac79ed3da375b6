"""Extractive summarisers that learn: the pointer network of Chen and Bansal (2018), and one of today.

Belongs here: both behind one interface, and what they are trained on. Not here: the training loop
(ops/models/training), rankers that do not learn.
"""

from ops.models.extractors.config import POINTERS, TRANSFORMERS, PointerConfig, TransformerConfig
from ops.models.extractors.embeddings import Embed, embedder, remembering
from ops.models.extractors.files import ModelFilesError, load, make, save
from ops.models.extractors.paper import Extraction, Extractor, LabelError, Paper
from ops.models.extractors.pointer_extractor import PointerExtractor
from ops.models.extractors.tasks import Judge, Labelled, PointerTask, TransformerTask
from ops.models.extractors.transformer_extractor import TransformerExtractor

__all__ = [
    "POINTERS",
    "TRANSFORMERS",
    "Embed",
    "Extraction",
    "Extractor",
    "Judge",
    "LabelError",
    "Labelled",
    "ModelFilesError",
    "Paper",
    "PointerConfig",
    "PointerExtractor",
    "PointerTask",
    "TransformerConfig",
    "TransformerExtractor",
    "TransformerTask",
    "embedder",
    "load",
    "make",
    "remembering",
    "save",
]
