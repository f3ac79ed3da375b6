"""How well both models align talks whose truth is known, and how well they notice talks of other papers.

    python benchmarks/talk_simulation.py [DATA] [--papers 24]

DATA (default: $SILVERLOOM_DATA, else ../shared/data) has science_fulltext/ (unarXive_sample.jsonl.gz,
scirex.jsonl.gz), acl_papers.tar.gz and talks/, whose absence is reported. A simulated talk reads three in
four of the words of the first 16 of drawn sentences in order, with some "um". Accuracy is the share of
observed words that are decoded within one sentence of the truth. TUNED papers chose the defaults of `robust`;
the figures are those of other papers: as many of unarXive (arXiv), SciREX (machine learning) and ScisummNet
(ACL), with 100 to 330 sentences.

The second talks are at K/T = 0.3 and 0.8: `asr`: a fifth of the words misheard; `skipped`: the middle third
of the paper is not spoken about; `half`: the last half is not; `reordered`: blocks of ten sentences are
shuffled; `aside`: a fifth of the talk is a part of another paper, which belongs nowhere.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import sys
import tarfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import talk_table_4
from real_talk import states_of

from silverloom.ops.core.outcome import Row
from silverloom.ops.metrics.rouge import rouge
from silverloom.ops.models.registry import word_vectors
from silverloom.ops.parse.papers import parse_papers
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences
from silverloom.ops.parse.source import Raw
from silverloom.ops.rank.choose import summarize
from silverloom.ops.talksumm.align.emission import content_tokens
from silverloom.ops.talksumm.align.evidence import Evidence, evidence
from silverloom.ops.talksumm.align.hmm import Alignment, HmmParams, Model, trellis
from silverloom.ops.talksumm.summarise import SummaryParams

RATIOS = (0.15, 0.3, 0.5, 0.8, 1.2)
MODELS: tuple[Model, ...] = get_args(Model)
#: The papers that chose the defaults, by set and place in its file.
TUNED = frozenset({"scirex/0", "scirex/7", "scirex/17", "scirex/18", "unarxive/24", "unarxive/34"})
SIZES = range(100, 331)
NOWHERE = -9
SHOWN = (0.40, 0.42, 0.43, 0.44, 0.45, 0.46, 0.48, 0.50)

_WORD = re.compile(r"[(\[]?([A-Za-z][a-z'’-]+|[A-Z]{2,6}s?|[a-zA-Z])[)\],.;:?!]*")
_MARKS = {"REF", "FORMULA", "TABREF", "FIGREF"}


class Paper(NamedTuple):
    """The states of a paper, and what is known of its summaries."""

    texts: Sequence[str]
    introduction: Sequence[int]
    abstract: str
    summary: str = ""


class Talk(NamedTuple):
    """Words, and for each the index of its sentence, or NOWHERE."""

    words: Sequence[str]
    truth: Sequence[int]


class Decoded(NamedTuple):
    """An alignment with its evidence, the accuracy (None without truth) and the seconds of decoding."""

    alignment: Alignment
    evidence: Evidence
    accuracy: float | None
    seconds: float


def _drawing(*names: object) -> random.Random:
    return random.Random(" ".join(map(str, names)))  # noqa: S311 (no secret)


def spoken(text: str) -> list[str]:
    """Return the words of a text that a speaker would say: no formulas and no marks of the source."""
    matches = (_WORD.fullmatch(word) for word in text.split())
    return [match[1] for match in matches if match and match[1] not in _MARKS]


def papers_of(data: Path, acl: Sequence[Paper]) -> list[Paper]:
    """Return papers of unarXive, SciREX and `acl` in turn, without those that chose the defaults."""
    sets = []
    for name, kind in (("unarXive_sample", "unarxive"), ("scirex", "scirex")):
        with gzip.open(data / "science_fulltext" / f"{name}.jsonl.gz") as lines:
            first = islice(lines, 49)
            records = [_record(kind, f"{kind}/{row}", line, row + 1) for row, line in enumerate(first)]
        sets.append([paper for name, paper in _papers(records).items() if name not in TUNED])
    sets.append(list(acl))
    fitting = [[paper for paper in papers if len(paper.texts) in SIZES] for papers in sets]
    return [paper for papers in zip(*fitting, strict=False) for paper in papers]


def summarised_papers(data: Path, most: int) -> list[Paper]:
    """Return ACL papers with a human summary."""
    records, summaries = [], {}
    with tarfile.open(data / "acl_papers.tar.gz") as archive:
        for member in archive:
            name = Path(member.name).name.partition(".")[0]
            if member.name.endswith((".xml", ".gold.txt")) and (file := archive.extractfile(member)):
                content = file.read()
                if member.name.endswith(".xml"):
                    records.append(_record("cl_scisumm", name, content))
                else:
                    summaries[name] = content.decode(errors="replace").partition("\n")[2]
            if len(records) >= 2 * most and len(summaries) >= 2 * most:
                break
    papers = _papers(records)
    return [
        paper._replace(summary=summaries[name])
        for name, paper in papers.items()
        if name in summaries and paper.abstract and 60 <= len(paper.texts) <= 330
    ][:most]


def _record(kind: str, name: str, content: bytes, row: int | None = None) -> Record:
    return Record(f"{kind}/{name}", kind, kind, "MIT", "2020-01", Raw(name, name, content, row))


def _papers(records: Sequence[Record]) -> dict[str, Paper]:
    parsed = parse_papers(records).kept
    names = dict(zip(parsed["id"].to_pylist(), parsed["document"].to_pylist(), strict=True))
    of_paper: dict[str, list[Row]] = defaultdict(list)
    for sentence in filter_sentences(parsed, SentenceParams()).kept.to_pylist():
        of_paper[sentence["paper_id"]].append(sentence)
    params = HmmParams()
    papers = {}
    for paper, sentences in of_paper.items():
        sentences.sort(key=lambda sentence: int(sentence["position"]))
        states = [
            sentence
            for sentence in sentences
            if sentence["role"] not in params.excluded_roles
            and len(sentence["text"]) >= params.minimum_characters
        ]
        introduction = [k for k, state in enumerate(states) if state["role"] == "introduction"]
        abstract = " ".join(row["text"] for row in sentences if row["role"] == "abstract")
        if introduction:
            papers[names[paper]] = Paper([state["text"] for state in states], introduction, abstract)
    return papers


def talk_of(
    paper: Paper, ratio: float, drawing: random.Random, noise: float = 0.0, among: Sequence[int] | None = None
) -> Talk:
    """Return a talk with about K / ratio observed words about sentences drawn from `among` (all), in order.

    A share `noise` of the words is replaced by other words of the paper.
    """
    among = range(len(paper.texts)) if among is None else among
    starts = [spoken(text)[:16] for text in paper.texts]
    size = np.mean([0.75 * len(content_tokens(" ".join(start))) for start in starts])
    chosen = set(drawing.sample(list(among), min(len(among), max(3, round(len(starts) / ratio / size)))))
    every = [word for text in paper.texts for word in spoken(text)]
    words: list[str] = []
    truth: list[int] = []
    for sentence in (sentence for sentence in among if sentence in chosen):
        for word in starts[sentence]:
            if drawing.random() < 0.05:
                words.append("um")
                truth.append(sentence)
            if drawing.random() < 0.75:
                words.append(drawing.choice(every) if drawing.random() < noise else word)
                truth.append(sentence)
    return Talk(words, truth)


def misheard(talk: Talk, common: Mapping[str, Sequence[str]], drawing: random.Random) -> Talk:
    """Return a talk with a fifth of its words replaced by common ones that begin alike."""
    words = [
        drawing.choice(common[word[:2].lower()])
        if word[:2].lower() in common and drawing.random() < 0.2
        else word
        for word in talk.words
    ]
    return talk._replace(words=words)


def kinds(
    paper: Paper, other: Paper, ratio: float, drawing: random.Random, common: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Talk]]:
    """Yield the second talks by kind."""
    count = len(paper.texts)
    yield "asr", misheard(talk_of(paper, ratio, drawing), common, drawing)
    without_middle = [k for k in range(count) if not count / 3 <= k < 2 * count / 3]
    yield "skipped", talk_of(paper, ratio, drawing, among=without_middle)
    yield "half", talk_of(paper, 2 * ratio, drawing, among=range(count // 2))
    first, *blocks = [list(range(start, min(start + 10, count))) for start in range(0, count, 10)]
    drawing.shuffle(blocks)
    order = first + [k for block in blocks for k in block]
    yield "reordered", talk_of(paper, ratio, drawing, among=order)
    talk = talk_of(paper, ratio, drawing)
    aside = talk_of(other, ratio, drawing).words[: len(talk.words) // 4]
    at = len(talk.words) // 2
    words = [*talk.words[:at], *aside, *talk.words[at:]]
    yield "aside", Talk(words, [*talk.truth[:at], *[NOWHERE] * len(aside), *talk.truth[at:]])


def decoded(talk: Talk, paper: Paper, model: Model) -> Decoded:
    """Align a talk with a paper, and compare with the truth."""
    params = HmmParams(model=model)
    begin = time.perf_counter()
    lattice = trellis(talk.words, paper.texts, word_vectors(params.vectors), params, paper.introduction)
    alignment = lattice.decode(params)
    seconds = time.perf_counter() - begin
    accuracy = None
    if talk.truth:
        truth = np.array(talk.truth)[alignment.origins]
        near = np.abs(alignment.states - truth)[truth != NOWHERE] <= 1
        accuracy = float(near.mean())
    return Decoded(alignment, evidence(lattice, alignment, params), accuracy, seconds)


def mean(results: Sequence[Decoded], number: Callable[[Decoded], float | None]) -> float:
    """Return the mean of a share over talks, in per cent."""
    return 100 * float(np.mean([number(result) for result in results]))


def line(name: str, of_model: Mapping[Model, Sequence[Decoded]]) -> None:
    """Print accuracy, share of words on the last three sentences, coverage and evidence of both models."""
    cells = []
    for results in of_model.values():
        accuracy = mean(results, lambda result: result.accuracy) if results[0].accuracy is not None else None
        cells.append(f"{accuracy:5.1f}" if accuracy is not None else "     ")
        cells[-1] += (
            f" {mean(results, lambda result: result.evidence.last_three):5.1f}"
            f" {max(100 * result.evidence.last_three for result in results):5.1f}"
            f" {mean(results, lambda result: result.evidence.coverage):5.1f}"
            f" {mean(results, lambda result: result.evidence.posterior):5.1f}"
            f" {mean(results, lambda result: result.evidence.explained):5.1f}"
            f" {np.mean([result.seconds for result in results]):6.3f}"
        )
    print(f"{name:<18} " + "  |  ".join(cells), flush=True)


def table_4() -> None:
    """Print how many words of the paper's Table 4 get the authors' sentence."""
    paper = Paper(talk_table_4.SENTENCES, range(len(talk_table_4.SENTENCES)), "")
    rows = [(word, k, mark) for text, k, mark in talk_table_4.RUNS for word in text.split()]
    talk = Talk([word for word, _, _ in rows], [])
    for model in MODELS:
        alignment = decoded(talk, paper, model).alignment
        truth = np.array([k for _, k, _ in rows])[alignment.origins]
        labelled = np.array([mark is True for _, _, mark in rows])[alignment.origins]
        right = alignment.states == truth
        print(
            f"Table 4, {model}: {100 * right.mean():.1f} % of {len(right)} words as their model, "
            f"{100 * right[labelled].mean():.1f} % of the {labelled.sum()} words marked right"
        )


def abstracts_as_talks(papers: Sequence[Paper]) -> None:
    """Print the ROUGE-2 of summaries, made as if each abstract were a talk, against those by people.

    This stands in for CL-SciSumm (the paper's Table 2), which needs the talks of many papers to train on.
    """
    budget = SummaryParams().budgets["words_150"]
    for model in MODELS:
        scores = []
        for paper in papers:
            alignment = decoded(Talk(spoken(paper.abstract), []), paper, model).alignment
            chosen = summarize(paper.texts, alignment.counts.tolist(), budget)
            scores.append(rouge([paper.texts[k] for k in chosen], paper.summary, stem=True)["rouge2"])
        recall, f = (
            100 * float(np.mean([getattr(score, name) for score in scores])) for name in ("recall", "f")
        )
        print(f"summaries by {model}: ROUGE-2 recall {recall:.1f}, F {f:.1f} ({len(papers)} papers)")


def other_papers(right: Sequence[Evidence], wrong: Sequence[Evidence]) -> None:
    """Print how many right and wrong pairs each threshold of `explained` keeps and finds."""
    for least in SHOWN:
        kept = np.mean([pair.explained >= least for pair in right])
        dropped = np.mean([pair.explained < least for pair in wrong])
        print(
            f"explained >= {least:.2f}: {100 * dropped:5.1f} % of others found, "
            f"{100 * kept:5.1f} % of right kept"
        )
    print(
        f"right pairs from {min(pair.explained for pair in right):.3f}, "
        f"others up to {max(pair.explained for pair in wrong):.3f}"
    )


def real_pair(data: Path, others: Sequence[Paper]) -> list[Evidence]:
    """Print the evidence of the real talk and its paper; return that of the talk with other papers."""
    states = states_of(data / "talks/example_paper.scienceparse.json", HmmParams())
    introduction = [index for index, state in enumerate(states) if state["role"] == "introduction"]
    paper = Paper([state["text"] for state in states], introduction, "")
    talk = Talk((data / "talks/example_transcript.txt").read_text(encoding="utf-8").split(), [])
    line("real talk", {model: [decoded(talk, paper, model)] for model in MODELS})
    short = Talk(talk.words[: len(talk.words) // 3], [])
    line("its first third", {model: [decoded(short, paper, model)] for model in MODELS})
    return [decoded(talk, other, "robust").evidence for other in others]


def main(data: Path, most: int) -> None:
    """Measure and print."""
    needed = [
        "science_fulltext/unarXive_sample.jsonl.gz",
        "acl_papers.tar.gz",
        "talks/example_transcript.txt",
    ]
    if missing := [name for name in needed if not (data / name).is_file()]:
        print(f"no data: {data / missing[0]} does not exist; give the folder as argument")
        return
    acl = summarised_papers(data, 3 * most)
    summarised, further = acl[:most], acl[most:]
    every = papers_of(data, further)
    papers = every[:most]
    vectors = word_vectors(HmmParams().vectors)
    common: dict[str, list[str]] = defaultdict(list)
    for paper in every:
        for word in sorted({word for text in paper.texts for word in spoken(text)}):
            if len(word) > 3 and (vectors.rank(word.lower()) or 10**9) < 20_000:
                common[word[:2].lower()].append(word)
    print(f"{len(papers)} papers. A model's columns: accuracy; share of words on the last three sentences,")
    print("its maximum; coverage; posterior; explained (all in per cent); seconds to align a talk")
    print(f"{'':18} " + "  |  ".join(f"{model:44}" for model in MODELS))
    right: list[Evidence] = []

    def measure(name: str, talks: Sequence[tuple[Talk, Paper]]) -> None:
        of_model = {model: [decoded(*pair, model) for pair in talks] for model in MODELS}
        right.extend(result.evidence for result in of_model["robust"])
        line(name, of_model)

    for name, noise in (("clean", 0.0), ("noisy", 0.4)):
        for ratio in RATIOS:
            drawings = [_drawing(number, name, ratio) for number in range(len(papers))]
            talks = [
                talk_of(paper, ratio, drawing, noise) for paper, drawing in zip(papers, drawings, strict=True)
            ]
            measure(f"{name} {ratio}", list(zip(talks, papers, strict=True)))
    of_kind: dict[str, list[tuple[Talk, Paper]]] = defaultdict(list)
    for number, paper in enumerate(papers):
        for ratio in (0.3, 0.8):
            drawing = _drawing(number, ratio)
            for kind, talk in kinds(paper, papers[number - 1], ratio, drawing, common):
                of_kind[f"{kind} {ratio}"].append((talk, paper))
    for name, pairs in sorted(of_kind.items()):
        measure(name, pairs)
    measure("abstract", [(Talk(spoken(paper.abstract), []), paper) for paper in summarised])
    measure("human summary", [(Talk(spoken(paper.summary), []), paper) for paper in summarised])
    abstracts_as_talks(acl)
    wrong = real_pair(data, summarised)
    table_4()
    pool = [*papers, *summarised]
    for number, paper in enumerate(pool):
        for ratio, noise in ((0.15, 0.0), (0.3, 0.4), (0.8, 0.0)):
            drawing = _drawing("other", number, ratio)
            others = [
                other for other in (papers if number < len(papers) else summarised) if other is not paper
            ]
            talk = talk_of(paper, ratio, drawing, noise)
            wrong += [
                decoded(talk, other, "robust").evidence
                for other in drawing.sample(others, min(2, len(others)))
            ]
    params = SummaryParams()
    print(f"{len(right)} right pairs and {len(wrong)} of a talk and another paper:")
    other_papers(right, wrong)
    collapsed = np.mean([pair.last_three > params.last_three for pair in right])
    print(f"collapsed among the right pairs, at {params.last_three}: {100 * collapsed:.1f} %")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data",
        nargs="?",
        type=Path,
        default=Path(os.environ.get("SILVERLOOM_DATA", ROOT.parent / "shared" / "data")),
    )
    parser.add_argument("--papers", type=int, default=24)
    options = parser.parse_args()
    main(options.data, options.papers)
