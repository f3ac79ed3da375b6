"""Models by name: every loader, the names of the defaults, and the digest of a named model.

Belongs here: the public names of the package, for scripts and notebooks. Not here: the code itself. A step
imports the module of the kind of model that it uses, because its key includes every package it imports.
"""

from silverloom.ops.models.encoder import ENCODER, encoder
from silverloom.ops.models.installed import ModelNotInstalledError, digest
from silverloom.ops.models.spacy_pipeline import SPACY_PIPELINE, spacy_pipeline
from silverloom.ops.models.word_vectors import WORD_VECTORS, word_vectors

__all__ = [
    "ENCODER",
    "SPACY_PIPELINE",
    "WORD_VECTORS",
    "ModelNotInstalledError",
    "digest",
    "encoder",
    "spacy_pipeline",
    "word_vectors",
]
