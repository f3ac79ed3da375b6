"""The names that other programs import from this project stay where they are."""

import importlib

import pytest


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("ops.talksumm", ["align_words", "viterbi", "GeometricTransition"]),
        ("ops.discofuse", ["annotator", "fusion_examples"]),
        ("ops.discofuse.rules", ["RuleParams"]),
        ("ops.metrics", ["rouge", "sari", "exact_match", "interval", "paired_bootstrap"]),
        ("ops.models.registry", ["word_vectors", "encoder", "spacy_pipeline", "digest"]),
    ],
)
def test_a_public_name_exists(module, names):
    assert [
        name for name in names if not callable(getattr(importlib.import_module(module), name, None))
    ] == []
