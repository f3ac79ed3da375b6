"""How each dataset's processor time and peak memory grow with its inputs.

    python benchmarks/growth.py [--only wikisum/references,talksumm] [--size 512] [--sizes 3] [--parts 256]
        [--memory 256MB] [--keep FOLDER] [--trainings] [--statements]

Makes synthetic corpora of n, 2n, 4n ... articles, papers, talks and documents of prose
(benchmarks/synthetic_corpus.py). From each it makes every dataset of the four systems as declared: it calls
the assets' functions on part files and writes the same files as a run. Each dataset is made in its own
process, first from a tiny corpus, so that imports and other loading do not count. The process then reports
its processor time, and its peak memory above what it had before. Exponents are least squares over logarithms:
1 is linear, 2 quadratic. Memory below 32 MB counts as 32 MB. Targets: no time exponent above 1.15, and memory
that does not grow.

Embeddings are faked as sums of word vectors. Left out are crawls, datasets that read human answers, and,
without --trainings, datasets that train a model or read one. With --trainings, each model has the size in
params.yaml and learns from one batch, so growth shows what training keeps in memory. The last lines name what
is left out. --memory limits a join to less than in production, so that it spills to disk at these sizes.

Not here: checks and manifests of partitions (backfill.py), scanning raw sources (parsing.py).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

import numpy as np

from benchmarks import fake_encoder, synthetic_corpus

fake_encoder.install()

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core import database
from silverloom.ops.core.derived import NewFolder
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import FILES, Artifact, FilesFolder, Part, Parts, part_files
from silverloom.ops.models.training.params import TrainingParams
from silverloom.orchestration.checks.ids import StoredIds
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.executors.parts import engine
from silverloom.orchestration.files.parquet import write_outcomes

SYSTEMS = ("talksumm", "discofuse", "wikisum", "parasci")
#: Documents of the tiny corpus that each process starts with.
TINY = 16
#: Exponents above LINEAR are marked; memory below NOISE MB counts as NOISE.
LINEAR, NOISE = 1.15, 32.0


class Cost(NamedTuple):
    """The cost of making a dataset, and its number of rows."""

    seconds: float
    megabytes: float
    rows: int


def main() -> None:
    """Measure, and print a line per dataset."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="datasets or systems, comma-separated, plus their inputs")
    parser.add_argument("--size", type=int, default=512, help="documents of the smallest corpus")
    parser.add_argument("--sizes", type=int, default=3, help="number of corpora, each twice the previous one")
    parser.add_argument("--parts", type=int, default=256, help="records per part, as store.records_per_part")
    parser.add_argument("--memory", default="256MB", help="memory limit of a join")
    parser.add_argument("--keep", type=Path, help="folder in which to keep and reuse corpora and datasets")
    parser.add_argument("--trainings", action="store_true", help="also train models, one update each")
    parser.add_argument(
        "--statements", action="store_true", help="generate parasci/sentences instead of making it"
    )
    given = parser.parse_args()
    there = synthetic(given.trainings) | {"parasci/sentences" for _ in range(given.statements)}
    every, left_out = possible(there, given.trainings)
    asked = [name for name in given.only.split(",") if name] or list(SYSTEMS)
    wanted = [name for name in every if name in asked or name.partition("/")[0] in asked]
    needed = upstream(wanted, there)
    names = [name for name in every if name in needed]
    counts = [given.size * 2**power for power in range(given.sizes)]
    with tempfile.TemporaryDirectory(prefix="growth-") as scratch:
        base = given.keep or Path(scratch)
        for count in (TINY, *counts):
            _apart(synthetic_corpus.write, base / str(count), count, given.parts, needed & there)
        print(line(f"n = {given.size}", [f"{n} n" for n in (1, 2, 4, 8, 16)[: given.sizes]] * 2))
        for name in names:
            _, *costs = (_cost(name, base / str(count), given.memory) for count in (TINY, *counts))
            print(_described(name, counts, costs), flush=True)
    for name, reason in left_out.items():
        if name in asked or name.partition("/")[0] in asked:
            print(f"{name} is left out: {reason}")


def datasets() -> Mapping[str, Dataset]:
    """Return every dataset by its name, inputs first."""
    return {name: dataset for name, dataset in workspace().datasets.items() if dataset.shape is not None}


def synthetic(trainings: bool) -> set[str]:
    """Return the datasets that are generated instead of made; models are among them unless trained."""
    given = {*synthetic_corpus.sources(0)}
    return {name for name in given if not (trainings and datasets()[name].checkpoints)}


def possible(given: Collection[str], trainings: bool) -> tuple[list[str], dict[str, str]]:
    """Return the datasets that can be made from the given ones, and why the others cannot."""
    there = {*given}
    found: list[str] = []
    left_out: dict[str, str] = {}
    for name, dataset in datasets().items():
        if name in there:
            continue
        missing = [source.key.to_user_string() for source in dataset.inputs]
        missing = [source for source in missing if source not in there]
        if dataset.checkpoints and not trainings:
            left_out[name] = "it trains a model"
        elif dataset.crawl:
            left_out[name] = "it asks a server"
        elif dataset.records or missing:
            left_out[name] = f"it reads {missing[0]}" if missing else "it reads raw records"
        else:
            found.append(name)
            there.add(name)
    return found, left_out


def upstream(names: Collection[str], given: Collection[str]) -> set[str]:
    """Return some datasets with all their inputs, back to the given ones."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            sources = () if name in given else datasets()[name].inputs
            waiting += [source.key.to_user_string() for source in sources]
    return found


def made(name: str, folder: Path, memory: str) -> Cost:
    """Make a dataset from those in a folder, in this process; return its cost."""
    database.MEMORY = memory
    if folder.name != str(TINY):
        with tempfile.TemporaryDirectory(prefix="growth-") as scratch:
            _make(name, folder.parent / str(TINY), Path(scratch) / "made")
    before, began = _peak(), _processor()
    rows = _make(name, folder, folder / name)
    return Cost(_processor() - began, _peak() - before, rows)


def _make(name: str, folder: Path, target: Path) -> int:
    """Make a dataset from those in a folder, as declared; return its number of rows."""
    dataset = datasets()[name]
    assert dataset.shape is not None
    arguments: dict[str, Any] = dict(dataset.arguments)
    for source in dataset.argument_inputs:
        upstream_name = source.key.to_user_string()
        files = part_files(folder / upstream_name, "kept")
        shape = datasets()[upstream_name].shape
        assert shape is not None
        parts = Parts(shape.kept, tuple(Part(str(path)) for path in files), engine())
        alone = source.whole and not datasets()[upstream_name].partitioned
        arguments[source.argument] = Artifact(parts, folder / upstream_name / FILES) if alone else parts
    target.mkdir(parents=True)
    if dataset.strict:
        arguments[dataset.strict] = True
    if dataset.checkpoints:
        arguments = {key: _of_one_update(value) for key, value in arguments.items()}
        arguments[dataset.checkpoints] = NoCheckpoints()
    if dataset.files:
        arguments[dataset.files] = FilesFolder(target / FILES)
    if dataset.derived:
        arguments[dataset.derived] = NewFolder(target / "derived")
    units = StoredIds(target.with_name(f"{target.name}.units"))  # on disk, as in a run
    write_outcomes(target, units.taken_from(dataset.function(**arguments)), dataset.shape)
    return sum(Part(str(path)).rows for path in part_files(target, "kept"))


class NoCheckpoints:
    """Checkpoints that are not stored."""

    def at(self, name: str) -> NoCheckpoints:
        """Return the place of a training's checkpoint."""
        return self

    def write(self, files: Mapping[str, bytes]) -> None:
        """Discard a checkpoint."""

    def read(self) -> None:
        """Return None: there is no checkpoint."""


def _of_one_update(value: Any) -> Any:
    """Return params whose trainings end after the first update."""
    if isinstance(value, TrainingParams):
        return value.model_copy(update={"steps": 1})
    if isinstance(value, Params):
        fields = {name: _of_one_update(getattr(value, name)) for name in type(value).model_fields}
        if "wanted" in fields:  # a model that is off by default
            fields["wanted"] = True
        return value.model_copy(update=fields)
    if isinstance(value, dict):
        return {name: _of_one_update(part) for name, part in value.items()}
    return value


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent with which values grow over sizes, by least squares of logarithms."""
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-3)), 1)[0])


def line(name: str, cells: Sequence[str], time_power: str = "power", last: str = "at last",
         memory_power: str = "power", rows: str = "rows") -> str:  # fmt: skip
    """Return a line of the table: seconds and megabytes with exponents, rows of the largest corpus."""
    half = len(cells) // 2
    seconds, megabytes = ("".join(f"{cell:>9}" for cell in some) for some in (cells[:half], cells[half:]))
    return f"{name:26}{seconds} s{time_power:>7}{last:>9}{megabytes} MB{memory_power:>7}{rows:>11}"


def _described(name: str, sizes: Sequence[int], costs: Sequence[Cost | str]) -> str:
    if faults := [cost for cost in costs if isinstance(cost, str)]:
        return f"{name:26} failed: {faults[0]}"
    done = [cost for cost in costs if isinstance(cost, Cost)]
    seconds, megabytes = [cost.seconds for cost in done], [cost.megabytes for cost in done]
    power, last = exponent(sizes, seconds), exponent(sizes[-2:], seconds[-2:])
    held = exponent(sizes, np.maximum(megabytes, NOISE).tolist())
    cells = [*(f"{value:.1f}" for value in seconds), *(f"{value:.0f}" for value in megabytes)]
    mark = "!" if max(power, last) > LINEAR else " "
    return line(name, cells, f"{power:.2f}{mark}", f"{last:.2f}", f"{held:.2f}", str(done[-1].rows))


def _cost(name: str, folder: Path, memory: str) -> Cost | str:
    """Make a dataset in its own process, unless it exists; return its cost, or the error."""
    told = folder / "costs" / f"{name.replace('/', '.')}.json"
    if not told.is_file():
        shutil.rmtree(folder / name, ignore_errors=True)
        try:
            cost = _apart(made, name, folder, memory)
        except Exception as error:  # the others are still measured
            return f"{type(error).__name__}: {error}"
        told.parent.mkdir(exist_ok=True)
        told.write_text(json.dumps(cost))
    return Cost(*json.loads(told.read_text()))


def _apart(function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function in a process forked from this one, which ends with the call."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, arguments)


def _processor() -> float:
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + of_children.ru_utime + of_children.ru_stime


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
