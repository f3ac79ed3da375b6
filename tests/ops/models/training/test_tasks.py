"""Every system's trainings can be sent to another process, and learn the same there."""

import pickle
from functools import partial

import pytest
import torch

from silverloom.ops.models.seq2seq.config import PretrainedSeq2SeqConfig
from silverloom.ops.models.seq2seq.model import Seq2SeqTask
from silverloom.ops.models.seq2seq.pretrained import PretrainedModel
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
def test_a_task_of_every_kind_can_be_sent_to_another_process(name, tmp_path):
    task = TASKS[name](tmp_path)
    copy = pickle.loads(pickle.dumps(task))
    assert copy.identity() == task.identity() and list(copy.costs) == list(task.costs)
    assert list(copy.names) == list(task.names)
    found = []
    for each in (task, copy):
        torch.manual_seed(0)
        each.module.train()
        each.loss([0, 1]).backward()
        found.append([weights.grad for weights in each.module.parameters() if weights.grad is not None])
        each.module.eval()
        found[-1] += [torch.tensor(value) for _, value in sorted(each.validate().items())]
    assert found[0] and all(torch.equal(*both) for both in zip(*found, strict=True))
    assert not any(
        here.data_ptr() == there.data_ptr()
        for here, there in zip(task.module.parameters(), copy.module.parameters(), strict=True)
    )
