"""Training of all systems' models on a device: tokens per second and memory, against a plain torch loop.

Run: python benchmarks/devices.py [--size base] [--only wikisum] [--updates 20] [--processes 1]
[--precision bfloat16] [--checkpointing] [--strict]. Uses GPUs if there are any, else one CPU
thread. Sizes are those of params.yaml; for talksumm, `full` stands for base.

Examples are texts of invented words, as long as those of the papers: only their cost matters, not what they
teach. Tokens are what the batches count: pieces, sub-words, or, in talksumm, sentences. The plain loop makes
the same forward and backward passes over the same batches with AdamW and clipping, and nothing else: no
Accelerate, no checks, no curves. Each loop has its own process, and its first update does not count. Time is
process time on a CPU, and wall time on a GPU or with several processes. Memory is the allocator's peak on a
GPU and the process's peak on a CPU; it is reported only for one process.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch

from silverloom.assets.declare.params_file import section
from silverloom.ops.discofuse.models.fusion_model import FusionModelParams
from silverloom.ops.discofuse.models.transfer import TransferParams
from silverloom.ops.models.precision import autocast, halves_products
from silverloom.ops.models.seq2seq.config import CopyNetConfig, Pairs, Seq2SeqTransformerConfig
from silverloom.ops.models.seq2seq.task import Seq2SeqTask
from silverloom.ops.models.seq2seq.training import learn_pieces, make_model
from silverloom.ops.models.training import Progress, Task, TrainingParams, train
from silverloom.ops.models.training.loop import prepare_module
from silverloom.ops.models.training.processes import batches, on_processor
from silverloom.ops.models.training.report import count_weights
from silverloom.ops.models.word_vectors import WordVectors
from silverloom.ops.parasci.generation.generator import GeneratorParams
from silverloom.ops.parasci.partial.pdbert import PdbertParams
from silverloom.ops.parasci.spans.model import SpanModel, SpanTask
from silverloom.ops.parasci.spans.spans import SpanExample
from silverloom.ops.talksumm.extractors.files import make as make_extractor
from silverloom.ops.talksumm.extractors.paper import ExtractorPaper, Labelled
from silverloom.ops.talksumm.extractors.tasks import task_of
from silverloom.ops.talksumm.models import ExtractorParams
from silverloom.ops.wikisum.long_sequences.model import TokenExample
from silverloom.ops.wikisum.long_sequences.model import make as make_sequences
from silverloom.ops.wikisum.long_sequences.sizes import SubwordVocabulary
from silverloom.ops.wikisum.long_sequences.task import ExampleStore, SequenceTask
from silverloom.ops.wikisum.models.summarizer import SummarizerParams

EXAMPLES = 400
_RANDOM = partial(np.random.default_rng, 0)
_WORDS = np.array(["".join(letters) for letters in _RANDOM().choice(list("aeioklmnprst"), (20_000, 6))])

#: The smallest input length L of Liu et al., the length of leads, and the vocabulary size of their tokenizer.
_SOURCE, _LEAD, _SUBWORDS = 500, 100, SubwordVocabulary(32_000, 0, 1, 2)


class Cost(NamedTuple):
    """The cost of training: weights in millions, tokens per second, peak MB."""

    weights: float
    pace: float
    memory: float


def texts(words: int) -> Iterator[str]:
    """Yield texts of about `words` invented words, with a skewed distribution."""
    random = _RANDOM()
    while True:
        ranks = random.zipf(1.3, random.integers(words // 2, words * 3 // 2)) % len(_WORDS)
        yield " ".join(_WORDS[ranks])


def no_score(*_: object) -> dict[str, float]:
    """Score nothing."""
    return {}


def seq2seq(config: Seq2SeqTransformerConfig | CopyNetConfig, words: int) -> Task:
    """Return a text-to-text model, with pairs of about `words` words each."""
    made = [text for _, text in zip(range(2 * EXAMPLES), texts(words), strict=False)]
    pairs = Pairs([str(number) for number in range(EXAMPLES)], made[::2], made[1::2])
    model = make_model(config, learn_pieces(made, config), 0)
    one = Pairs(pairs.names[:1], pairs.sources[:1], pairs.targets[:1])
    return Seq2SeqTask(model, pairs, one, no_score, 1)


def fusion(size: str) -> tuple[Task, TrainingParams]:
    """Return a fusion model."""
    found = section(FusionModelParams).sizes[size]
    return seq2seq(found.model, 30), found.training


def transfer(size: str) -> tuple[Task, TrainingParams]:
    """Return CopyNet."""
    found = section(TransferParams).sizes[size]
    return seq2seq(found.model, 30), found.pretraining


def generator(size: str) -> tuple[Task, TrainingParams]:
    """Return a paraphrase generator."""
    found = section(GeneratorParams).sizes[size]
    return seq2seq(found.model, 20), found.training


def pdbert(size: str) -> tuple[Task, TrainingParams]:
    """Return a span finder, with the registry's encoder."""
    found = section(PdbertParams).sizes[size]
    words = texts(6)
    examples = [
        SpanExample(str(number), next(words), f"{text} {next(words)}", (0, len(text)))
        for number, text in zip(range(EXAMPLES), texts(12), strict=False)
    ]
    return SpanTask(SpanModel(found.model, 0, strict=True), examples, examples[:1]), found.training


def extractor(architecture: str, size: str) -> tuple[Task, TrainingParams]:
    """Return an extractor, with papers of about 200 sentences."""
    params, random = section(ExtractorParams), _RANDOM()
    found = params.sizes["full" if size == "base" else size]
    sentences = texts(20)
    papers = [
        ExtractorPaper(str(number), [next(sentences) for _ in range(random.integers(150, 250))])
        for number in range(EXAMPLES // 8)
    ]
    labelled = Labelled(papers, [list(range(0, 60, 10))] * len(papers))
    vectors = WordVectors([str(word) for word in _WORDS], random.normal(size=(len(_WORDS), 50)))
    made = make_extractor(getattr(found, architecture), 0, vectors, embedded)
    judges = Labelled(labelled.papers[:1], labelled.labels[:1])
    return task_of(made, labelled, judges), getattr(found, f"{architecture}_training")


def embedded(rows: list[str]) -> np.ndarray:
    """Return arbitrary embeddings."""
    return np.asarray(_RANDOM().normal(size=(len(rows), 384)), np.float32)


def summarizer(architecture: str, size: str) -> tuple[Task, TrainingParams]:
    """Return a summarizer, with examples of random token ids."""
    found, random = section(SummarizerParams).sizes[size], _RANDOM()
    params = found.architectures[architecture].model_copy(
        update={"longest_source": _SOURCE, "longest_target": _LEAD}
    )

    def numbers(most: int) -> list[int]:
        drawn: list[int] = random.integers(3, _SUBWORDS.size, random.integers(most // 2, most + 1)).tolist()
        return drawn

    made = [(str(number), TokenExample(numbers(_SOURCE), numbers(_LEAD))) for number in range(EXAMPLES)]
    model = make_sequences(params, _SUBWORDS)
    return SequenceTask(model, ExampleStore(made), ExampleStore(made[:1])), found.training_of(architecture)


#: By model: a function that, given a size, returns a task and its training params.
MODELS: dict[str, Callable[[str], tuple[Task, TrainingParams]]] = {
    "discofuse/fusion_model": fusion,
    "discofuse/transfer": transfer,
    "parasci/generator": generator,
    "parasci/pdbert": pdbert,
    "talksumm/extractor, pointer": partial(extractor, "pointer"),
    "talksumm/extractor, transformer": partial(extractor, "transformer"),
    "wikisum/summarizer, seq2seq": partial(summarizer, "seq2seq"),
    "wikisum/summarizer, t_ed": partial(summarizer, "t_ed"),
    "wikisum/summarizer, t_d": partial(summarizer, "t_d"),
    "wikisum/summarizer, t_dmca": partial(summarizer, "t_dmca"),
}


def measured(name: str, arguments: argparse.Namespace, ours: bool) -> Cost:
    """Return the cost of a training in this process, with the project's loop or the plain one."""
    torch.set_num_threads(1)
    task, params = MODELS[name](arguments.size)
    updates = arguments.updates + 1
    knobs = {
        "epochs": 10_000,
        "steps": updates,
        "accumulation": arguments.processes,
        "processes": arguments.processes if ours else 1,
        "precision": arguments.precision or params.precision,
        "gradient_checkpointing": params.gradient_checkpointing or arguments.checkpointing,
        "validate_every": 1_000_000,
        "metric": "loss",
        "direction": "min",
        "tie": None,
    }
    params = params.model_copy(update=knobs)
    seconds = (by_the_loop if ours else plain)(task, params, arguments.strict)
    tokens = sum(task.costs[index] for batch in chosen(task, params)[1:updates] for index in batch)
    if on_processor(arguments.strict):
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    else:
        memory = torch.cuda.max_memory_allocated() / 1e6
    return Cost(count_weights(task.module) / 1e6, tokens / seconds, memory)


def chosen(task: Task, params: TrainingParams) -> list[tuple[int, ...]]:
    """Return the batches of a training."""
    found: list[tuple[int, ...]] = []
    while len(found) < (params.steps or 0):
        knobs = params.batch_size, params.batch_cost, params.seed, len(found), params.accumulation
        found += batches(task.costs, *knobs)
    return found


def clock(params: TrainingParams, strict: bool) -> float:
    """Return process time for a single process on a CPU, else wall time, in seconds."""
    if on_processor(strict):
        return time.process_time() if params.processes == 1 else time.perf_counter()
    torch.cuda.synchronize()
    return time.perf_counter()


def by_the_loop(task: Task, params: TrainingParams, strict: bool) -> float:
    """Return the seconds of all updates but the first with the project's loop."""
    times: list[float] = []

    def report(progress: Progress) -> None:
        if not progress.metrics:
            times.append(clock(params, strict))

    # One more update, because validation follows the last one.
    train(task, params.model_copy(update={"steps": (params.steps or 0) + 1}), None, report, strict)
    return times[-1] - times[0]


def plain(task: Task, params: TrainingParams, strict: bool) -> float:
    """Return the seconds of all updates but the first with a loop of ten lines."""
    device = torch.device("cpu" if on_processor(strict) else "cuda")
    halved = halves_products(params.precision, device, strict)
    torch.use_deterministic_algorithms(strict)
    task.module.to(device).train()
    prepare_module(task.module, params)
    weights = [parameter for parameter in task.module.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=params.learning_rate, fused=True)
    begun = 0.0
    for step, batch in enumerate(chosen(task, params)[: params.steps]):
        if step == 1:
            begun = clock(params, strict)
        with autocast(device, halved):
            loss = task.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, params.clip or float("inf"))
        optimiser.step()
        optimiser.zero_grad()
    return clock(params, strict) - begun


def main() -> None:
    """Measure all models, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--size", default="base", choices=("tiny", "base"))
    parser.add_argument("--only", default="", help="only models whose names begin with this")
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1, help="processes; each computes its own batches")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), help="default: as the size sets it")
    parser.add_argument(
        "--checkpointing", action="store_true", help="gradient checkpointing, if the model supports it"
    )
    parser.add_argument("--strict", action="store_true", help="use the CPU even if there is a GPU")
    arguments = parser.parse_args()
    where = "one CPU core" if on_processor(arguments.strict) else torch.cuda.get_device_name()
    print(f"size {arguments.size}, {arguments.updates} updates, {arguments.processes} x {where}\n")
    print(
        "| model | M weights | tokens/s | plain loop | ours / plain | MB | plain loop |\n|---|" + "---|" * 6
    )
    for name in filter(lambda name: name.startswith(arguments.only), MODELS):
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as worker:
            ours, peer = (worker.submit(measured, name, arguments, ours).result() for ours in (True, False))
        told = f"{ours.memory:.0f}" if arguments.processes == 1 else ""
        shown = (
            f"{ours.pace:.0f} | {peer.pace:.0f} | {ours.pace / peer.pace:.2f} | {told} | {peer.memory:.0f}"
        )
        print(f"| {name} | {ours.weights:.2f} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
