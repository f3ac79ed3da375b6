"""What programs import from this project stays where they find it."""

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
def test_a_public_name_is_there(module, names):
    assert [
        name for name in names if not callable(getattr(importlib.import_module(module), name, None))
    ] == []
