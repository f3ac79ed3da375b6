"""What `silverloom run` costs on top of a bare script that calls the same ops and writes the same rows.

    python benchmarks/price.py PROSE [--documents 300 3000 18000] [--periods] [--papers FOLDER] [--dump FILE]

PROSE is a .jsonl file (also .gz) with one document per line. For each number of documents, `silverloom init`
makes a DiscoFuse project of documents that are evenly spaced in the file. The bare script has no Dagster,
DVC, Great Expectations, MLflow, manifests or locks: it reads that project's sources, calls the ops with their
default params and writes Parquet files into another folder, in one process. `run` has its default number of
processes, each of which makes all parts of a partition. Both must write the same rows. The output is the
Markdown of docs/reports/price.md.

seconds   of processor time of the process and all that it starts
memory    greatest sum of what they have in memory, five times a second; shared pages count in parts (PSS)
written   size of the files in the folder afterwards, without those of `init`

--periods   also: a threshold moved in a project of five years, so that five partitions are stale
--papers    also: `parasci.filtered.self_bleu` moved in a project of the PDF papers in a folder
--dump      also: this dump of MediaWiki (DiscoFuse) and those papers (ParaSCI), with one process and with the
            default number of them; these seconds are of wall time
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SILVERLOOM = (sys.executable, "-m", "silverloom.orchestration.cli")
#: Documents of a part, as in `store.records_per_part`.
PART = 256
#: The datasets of discofuse/release_files that the bare script makes, too.
MADE = ("sources/prose", *(f"discofuse/{name}" for name in ("annotated", "candidates", "examples")))
MADE += tuple(f"discofuse/{name}" for name in ("splits", "balanced", "release_files"))
YEARS = range(2001, 2006)


class Cost(NamedTuple):
    """What a command took: processor and wall seconds, megabytes of memory and in its folder."""

    seconds: float
    memory: float
    written: float
    wall: float


def measured(folder: Path, *command: str, workers: str | None = "1") -> Cost:
    """Return the cost of a command in a folder. Raises SystemExit with its output if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    environment.pop("SILVERLOOM_WORKERS", None)
    environment |= {"SILVERLOOM_WORKERS": workers} if workers else {}
    size, before, most = size_of(folder), resource.getrusage(resource.RUSAGE_CHILDREN), 0
    begun = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        while process.poll() is None:
            most = max(most, resident(process.pid))
            time.sleep(0.2)
        if process.returncode:
            log.seek(0)
            raise SystemExit(f"{' '.join(command)}:\n{log.read().decode()[-4000:]}")
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(seconds, most / 1e6, (size_of(folder) - size) / 1e6, wall)


def resident(pid: int) -> int:
    """Return the bytes that a process and its descendants have in memory; 0 if it has ended."""
    total = 0
    try:
        processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for process in processes:
        try:
            total += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder; a file with several names counts once."""
    stats = [path.lstat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return sum({stat.st_ino: stat.st_size for stat in stats}.values())


def documents(path: Path, count: int) -> list[dict[str, Any]]:
    """Return `count` evenly spaced documents of a .jsonl file, or all if it has fewer."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        rows = [json.loads(line) for line in lines]
    return [rows[place * len(rows) // count] for place in range(min(count, len(rows)))]


def project(folder: Path, system: str, source: Path, *more: str) -> tuple[Path, Cost]:
    """Return a new project of a source, and what `init` took."""
    root = folder / "project"
    arguments = ["--system", system, "--source", str(source), "--licence", "CC-BY-4.0", *more]
    return root, measured(folder, *SILVERLOOM, "init", str(root), *arguments)


def prose(folder: Path, rows: Iterable[dict[str, Any]], *more: str) -> tuple[Path, Cost]:
    """Return a new DiscoFuse project of documents, and what `init` took."""
    folder.mkdir()
    source = folder / "prose.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return project(folder, "discofuse", source, *more)


def bare(root: Path, target: Path) -> None:
    """Make the datasets of a project's `discofuse/release_files` in another folder, without the house."""
    from silverloom.ops.core.outcome import Outcomes, Shape
    from silverloom.ops.core.parts import FilesFolder, OneProcess, Part, Parts, part_files, part_name
    from silverloom.ops.core.release import ReleaseParams, release_files, shape
    from silverloom.ops.discofuse import schemas
    from silverloom.ops.discofuse.annotation import AnnotationParams
    from silverloom.ops.discofuse.dataset.annotated import annotate
    from silverloom.ops.discofuse.dataset.balanced import BalancedParams, balanced
    from silverloom.ops.discofuse.dataset.candidates import candidates_of_documents
    from silverloom.ops.discofuse.dataset.evidence import EvidenceParams
    from silverloom.ops.discofuse.dataset.examples import ExampleParams, examples
    from silverloom.ops.discofuse.dataset.references import TOKENISED, beside_released
    from silverloom.ops.discofuse.dataset.splits import splits
    from silverloom.ops.discofuse.rules import RuleParams
    from silverloom.ops.discofuse.sources import TableProse, parse_prose
    from silverloom.ops.parse.scan import Corpus
    from silverloom.ops.parse.source import Source

    engine = OneProcess()

    def written(name: str, shape: Shape, outcomes: Outcomes) -> Parts:
        folder = target / name
        for number, outcome in enumerate(outcomes):
            for table in ("kept", "dropped", "rejected"):
                path = folder / part_name(table, number)
                path.parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(getattr(outcome, table), path)
        return Parts(shape.kept, tuple(Part(str(path)) for path in part_files(folder, "kept")), engine)

    declared = yaml.safe_load((root / "params.yaml").read_text())["sources"]["prose"]
    named = {name: Source(**source) for name, source in declared.items()}
    corpus = Corpus("prose", named, {"table": TableProse()}, root, "all", "all", PART, engine, "none")
    texts = written("sources/prose", schemas.PROSE, corpus.records("all").map(parse_prose))
    parsing, rules = AnnotationParams(), RuleParams()
    parses = written("discofuse/annotated", schemas.ANNOTATED, texts.map(annotate, parsing))
    made = candidates_of_documents(parses, parsing, rules, EvidenceParams(), strict=False)
    candidates = written("discofuse/candidates", schemas.CANDIDATES, made)
    kept = written("discofuse/examples", schemas.EXAMPLES, examples(candidates, ExampleParams()))
    singles = written("discofuse/splits", schemas.SENTENCE_SPLITS, kept.map(splits))
    even = written("discofuse/balanced", schemas.BALANCED, balanced(kept, BalancedParams()))
    released = release_files(
        kept, FilesFolder(target / "files"), ReleaseParams(), "domain", without=("links",),
        subsets={"balanced": even, "splits": singles}, beside=partial(beside_released, texts),
        pair=("unfused_detokenised", "fused_detokenised"), aside={"tokenised": TOKENISED},
    )  # fmt: skip
    written("discofuse/release_files", shape(schemas.EXAMPLES), released)


def differing(first: Path, second: Path) -> list[str]:
    """Return the datasets whose kept rows are not equal in two folders of datasets."""

    def rows(folder: Path) -> pa.Table:
        return pa.concat_tables(map(pq.read_table, sorted(folder.rglob("kept-*.parquet"))))

    return [name for name in MADE if not rows(first / name).equals(rows(second / name))]


def compared(path: Path, folder: Path, count: int) -> None:
    """Print a row of the table: both ways to make the same rows of some documents."""
    rows = documents(path, count)
    root, first = prose(folder / str(count), rows)
    target = folder / f"{count}-bare"
    target.mkdir()
    script = measured(target, sys.executable, __file__, "--bare", str(root), str(target))
    run = measured(root, *SILVERLOOM, "run")
    if names := differing(root / "data", target):
        raise SystemExit(f"other rows: {', '.join(names)}")
    cells = [f"{script.seconds:.1f}", f"{run.seconds:.1f}", f"{run.seconds - script.seconds:+.1f}"]
    cells += [f"{script.memory:.0f}", f"{run.memory:.0f}", f"{script.written:.1f}", f"{run.written:.1f}"]
    print(f"| {len(rows):,} | {' | '.join([*cells, f'{first.seconds:.1f}'])} |", flush=True)


def moved(root: Path, system: str, section: str, name: str, value: object) -> Cost:
    """Return what a run takes after one param of a project that is up to date has changed."""
    measured(root, *SILVERLOOM, "run")
    path = root / "params.yaml"
    params = yaml.safe_load(path.read_text())
    params[system] = params.get(system) or {}
    params[system].setdefault(section, {})[name] = value
    path.write_text(yaml.safe_dump(params, sort_keys=False))
    return measured(root, *SILVERLOOM, "run")


def five_years(path: Path, folder: Path) -> Cost:
    """Return what a threshold costs that makes the examples of five years stale."""
    rows = documents(path, 12 * len(YEARS))
    dated = [{**row, "year": str(YEARS[place % len(YEARS)])} for place, row in enumerate(rows)]
    root, _ = prose(folder / "periods", dated, "--every", "year")
    return moved(root, "discofuse", "examples", "short_tokens", 7)


def papers(source: Path, folder: Path) -> Cost:
    """Return what a threshold costs in a project of papers."""
    place = folder / "papers"
    place.mkdir()
    root, _ = project(place, "parasci", source.resolve())
    return moved(root, "parasci", "filtered", "self_bleu", 60)


def with_processes(system: str, source: Path, folder: Path) -> tuple[Cost, Cost]:
    """Return what a project of a source costs with one process, and with the default number of them."""
    costs = []
    for workers in ("1", None):
        place = folder / f"{system}-{workers or 'default'}"
        place.mkdir()
        root, _ = project(place, system, source.resolve())
        jobs = ["--jobs", workers] if workers else []
        costs.append(measured(root, *SILVERLOOM, "run", *jobs, workers=workers))
    return costs[0], costs[1]


def main(arguments: Sequence[str]) -> None:
    """Measure, and print Markdown."""
    if arguments[:1] == ["--bare"]:
        bare(*map(Path, arguments[1:]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--documents", type=int, nargs="*", default=[300, 3_000, 18_000])
    parser.add_argument("--periods", action="store_true")
    parser.add_argument("--papers", type=Path)
    parser.add_argument("--dump", type=Path)
    given = parser.parse_args(arguments)
    if given.dump and not given.papers:
        parser.error("--dump needs --papers as well")
    load = os.getloadavg()[0]
    where = f"{os.cpu_count()} cores, under a load of {load:.1f} at the beginning"
    print(f"*Measured {date.today()} on {where}.*\n")
    print("| documents | seconds: script | `run` | more | MB memory: script | `run` | ", end="")
    print("MB written: script | `run` | `init` seconds |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="price-") as name:
        folder = Path(name)
        for count in given.documents:
            compared(given.path, folder, count)
        more: dict[str, Callable[[], Cost]] = {}
        if given.periods:
            more["a threshold of five partitions"] = partial(five_years, given.path, folder)
        if given.papers:
            more["`parasci.filtered.self_bleu` of papers"] = partial(papers, given.papers, folder)
        if more:
            print("\n| a threshold moved, and `run` | seconds | MB memory |\n|---|---|---|")
        for what, cost in more.items():
            result = cost()
            print(f"| {what} | {result.seconds:.1f} | {result.memory:.0f} |", flush=True)
        if given.dump:
            print(
                "\n| one process, then several | wall | wall | ratio | MB | MB |\n|---|---|---|---|---|---|"
            )
            for system, source in (("discofuse", given.dump), ("parasci", given.papers)):
                one, several = with_processes(system, source, folder)
                cells = f"{one.wall:.1f} | {several.wall:.1f} | {several.wall / one.wall:.2f}"
                print(f"| {system} | {cells} | {one.memory:.0f} | {several.memory:.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
