"""The names that other programs import from this project stay where they are."""

import importlib

import pytest


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("silverloom.ops.talksumm", ["align_words", "viterbi", "GeometricTransition"]),
        ("silverloom.ops.discofuse", ["annotator", "fusion_examples"]),
        ("silverloom.ops.discofuse.rules", ["RuleParams"]),
        ("silverloom.ops.metrics", ["rouge", "sari", "exact_match", "interval", "paired_bootstrap"]),
        ("silverloom.ops.models.registry", ["word_vectors", "encoder", "spacy_pipeline", "digest"]),
    ],
)
def test_a_public_name_exists(module, names):
    assert [
        name for name in names if not callable(getattr(importlib.import_module(module), name, None))
    ] == []
