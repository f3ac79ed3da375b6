"""Other processes learn the same from the parts of every system's trainings."""

from functools import partial

import pytest
import torch

from silverloom.ops.models.seq2seq.config import PretrainedSeq2SeqConfig
from silverloom.ops.models.seq2seq.pretrained import PretrainedModel
from silverloom.ops.models.seq2seq.task import Seq2SeqTask
from silverloom.ops.parasci.spans.model import SpanModel, SpanTask
from silverloom.ops.parasci.spans.spans import SpanConfig
from silverloom.ops.talksumm.extractors.paper import Labelled
from silverloom.ops.talksumm.extractors.tasks import task_of
from silverloom.ops.wikisum.long_sequences.task import ExampleStore, SequenceTask
from tests.ops.models.seq2seq.pretrained_cases import write_pretrained
from tests.ops.models.seq2seq.seq2seq_cases import COPYNET, TRANSFORMER, model, pairs
from tests.ops.parasci.spans.span_cases import examples as spans
from tests.ops.talksumm.extractors.extractor_cases import paper_of, pointer, transformer
from tests.ops.talksumm.extractors.extractor_cases import spans as sentences_of
from tests.ops.wikisum.long_sequences.sequence_cases import examples
from tests.ops.wikisum.long_sequences.sequence_cases import model as sequences


def judge(*_):
    return {}


def seq2seq(config):
    made = model(config)
    return Seq2SeqTask(made, made.stored(pairs(0, 8)), pairs(8, 12), partial(judge, 1), beam=1)


def pretrained(folder):
    found = PretrainedModel(PretrainedSeq2SeqConfig(model=str(write_pretrained(folder)), longest=12, beam=1))
    return Seq2SeqTask(found, found.stored(pairs(0, 8)), pairs(8, 12), judge)


def long_sequences(name):
    stored = ExampleStore((str(number), example) for number, example in enumerate(examples()))
    return SequenceTask(sequences(name), stored, stored)


def extractor(make):
    papers = Labelled([paper_of(sentences_of(6, seed)) for seed in range(3)], [[0, 2]] * 3)
    return task_of(make(), papers, papers)


def finder():
    return SpanTask(SpanModel(SpanConfig(trained_layers=1)), spans(), spans())


TASKS = {
    "transformer": lambda folder: seq2seq(TRANSFORMER),
    "copynet": lambda folder: seq2seq(COPYNET),
    "pretrained": pretrained,
    "T-DMCA": lambda folder: long_sequences("T-DMCA"),
    "lstm": lambda folder: long_sequences("lstm"),
    "pointer": lambda folder: extractor(pointer),
    "extractor": lambda folder: extractor(transformer),
    "spans": lambda folder: finder(),
}


@pytest.mark.parametrize("name", TASKS)
def test_the_parts_of_a_task_of_every_kind_make_the_same_loss_on_the_same_weights(name, tmp_path):
    task = TASKS[name](tmp_path)
    with torch.no_grad():  # weights that no seed gives
        for weights in task.module.parameters():
            weights += 0.01 if weights.requires_grad else 0
    parts = task.parts()
    assert all(type(content) is bytes for content in parts.files.values())
    copy = parts.make(parts.files, parts.rows.path, **parts.values)
    assert list(parts.rows.column("name")) == list(task.names)
    assert list(copy.module.state_dict()) == list(task.module.state_dict())
    gradients = []
    for loss in (task, copy):
        torch.manual_seed(0)
        loss.module.train()
        loss.loss([0, 1]).backward()
        gradients.append([weights.grad for weights in loss.module.parameters()])
    assert any(gradient is not None for gradient in gradients[0])
    for here, there in zip(*gradients, strict=True):
        assert torch.equal(here, there) if here is not None else there is None
    assert not any(
        here.data_ptr() == there.data_ptr()
        for here, there in zip(task.module.parameters(), copy.module.parameters(), strict=True)
    )
