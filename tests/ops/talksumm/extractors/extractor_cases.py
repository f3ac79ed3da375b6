"""Small extractors and papers, which need no model of the registry except the word vectors."""

import hashlib

import numpy as np

from silverloom.ops.models.word_vectors import WordVectors
from silverloom.ops.talksumm.extractors.config import PointerConfig, TransformerConfig
from silverloom.ops.talksumm.extractors.paper import ExtractorPaper
from silverloom.ops.talksumm.extractors.pointer import PointerExtractor
from silverloom.ops.talksumm.extractors.transformer import TransformerExtractor

WORDS = [f"w{number}" for number in range(40)]
VECTORS = WordVectors(WORDS, np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32))


def embed(texts):
    """Return a vector of 8 numbers and length 1 for each text, derived from its hash."""
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") for text in texts]
    rows = np.stack([np.random.default_rng(seed).standard_normal(8) for seed in seeds])
    return np.round(rows / np.linalg.norm(rows, axis=1, keepdims=True), 4).astype(np.float32)


def pointer(seed=0, beam=1):
    return PointerExtractor(PointerConfig(channels=4, hidden=6, beam=beam), seed, VECTORS)


def transformer(seed=0, **options):
    return TransformerExtractor(
        TransformerConfig(**{"width": 16, "layers": 1, "heads": 2, "members": 1, **options}), seed, embed
    )


def spans(sentences, seed):
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(3, 9))) for _ in range(sentences)]


def paper_of(sentences, **more):
    return ExtractorPaper("P00-0001", sentences, "w1 of w2", **more)
