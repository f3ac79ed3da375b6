"""Two trained extractors against untrained rankers, on papers with human summaries.

Run: python benchmarks/extractors.py PATH_TO_acl_papers.tar.gz [--cache FOLDER] [--only pointer|transformer].
The archive has a folder per paper with Documents_xml/*.xml and summary/*.gold.txt (ScisummNet v1.0).

A fixed seed splits the papers into 600, 80 and 98. The pointer network learns greedy ROUGE labels over the
papers without their abstracts; the Transformer learns how much of the summary each sentence covers per word.
The 80 choose the epoch; the 98 are scored once. Sizes and training are those of the size "full" in
params.yaml. With --cache, sentence embeddings and trained weights are stored in that folder, and an
interrupted run resumes. One thread.

Not here: ROUGE itself (rouge.py).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import resource
import sys
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.assets.declare.params_file import section
from silverloom.ops.metrics import interval, ngram_counts, overlap, paired_bootstrap, rouge, rouge_tokens
from silverloom.ops.models.encoder import Embed, embedder
from silverloom.ops.models.training import ProgressLines, Trained, train
from silverloom.ops.parse.papers import parse_papers
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.roles import ABSTRACT, ACKNOWLEDGMENTS, PREAMBLE, REFERENCES
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences
from silverloom.ops.parse.source import ParseError, Raw
from silverloom.ops.rank.choose import hybrid, only
from silverloom.ops.rank.rankers import (
    best_first,
    bigram_gains,
    content_words,
    lead,
    oracle_of_references,
    shuffled,
    sum_basic,
    text_rank,
)
from silverloom.ops.rank.rankers import words as tokens
from silverloom.ops.talksumm.extractors.files import make, save
from silverloom.ops.talksumm.extractors.paper import Extraction, ExtractorPaper, Labelled
from silverloom.ops.talksumm.extractors.pointer import PointerExtractor
from silverloom.ops.talksumm.extractors.tasks import task_of
from silverloom.ops.talksumm.extractors.transformer import TransformerExtractor
from silverloom.ops.talksumm.models import Architecture, ExtractorParams
from silverloom.ops.talksumm.sources.gold import SUMMARY_FORMATS

WORDS = 150
SEED = 0
TRAINING, VALIDATION = 600, 80
LEFT_OUT = {ABSTRACT, PREAMBLE, ACKNOWLEDGMENTS, REFERENCES}
MEASURES = (("rouge2", "recall"), ("rouge2", "f"), ("rouge3", "f"), ("rougeSU4", "f"))


@dataclass(frozen=True)
class Example:
    """A paper without its abstract, its abstract, and its human summary, all as sentences."""

    paper: ExtractorPaper
    abstract: list[str]
    summary: list[str]


def read(archive: Path) -> list[Example]:
    """Return the papers of the archive, by name."""
    papers: dict[str, bytes] = {}
    summaries: dict[str, tuple[str, bytes]] = {}
    with tarfile.open(archive) as files:
        for member in files:
            path = PurePosixPath(member.name)
            content = files.extractfile(member)
            if content is None:
                continue
            if path.suffix == ".xml":
                papers[path.parts[-3]] = content.read()
            elif path.name.endswith(".gold.txt"):
                summaries[path.parts[-3]] = (member.name, content.read())
    return [_example(name, papers[name], *summaries[name]) for name in sorted(papers)]


def _example(name: str, content: bytes, summary_path: str, summary: bytes) -> Example:
    raw = Raw(name, f"{name}.xml", content)
    record = Record(raw.path, "acl", "cl_scisumm", "CC-BY-SA-4.0", "2018-07", raw)
    found = parse_papers([record]).kept
    rows = filter_sentences(found, SentenceParams()).kept.to_pylist()
    body = [row for row in rows if row["role"] not in LEFT_OUT]
    paper = ExtractorPaper(
        name,
        [row["text"] for row in body],
        found["title"][0].as_py() or "",
        [row["role"] for row in body],
        [row["section"] for row in body],
    )
    try:
        human = SUMMARY_FORMATS["cl_scisumm_summaries"].parse(Raw(name, summary_path, summary)).sentences
    except ParseError:
        # Four files have nothing after the title, so no system can score on them.
        human = []
    return Example(paper, [row["text"] for row in rows if row["role"] == ABSTRACT], human)


def oracle_of(example: Example) -> list[int]:
    """Return the sentences that a greedy search over ROUGE-1 and ROUGE-2 chooses."""
    sentences = example.paper.sentences
    sizes = [len(text.split()) for text in sentences]
    references = [[tokens(" ".join(example.summary))]]
    return oracle_of_references([tokens(text) for text in sentences], references, sizes, WORDS, (1, 2))


def gains_of(example: Example) -> list[float]:
    """Return for each sentence how much of the human summary it covers per word."""
    sentences = [tokens(text) for text in example.paper.sentences]
    return bigram_gains(sentences, tokens(" ".join(example.summary)))


def labelled(examples: Sequence[Example], soft: bool) -> Labelled:
    """Return papers with their oracle labels; `soft` adds gains."""
    return Labelled(
        [one.paper for one in examples],
        [oracle_of(one) for one in examples],
        [gains_of(one) for one in examples] if soft else None,
    )


def summary_of(example: Example, order: Sequence[int]) -> str:
    """Return a summary of exactly WORDS words, or of all if the paper has fewer."""
    return only(example.paper.sentences, order, WORDS, cut=True).text


def judge(examples: Sequence[Example]) -> Callable[[int, Extraction], float]:
    """Return a function that scores an extraction of the i-th paper by ROUGE-2 F."""
    wanted = [ngram_counts(rouge_tokens("\n".join(one.summary)).running, 2) for one in examples]

    def score(row: int, extraction: Extraction) -> float:
        found = ngram_counts(rouge_tokens(summary_of(examples[row], extraction.indices)).running, 2)
        both = sum(found.values()) + sum(wanted[row].values())
        return 2 * overlap(found, wanted[row]) / both if both else 0.0

    return score


class Folder:
    """Stores a run's embeddings and checkpoints; without a folder, nothing."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def embed(self, name: str) -> Embed:
        """Return the encoder, which embeds each set of texts only once."""
        plain = embedder(name)

        def embed(texts: Sequence[str]) -> NDArray[np.float32]:
            if self.folder is None:
                return plain(texts)
            key = hashlib.sha256("\0".join([name, *texts]).encode()).hexdigest()
            path = self.folder / "embeddings" / f"{key}.npy"
            if not path.is_file():
                path.parent.mkdir(exist_ok=True)
                buffer = io.BytesIO()
                np.save(buffer, plain(texts), allow_pickle=False)
                _write(path, buffer.getvalue())
            rows: NDArray[np.float32] = np.load(path, allow_pickle=False)
            return rows

        return embed

    def checkpoints(self, name: str) -> _Checkpoints | None:
        """Return the store for one model's checkpoints."""
        return None if self.folder is None else _Checkpoints(self.folder / "checkpoints" / name)


class _Checkpoints:
    """Stores the last checkpoint in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, files: Mapping[str, bytes]) -> None:
        buffer = io.BytesIO()
        np.savez(buffer, **{name: np.frombuffer(content, np.uint8) for name, content in files.items()})
        self._path.parent.mkdir(parents=True, exist_ok=True)
        _write(self._path, buffer.getvalue())

    def read(self) -> Mapping[str, bytes] | None:
        if not self._path.is_file():
            return None
        with np.load(self._path, allow_pickle=False) as found:
            return {name: found[name].tobytes() for name in found.files}


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_suffix(".new")
    temporary.write_bytes(content)
    temporary.replace(path)


def trained(
    name: Architecture, training: Sequence[Example], validation: Sequence[Example], folder: Folder
) -> PointerExtractor | TransformerExtractor:
    """Train and return one of the two extractors; print its training."""
    soft = name == "transformer"
    sets, score = (labelled(training, soft), labelled(validation, soft)), judge(validation)
    begin, ours = time.perf_counter(), time.process_time()
    full = section(ExtractorParams).model_copy(update={"size": "full"})
    extractor = make(full.config(name), SEED, embed=folder.embed(full.encoder))
    task = task_of(extractor, *sets, score, WORDS)
    prepared = time.process_time() - ours
    ours = time.process_time()
    outcome = train(task, full.training(name), folder.checkpoints(name), ProgressLines(seconds=60))
    _tell(name, extractor, outcome, prepared, time.process_time() - ours, time.perf_counter() - begin)
    return extractor


def _tell(
    name: str,
    extractor: PointerExtractor | TransformerExtractor,
    outcome: Trained,
    prepared: float,
    seconds: float,
    wall: float,
) -> None:
    weights = sum(one.numel() for one in extractor.network.parameters())
    digest = hashlib.sha256(save(extractor)["weights.safetensors"]).hexdigest()
    print(
        f"{name}: {weights:,} weights (sha256 {digest[:12]}), {outcome.steps} updates, "
        f"best after {outcome.best_step}; "
        f"processor time: {prepared:.0f} s to prepare, {seconds:.0f} s to train; "
        f"{wall:.0f} s wall time; "
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9:.2f} GB"
    )
    for point in outcome.curve:
        print(f"  update {point.step:5d}  epoch {point.epoch + 1:2d}  {point.name} {point.value:.4f}")


def baselines(examples: Sequence[Example]) -> dict[str, list[str]]:
    """Return the summaries of untrained systems."""
    contents = [[content_words(text) for text in one.paper.sentences] for one in examples]
    orders = {
        "Lead": [lead(len(one.paper)) for one in examples],
        "Random": [shuffled(len(one.paper), SEED, one.paper.id) for one in examples],
        "TextRank": [best_first(text_rank(units)) if units else [] for units in contents],
        "SumBasic": [sum_basic(units) for units in contents],
        "Oracle": [oracle_of(one) for one in examples],
    }
    found = {
        name: [summary_of(one, order) for one, order in zip(examples, each, strict=True)]
        for name, each in orders.items()
    }
    found["Abstract"] = [" ".join(" ".join(one.abstract).split()[:WORDS]) for one in examples]
    return found


def scores(examples: Sequence[Example], summaries: Sequence[str]) -> NDArray[np.float64]:
    """Return the N x 4 scores of `MEASURES`."""
    rows = []
    for example, summary in zip(examples, summaries, strict=True):
        found = rouge(summary, "\n".join(example.summary))
        rows.append([getattr(found[name], part) for name, part in MEASURES])
    return np.array(rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument(
        "--only", choices=["pointer", "transformer"], help="train only this one, without testing"
    )
    options = parser.parse_args()
    if not options.archive.is_file():
        print(f"no data: {options.archive} does not exist; give the path of acl_papers.tar.gz")
        return
    import torch

    torch.set_num_threads(1)
    begin = time.process_time()
    examples = read(options.archive)
    order = np.random.default_rng(SEED).permutation(len(examples))
    shuffled_examples = [examples[index] for index in order]
    training = shuffled_examples[:TRAINING]
    validation = shuffled_examples[TRAINING : TRAINING + VALIDATION]
    test = shuffled_examples[TRAINING + VALIDATION :]
    sentences = sum(len(one.paper) for one in examples)
    print(
        f"{len(examples)} papers, {sentences:,} sentences: {len(training)} to train on, "
        f"{len(validation)} to choose on, {len(test)} to test on; read in {time.process_time() - begin:.0f} s"
    )
    folder = Folder(options.cache)
    names: list[Architecture] = [options.only] if options.only else ["pointer", "transformer"]
    extractors = {name: trained(name, training, validation, folder) for name in names}
    if options.only:
        return
    summaries = baselines(test)
    for name, extractor in extractors.items():
        # Hybrid skips sentences that repeat the abstract, so more than one summary's worth is ranked.
        orders = [extractor.extract(one.paper, 2 * WORDS).indices for one in test]
        summaries[f"Only, {name}"] = [
            summary_of(one, chosen) for one, chosen in zip(test, orders, strict=True)
        ]
        summaries[f"Hybrid, {name}"] = [
            hybrid(one.abstract, one.paper.sentences, chosen, WORDS, cut=True).text
            for one, chosen in zip(test, orders, strict=True)
        ]
    found = {name: scores(test, each) for name, each in summaries.items()}
    print("system                 " + "".join(f"{f'{name} {part}':>26}" for name, part in MEASURES))
    for name, each in sorted(found.items(), key=lambda pair: pair[1][:, 1].mean()):
        cells = [interval(each[:, column]) for column in range(len(MEASURES))]
        print(
            f"{name:22s} "
            + "".join(f"{c.mean:12.4f} [{c.low:.4f} {c.high:.4f}]"[:26].rjust(26) for c in cells)
        )
    against = ("Lead", "Random", "TextRank", "SumBasic")
    pairs = [(f"Only, {ours}", theirs) for ours in extractors for theirs in against]
    for one, other in [*pairs, ("Only, transformer", "Only, pointer")]:
        for column, (name, part) in enumerate(MEASURES):
            tested = paired_bootstrap(found[one][:, column], found[other][:, column])
            print(
                f"{one} - {other}, {name} {part}: {tested.difference:+.4f} "
                f"[{tested.low:+.4f} {tested.high:+.4f}], p = {tested.p:.4f}"
            )


if __name__ == "__main__":
    main()
