import copy
import json

import pyarrow as pa
import pytest
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.parts import OneProcess, Parts
from silverloom.ops.models.seq2seq.files import load, make
from silverloom.ops.models.seq2seq.model import PIECES
from silverloom.ops.models.seq2seq.pairs import answers, answers_by_task
from silverloom.ops.models.seq2seq.pieces import EOS, PAD
from silverloom.ops.models.seq2seq.task import Seq2SeqTask
from silverloom.ops.models.trained import CONFIG, WEIGHTS, ModelFilesError
from silverloom.ops.models.training import CheckpointError, TrainingParams, train
from tests.ops.models.seq2seq.seq2seq_cases import (
    CONFIGS,
    COPYNET,
    SOURCES,
    TRANSFORMER,
    model,
    pairs,
    pieces,
)

KNOBS = TrainingParams(
    epochs=2, batch_size=4, learning_rate=0.01, checkpoint_every=3, metric="exact", direction="max", tie="loss",
    schedule="exponential", decay=0.9, decay_every=2, warmup=0.0,
)  # fmt: skip

both = pytest.mark.parametrize(
    "config",
    [*CONFIGS[:2], pytest.param(CONFIGS[2], marks=pytest.mark.long)],
    ids=["transformer", "copynet", "copynet of byte pairs"],
)


class Every:
    """Keeps all checkpoints."""

    def __init__(self, last=None):
        self.last, self.history = last, []

    def write(self, files):
        self.last = dict(files)
        self.history.append(self.last)

    def read(self):
        return self.last


def trained(config, checkpoints=None, knobs=KNOBS, judge=lambda answers: {"exact": 0.0}, **more):
    made = model(config, **more)
    task = Seq2SeqTask(made, made.stored(pairs(0, 16)), pairs(16), judge, beam=1)
    return made.files(), train(task, knobs, checkpoints), made


@both
def test_a_training_resumes_from_every_checkpoint_to_the_same_weights_and_curve(config):
    """So a kill between any two of them changes nothing: dropout and sampling are drawn for each update, too."""
    kept = Every()
    _, outcome, made = trained(config, kept)
    assert len(kept.history) == 3 and outcome.steps == 8
    for files in kept.history:
        _, again, other = trained(config, Every(files))
        assert (other.files(), again) == (made.files(), outcome)


@both
def test_training_lowers_the_loss_on_held_out_pairs(config):
    _, outcome, _ = trained(config, knobs=KNOBS.model_copy(update={"epochs": 6}))
    losses = [point.value for point in outcome.curve if point.name == "loss"]
    assert len(losses) == 6 and losses[-1] < losses[0]


@both
def test_a_model_is_read_back_from_its_files_and_gives_the_same_answers(config):
    made = model(config)
    files = made.files()
    again = load(files)
    assert again.files() == files and again.generate(SOURCES) == made.generate(SOURCES)
    assert make(made.config, made.pieces, 0).files() == files
    assert make(made.config, made.pieces, 1).files()[WEIGHTS] != files[WEIGHTS]


@both
def test_answers_depend_neither_on_the_order_of_sources_nor_on_duplicates(config):
    made = model(config)
    found = made.generate(SOURCES)
    assert made.generate(SOURCES[::-1]) == found[::-1]
    assert made.generate([SOURCES[3], *SOURCES, SOURCES[3]]) == [found[3], *found, found[3]]
    assert made.generate([]) == []


@both
def test_answers_by_several_tasks_equal_those_of_one_call(config, monkeypatch, tmp_path):
    for module in ("model", "pairs"):
        monkeypatch.setattr(f"silverloom.ops.models.seq2seq.{module}.BATCH", 2)
    monkeypatch.setattr("silverloom.ops.models.seq2seq.pairs.BATCHES_OF_TASK", 1)
    made, sources = model(config), [*SOURCES, SOURCES[0]]
    like = Parts(pa.schema([]), (), OneProcess())
    by_task = answers_by_task(Loaded(load, (made.files(),)), sources, like, tmp_path / "by task")
    assert list(by_task) == made.generate(sources)
    assert list(answers(made, sources, tmp_path / "at once")) == made.generate(sources)


def test_a_model_is_loaded_once_and_is_sent_without_its_weights():
    loads = []
    shared = Loaded(loads.append, (1,))
    assert shared.model is shared.model is None and loads == [1]
    assert "model" not in vars(copy.copy(shared))


def written(made, monkeypatch):
    """Return a list that grows by the number of pieces of each answer."""
    found, text = [], made.pieces.text

    def spy(numbers, others=()):
        found.append(sum(number not in (PAD, EOS) for number in numbers))
        return text(numbers, others)

    monkeypatch.setattr(made.pieces, "text", spy)
    return found


@both
def test_an_answer_exceeds_its_source_by_no_more_than_the_config_allows(config, monkeypatch):
    made = model(config)
    made.config = config.model_copy(update={"growth": 2})
    lengths = written(made, monkeypatch)
    for source in SOURCES[:4]:
        made.generate([source])
        assert lengths[-1] <= len(made.pieces.numbers(source)) + 2 + 1


@both
def test_a_source_that_is_too_long_is_truncated(config, monkeypatch):
    made = model(config)
    long = " ".join(SOURCES)
    assert made.length(long, "Ann") == len(made.pieces.numbers(long)) > config.longest
    numbers = made.example(long, long)
    assert len(numbers.source) == len(numbers.target) == config.longest + 1
    lengths = written(made, monkeypatch)
    made.generate([long])
    assert lengths[0] <= config.longest + 1


@both
def test_the_loss_is_the_mean_negative_log_likelihood_of_a_targets_pieces(config):
    """Compared with each example alone, without padding."""
    made = model(config)
    examples = [made.example(*pair) for pair in zip(pairs().sources[:5], pairs().targets[:5], strict=False)]
    examples.append(made.example("Ann .", "Ann runs and Ann rests and Bob ."))
    with torch.no_grad():
        together = made.losses(examples)
        alone = torch.cat([made.losses([one]) for one in examples])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)
    # An untrained network guesses: it is never more certain than a uniform choice.
    assert 1 < float(torch.exp(together.mean())) < 3 * len(made.pieces)


def test_labels_are_smoothed_only_in_training():
    made = model(TRANSFORMER.model_copy(update={"dropout": 0, "attention_dropout": 0, "relu_dropout": 0}))
    [example] = [made.example(SOURCES[0], SOURCES[0])]
    plain = float(made.losses([example]).detach())
    made.network.train()
    smoothed = float(made.losses([example]).detach())
    made.config = made.config.model_copy(update={"label_smoothing": 0.0})
    assert float(made.losses([example])) == pytest.approx(plain)
    assert abs(smoothed - plain) > 1e-4


def test_shared_embeddings_are_one_tensor_in_files_and_checkpoints():
    names = load_tensors(model(TRANSFORMER).files()[WEIGHTS]).keys()
    assert "model.shared.weight" in names
    assert not [name for name in names if "embed_tokens" in name or "lm_head" in name]


def test_the_transformer_learns_to_copy_its_input():
    config = TRANSFORMER.model_copy(
        update={"dropout": 0, "attention_dropout": 0, "relu_dropout": 0, "width": 32}
    )
    made = make(config, pieces("bpe"))
    texts = SOURCES[:6]
    whole = pairs(0, 6)
    task = Seq2SeqTask(
        made,
        made.stored(type(whole)(whole.names, texts, texts)),
        type(whole)(whole.names, texts, texts),
        lambda answers: {"exact": sum(map(str.__eq__, answers, texts)) / 6},
    )
    knobs = KNOBS.model_copy(
        update={"epochs": 200, "batch_size": 6, "schedule": "constant", "validate_every": 50}
    )
    assert train(task, knobs).best == 1.0
    assert made.generate(texts) == texts


def test_a_scorer_gets_the_answers_to_the_validation_sources():
    heard = []

    def judge(answers):
        heard.append(answers)
        return {"exact": float(len(heard))}

    _, outcome, made = trained(COPYNET, judge=judge)
    assert outcome.best == 2.0 and len(heard) == 2
    assert heard[-1] == made.generate(pairs(16).sources, beam=1)


@both
def test_a_checkpoint_of_another_model_is_refused_naming_the_difference(config):
    kept = Every()
    trained(config, kept)
    other = config.model_copy(update={"beam": 5})
    with pytest.raises(CheckpointError, match=r"task\.model\.beam was \d, is 5\. Remove it"):
        trained(other, kept)
    with pytest.raises(CheckpointError, match=r"task\.initial weights was .*, is "):
        trained(config, kept, seed=1)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda files: files.pop(PIECES), "no tokenizer.json among the model's files"),
        (lambda files: files.update({CONFIG: b'{"kind": "copynet", "hidden": 0}'}), "config.json: copynet.hidden: "),
        (lambda files: files.update({CONFIG: b'{"kind": "other"}'}), "config.json: .*'transformer', 'copynet'"),
        (lambda files: files.update({CONFIG: files[CONFIG].replace(b'"words"', b'"bpe"')}), "tokenizer.json: its pieces are words, but config.json says bpe"),
        (lambda files: files.update({PIECES: b"{"}), "tokenizer.json: no vocabulary: "),
        (lambda files: files.update({WEIGHTS: b"abc"}), "weights.safetensors: .*: not the weights of config.json"),
        (lambda files: files.update({WEIGHTS: save_tensors({"x": torch.ones(1)})}), "weights.safetensors: .*not the weights of config.json and tokenizer.json"),
        (lambda files: files.update({CONFIG: files[CONFIG].replace(b'"hidden": 8', b'"hidden": 9')}), "weights.safetensors: .*size mismatch.*: not the weights"),
    ],
)  # fmt: skip
def test_files_without_a_model_are_refused_by_name(spoil, message):
    files = model(COPYNET).files()
    assert json.loads(files[CONFIG])["hidden"] == 8
    spoil(files)
    with pytest.raises(ModelFilesError, match=message):
        load(files)


def test_a_width_that_is_not_divisible_by_the_heads_is_refused():
    with pytest.raises(ValueError, match="width 1024 cannot be shared among 7 heads: give a multiple of 7"):
        type(TRANSFORMER)(heads=7)
