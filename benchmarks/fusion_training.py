"""Training fusion models: tokens per second, against a plain torch loop over the same batches.

Run: python benchmarks/fusion_training.py PATH_TO_pairs.tsv[.gz] [--size tiny|base|paper] [--updates 20]
[--strict]. The file is from the released DiscoFuse (eight columns with a header) or a split-and-rephrase
corpus (sentence<TAB>first <::::> second). Sizes are those of discofuse.fusion_model in params.yaml.

Tokens are the byte pairs of sources and targets, without padding. The plain loop makes the same forward and
backward passes of the same network with AdamW and clipping, and nothing else: no Accelerate, no checks, no
curves. Each runs twice, in turn; the first update of each does not count. On a CPU, time is process time with
one thread.

Not here: what the models learn (docs/explanation/fusion-models.md).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from silverloom.assets.declare.params_file import section
from silverloom.ops.discofuse.models.fusion_model import FusionModelParams
from silverloom.ops.discofuse.models.training_sets import copied, source_of, target_of
from silverloom.ops.models.seq2seq.config import Pairs
from silverloom.ops.models.seq2seq.model import Seq2Seq
from silverloom.ops.models.seq2seq.task import Seq2SeqTask
from silverloom.ops.models.seq2seq.training import learn_pieces, make_model
from silverloom.ops.models.training import Progress, TrainingParams, train
from silverloom.ops.models.training.processes import batches

MOST_PAIRS = 20_000


def read(path: Path) -> Pairs:
    """Return the first pairs of a file. Exits if the file is missing or has neither format."""
    if not path.is_file():
        sys.exit(f"{path}: no such file; give a TSV of DiscoFuse or of a split-and-rephrase corpus")
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = list(_pairs(io.StringIO(content.decode()), path))[:MOST_PAIRS]
    return Pairs([str(number) for number in range(len(rows))], *map(list, zip(*rows, strict=True)))


def _pairs(lines: io.StringIO, path: Path) -> Iterator[tuple[str, str]]:
    header = lines.readline()
    if "incoherent_first_sentence" in header:
        names = header.rstrip("\n").split("\t")
        for row in csv.DictReader(lines, names, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield source_of(row), target_of(row)
        return
    lines.seek(0)
    for number, line in enumerate(lines, start=1):
        cells = line.rstrip("\n").split("\t")
        if len(cells) != 2 or "<::::>" not in cells[1]:
            sys.exit(
                f"{path}, line {number}: neither sentence<TAB>first <::::> second nor a header of DiscoFuse"
            )
        yield copied(*(one.strip() for one in cells[1].split("<::::>"))), cells[0]


def clock(device: torch.device) -> float:
    """Return process time on a CPU, or wall time on a GPU after its work is done, in seconds."""
    if device.type == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def ours(model: Seq2Seq, pairs: Pairs, params: TrainingParams, strict: bool) -> float:
    """Return the seconds of all updates but the first with the project's loop."""
    one = Pairs(pairs.names[:1], pairs.sources[:1], pairs.targets[:1])
    task = Seq2SeqTask(model, model.stored(pairs), one, lambda answers: {params.metric: 0.0}, beam=1)
    times: list[float] = []

    def report(progress: Progress) -> None:
        if not progress.metrics:
            times.append(clock(model.network.device))

    # One more update, because validation follows the last one.
    train(task, params.model_copy(update={"steps": (params.steps or 0) + 1}), None, report, strict)
    return times[-1] - times[0]


def plain(model: Seq2Seq, pairs: Pairs, params: TrainingParams, strict: bool) -> tuple[float, int]:
    """Return the seconds of all updates but the first with a loop of ten lines, and their tokens."""
    torch.use_deterministic_algorithms(strict)
    examples = [model.example(*pair) for pair in zip(pairs.sources, pairs.targets, strict=True)]
    costs = [len(example.source) + len(example.target) for example in examples]
    model.place(strict)
    model.network.train()
    optimiser = torch.optim.AdamW(
        model.network.parameters(), lr=params.learning_rate, weight_decay=params.weight_decay
    )
    bfloat = model.network.device.type == "cuda" and params.precision == "bfloat16"
    begun, tokens = 0.0, 0
    chosen = [batch for epoch in range(params.epochs) for batch in _epoch(costs, params, epoch)]
    for step, batch in enumerate(chosen[: params.steps]):
        if step == 1:
            begun = clock(model.network.device)
        with torch.autocast(model.network.device.type, torch.bfloat16, enabled=bfloat):
            loss = model.losses([examples[index] for index in batch]).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.network.parameters(), params.clip or float("inf"))
        optimiser.step()
        optimiser.zero_grad()
        tokens += sum(costs[index] for index in batch) if step else 0
    ended = clock(model.network.device)
    torch.use_deterministic_algorithms(False)
    return ended - begun, tokens


def _epoch(costs: list[int], params: TrainingParams, epoch: int) -> list[tuple[int, ...]]:
    return batches(costs, params.batch_size, params.batch_cost, params.seed, epoch)


def main() -> None:
    """Measure both loops twice, in turn; print tokens per second and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--strict", action="store_true", help="use the CPU even if there is a GPU")
    arguments = parser.parse_args()
    params = section(FusionModelParams)
    if arguments.size not in params.sizes:
        sys.exit(f"size {arguments.size!r} is not among {', '.join(params.sizes)} (params.yaml)")
    size = params.sizes[arguments.size]
    torch.set_num_threads(1)
    pairs = read(arguments.pairs)
    pieces = learn_pieces([*pairs.sources, *pairs.targets], size.model)
    training = params.model_copy(update={"size": arguments.size}).training
    knobs = {
        "steps": arguments.updates,
        "epochs": 2 + arguments.updates * training.batch_size // len(pairs),
        "accumulation": 1,
        "processes": 1,
        "validate_every": 1_000_000,
        "tie": None,
    }
    training = training.model_copy(update=knobs)
    weights = sum(one.numel() for one in make_model(size.model, pieces, 0).network.parameters())
    print(f"{arguments.size}: {weights / 1e6:.2f} M weights, {len(pieces)} pieces, {len(pairs)} pairs")
    seconds = {"ours": 0.0, "plain": 0.0}
    tokens = 0
    for which in ("ours", "plain", "plain", "ours"):
        model = make_model(size.model, pieces, 0)
        if which == "ours":
            seconds[which] += ours(model, pairs, training, arguments.strict)
        else:
            spent, tokens = plain(model, pairs, training, arguments.strict)
            seconds[which] += spent
    on_gpu = model.network.device.type == "cuda"
    print(f"on {torch.cuda.get_device_name() if on_gpu else 'one CPU core'}:")
    for name, spent in seconds.items():
        print(f"  {name:5}  {2 * tokens / spent:9.0f} tokens/s")
    print(f"  ours / plain  {seconds['plain'] / seconds['ours']:.2f}")


if __name__ == "__main__":
    main()
