"""The number of dimensions of an embedding, read from files."""

import json

import pytest

from silverloom.ops.models.encoder import ENCODER, embedder, embedding_size


def test_it_is_the_width_of_the_default_encoders_output():
    assert embedding_size() == embedder(ENCODER)(["Silver."]).shape[1]


@pytest.mark.parametrize(
    ("modules", "configs", "size"),
    [
        (["", "1_Pooling"], {"": {"hidden_size": 6}, "1_Pooling": {"word_embedding_dimension": 4}}, 4),
        (["", "2_Dense", "3_Normalize"], {"": {"hidden_size": 6}, "2_Dense": {"out_features": 2}}, 2),
        (None, {"": {"hidden_size": 6}}, 6),
    ],
)
def test_the_last_module_that_declares_it_decides(tmp_path, modules, configs, size):
    if modules is not None:
        (tmp_path / "modules.json").write_text(json.dumps([{"path": path} for path in modules]))
    for path, config in configs.items():
        (tmp_path / path).mkdir(exist_ok=True)
        (tmp_path / path / "config.json").write_text(json.dumps(config))
    assert embedding_size(str(tmp_path)) == size
