import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, BertConfig

from silverloom.ops.models.installed import ModelNotInstalledError
from silverloom.ops.models.seq2seq.config import Pairs, PretrainedSeq2SeqConfig
from silverloom.ops.models.seq2seq.files import load
from silverloom.ops.models.seq2seq.pretrained import FOLDER, PretrainedModel
from silverloom.ops.models.seq2seq.task import Seq2SeqTask
from silverloom.ops.models.trained import CONFIG, ModelFilesError
from silverloom.ops.models.training import TrainingParams, train
from tests.ops.models.seq2seq.pretrained_cases import write_pretrained

SOURCES = ["we use parser 1 .", "we use parser 2 today .", "ann sings ."]
TARGETS = ["parser 1 is used by us .", "parser 2 is used .", "ann sings today ."]


@pytest.fixture(params=["bart", "t5"])
def folder(request, tmp_path):
    return write_pretrained(tmp_path / request.param, request.param)


def made(folder, **more):
    return PretrainedModel(PretrainedSeq2SeqConfig(model=str(folder), **{"longest": 12, "beam": 1, **more}))


def task_of(model):
    pairs = Pairs(["a", "b", "c"], SOURCES, TARGETS)
    return Seq2SeqTask(model, model.stored(pairs), pairs, lambda answers: {"bleu": 0.0})


def test_the_loss_equals_hugging_faces(folder):
    model = made(folder)
    network = AutoModelForSeq2SeqLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        ours = model.losses([model.example(*pair) for pair in zip(SOURCES, TARGETS, strict=True)])
        theirs = [
            network(
                **tokenizer(source, return_tensors="pt"),
                labels=tokenizer(target, return_tensors="pt").input_ids,
            ).loss
            for source, target in zip(SOURCES, TARGETS, strict=True)
        ]
    torch.testing.assert_close(ours, torch.stack(theirs), rtol=1e-4, atol=1e-5)


def test_training_starts_from_its_weights_and_the_result_is_read_back_here_and_by_hugging_face(
    folder, tmp_path
):
    model = made(folder)
    before = {name: value.clone() for name, value in model.network.state_dict().items()}
    assert all(torch.equal(value, before[name]) for name, value in made(folder).network.state_dict().items())
    outcome = train(
        task_of(model), TrainingParams(epochs=30, batch_size=3, learning_rate=0.01, metric="loss")
    )
    losses = [point.value for point in outcome.curve if point.name == "loss"]
    assert losses[-1] < losses[0]
    files = model.files()
    again = load(files)
    assert again.generate(SOURCES) == model.generate(SOURCES)
    assert again.files() == files and again.config == model.config
    for name, content in files.items():
        if name.startswith(FOLDER):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(content)
    theirs = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / FOLDER).state_dict()
    for name, value in model.network.state_dict().items():
        assert torch.equal(theirs[name], value) and name in before


def test_a_long_text_is_truncated_before_the_end_sign(folder):
    model = made(folder, longest=4)
    example = model.example(" ".join(SOURCES), TARGETS[0])
    assert len(example.source) == len(example.target) == 5
    assert example.source[-1] == example.target[-1] == 2
    assert all(len(answer.split()) <= 5 for answer in model.generate([" ".join(SOURCES)]))


def test_a_missing_model_or_one_that_is_not_an_encoder_decoder_is_refused(tmp_path):
    BertConfig().save_pretrained(tmp_path / "bert")
    with pytest.raises(ValueError, match="is a bert: no encoder-decoder"):
        made(tmp_path / "bert")
    with pytest.raises(ModelNotInstalledError, match="no such file"):
        made(tmp_path / "nowhere")
    with pytest.raises(ModelNotInstalledError, match="hf download nobody/nothing"):
        made("nobody/nothing")


def test_files_without_the_pretrained_ones_are_refused(folder):
    files = made(folder).files()
    with pytest.raises(ModelFilesError):
        load({CONFIG: files[CONFIG]})
