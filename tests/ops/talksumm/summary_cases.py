"""Small papers, training sets and human summaries, and models of a corpus without a registry."""

import hashlib

import numpy as np

from silverloom.ops.models.training import TrainingParams
from silverloom.ops.talksumm.extractors.config import PointerConfig, TransformerConfig
from silverloom.ops.talksumm.models import ExtractorParams, Size

WORDS = [f"w{number}" for number in range(60)]


def text(count, seed, longest=9):
    """Return this many sentences of 3 to `longest` words."""
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(3, longest + 1))) for _ in range(count)]


def labelled(name, sentences, labels, split, **more):
    count = len(sentences)
    return {
        "id": name, "paper_id": f"paper of {name}", "title": f"w1 of {name}", "split": split, "sentences": sentences,
        "labels": [int(place in labels) for place in range(count)], "roles": ["method"] * count,
        "sections": [0] * count, **more,
    }  # fmt: skip


def example(name, of="short", split="train", sentences=None, labels=(1, 2), **more):
    """Return a row of talksumm/training_sets."""
    sentences = sentences or text(6, sum(name.encode()))
    return labelled(name, sentences, labels, split, set=of, **more)


def gold(name, split="validation", sentences=None, labels=(0, 3), references=None, abstract=(), **more):
    """Return a row of talksumm/gold_papers."""
    sentences = sentences or text(6, sum(name.encode()))
    summaries = references or [sentences[2:4]]
    told = [
        {"id": f"{name}-{number}", "kind": "human", "annotator": None, "sentences": summary}
        for number, summary in enumerate(summaries)
    ]
    row = labelled(name, sentences, labels, split)
    return {**row, "references": told, "abstract": list(abstract), "document": name, **more}


def embed(texts):
    """Return a vector of 8 numbers and length 1 for each text, derived from its hash."""
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") for text in texts]
    rows = np.stack([np.random.default_rng(seed).standard_normal(8) for seed in seeds])
    return np.round(rows / np.linalg.norm(rows, axis=1, keepdims=True), 4).astype(np.float32)


def extractor_params(folder, *architectures, training=None, **more):
    """Return params of extractors that train in a moment, with their own word vectors."""
    vectors = folder / "vectors.txt"
    random = np.random.default_rng(0)
    rows = [" ".join([word, *(f"{number:.3f}" for number in random.standard_normal(4))]) for word in WORDS]
    vectors.write_text("\n".join(rows) + "\n")
    knobs = {"epochs": 2, "batch_size": 1, "checkpoint_every": 1, "learning_rate": 0.01} | (training or {})
    size = Size(
        pointer=PointerConfig(channels=2, hidden=3),
        transformer=TransformerConfig(width=8, layers=1, heads=2),
        pointer_training=TrainingParams(**knobs),
        transformer_training=TrainingParams(**knobs),
    )
    return ExtractorParams(
        size="tiny",
        sizes={"tiny": size},
        architectures=architectures or ("pointer", "transformer"),
        words=12,
        vectors=str(vectors),
        **more,
    )
