"""The packages that a dataset depends on when it uses only one kind of model."""

import pytest

from silverloom.assets.codehash.names import WHOLE, Symbol
from silverloom.assets.declare import code
from silverloom.orchestration.definitions import workspace


@pytest.mark.parametrize("name", ["sources/sentences", "talksumm/alignments"])
def test_a_dataset_that_uses_word_vectors_only_does_not_depend_on_torch_or_spacy(name):
    packages = set(workspace().datasets[name].code["packages"])
    assert "numpy" in packages
    assert not packages & {"torch", "spacy", "sentence-transformers"}


#: The packages that the type of a model's name uses.
NAME = {"pydantic_core"}


@pytest.mark.parametrize(
    ("module", "packages"),
    [
        ("silverloom.ops.models.installed", {"huggingface_hub"}),
        ("silverloom.ops.models.word_vectors", NAME | {"numpy", "pyarrow"}),
        (
            "silverloom.ops.models.encoder",
            NAME
            | {"numpy", "torch", "sentence_transformers", "transformers", "tokenizers", "huggingface_hub"},
        ),
        ("silverloom.ops.models.spacy_pipeline", NAME | {"spacy"}),
    ],
)
def test_a_loader_depends_on_the_packages_of_its_own_kind_of_model(module, packages):
    assert code.symbols(code.DATASET).reach(Symbol(module, WHOLE)).packages == packages
