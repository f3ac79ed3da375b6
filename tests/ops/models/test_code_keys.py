"""Which packages a dataset answers for when it uses one kind of model only."""

import pytest

from assets.declare import code
from orchestration.catalogue import workspace


@pytest.mark.parametrize("name", ["sources/sentences", "talksumm/alignments"])
def test_a_dataset_that_uses_word_vectors_only_does_not_depend_on_torch_or_spacy(name):
    packages = set(workspace().datasets[name].code["packages"])
    assert "numpy" in packages
    assert not packages & {"torch", "spacy", "sentence-transformers"}


PARAMS = {"pydantic", "pydantic_core"}


@pytest.mark.parametrize(
    ("module", "packages"),
    [
        ("ops.models.installed", set()),
        ("ops.models.digest", {"huggingface_hub"}),
        ("ops.models.word_vectors", PARAMS | {"numpy", "pyarrow"}),
        (
            "ops.models.encoder",
            PARAMS | {"torch", "sentence_transformers", "transformers", "huggingface_hub"},
        ),
        ("ops.models.spacy_pipeline", PARAMS | {"spacy"}),
    ],
)
def test_a_loader_depends_on_the_packages_of_its_own_kind_of_model(module, packages):
    assert set().union(*(code._imports(name)[1] for name in code.closure([module]))) == packages
