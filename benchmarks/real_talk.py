"""Emissions and decoding of a real conference talk, and its most described sentences.

Run: python benchmarks/real_talk.py [DATA_FOLDER] (default: $SILVERLOOM_DATA, else ../shared/data). It reads
talks/example_paper.scienceparse.json and talks/example_transcript.txt, the pair of the TalkSumm release,
and reports if they are missing.

Not here: decoding alone (viterbi.py).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.core.outcome import Row
from silverloom.ops.models.registry import word_vectors
from silverloom.ops.models.word_vectors import WordVectors
from silverloom.ops.parse.papers import parse_papers
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences
from silverloom.ops.parse.source import Raw
from silverloom.ops.talksumm import Budget, HmmParams, align_words, summarize, viterbi
from silverloom.ops.talksumm.align.emission import content_tokens, log_emission, observe

#: Seconds of the released TalkSumm code for emissions and Viterbi of this talk on two cores.
RELEASED_SECONDS = 8.3 + 2.5

ROUNDS = 5


def states_of(paper: Path, params: HmmParams) -> list[Row]:
    """Return the paper's sentences that are states."""
    content = paper.read_bytes()
    record = Record(
        paper.name,
        "talks",
        "science_parse",
        "CC-BY-NC-SA-4.0",
        "2018-06",
        Raw(paper.name, paper.name, content),
    )
    sentences: list[Row] = filter_sentences(parse_papers([record]).kept, SentenceParams()).kept.to_pylist()
    return [
        sentence
        for sentence in sentences
        if sentence["role"] not in params.excluded_roles
        and len(sentence["text"]) >= params.minimum_characters
    ]


def least(run: Callable[[], object]) -> float:
    """Return the best time of several rounds in seconds, after a warm-up round."""
    run()
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def plain_emission(spoken: Sequence[str], sentences: Sequence[Sequence[str]], vectors: WordVectors) -> object:
    """Compute emissions naively: a NumPy product for every sentence."""
    rows, found = vectors.vectors(spoken)
    rows[~found] = vectors.mean
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    table = []
    for sentence in sentences:
        words, found = vectors.vectors(sentence)
        words = words[found] if found.any() else vectors.mean[np.newaxis].astype(np.float32)
        cosine = (rows @ (words / np.linalg.norm(words, axis=1, keepdims=True)).T).max(axis=1)
        similarity = np.exp(cosine)
        similarity -= 0.8 * similarity.min()
        table.append(np.log(similarity / similarity.sum()))
    return np.array(table).T


def main(data: Path) -> None:
    """Measure and print."""
    paper, transcript = (
        data / "talks" / f"example_{name}" for name in ("paper.scienceparse.json", "transcript.txt")
    )
    if not (paper.is_file() and transcript.is_file()):
        print(f"no data: {paper} or {transcript.name} does not exist; give the folder as argument")
        return
    params = HmmParams()
    vectors = word_vectors(params.vectors)
    states = states_of(paper, params)
    sentences = [state["text"] for state in states]
    introduction = [index for index, state in enumerate(states) if state["role"] == "introduction"] or None
    words = transcript.read_text(encoding="utf-8").split()
    alignment = align_words(words, sentences, vectors, params, introduction)

    tokens, _ = observe(words)
    vocabulary, rows = np.unique(tokens, return_inverse=True)
    contents = [content_tokens(text) for text in sentences]
    table = log_emission(vocabulary.tolist(), contents, vectors)
    transition, start = params.transition(len(sentences), len(tokens)), np.zeros(len(sentences))
    emission = least(lambda: log_emission(vocabulary.tolist(), contents, vectors))
    plain = least(lambda: plain_emission(vocabulary.tolist(), contents, vectors))
    decoding = least(lambda: viterbi(table, start, transition, rows))
    whole = least(lambda: align_words(words, sentences, vectors, params, introduction))
    print(f"K={len(sentences)} sentences, T={len(tokens)} of {len(words)} words, stay {transition.stay:.3f}")
    print(
        f"emissions {emission * 1e3:.1f} ms; NumPy sentence by sentence {plain * 1e3:.1f} ms, "
        f"{plain / emission:.1f}x"
    )
    print(f"decoding {decoding * 1e3:.1f} ms; from words and sentences to alignment {whole * 1e3:.1f} ms")
    print(
        f"released code {RELEASED_SECONDS} s: {RELEASED_SECONDS / (emission + decoding):,.0f}x for the same "
        f"two steps, {RELEASED_SECONDS / whole:,.0f}x with tokenising (target 100x)"
    )
    print(f"log-probability {alignment.log_probability:.6f}; the ten sentences with the most words:")
    for index in summarize(sentences, alignment.counts.tolist(), Budget(sentences=10)):
        print(f"{alignment.counts[index]:5d}  [{states[index]['section_title']}] {sentences[index]}")


if __name__ == "__main__":
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    default = os.environ.get("SILVERLOOM_DATA", str(beside))
    main(Path(sys.argv[1] if len(sys.argv) > 1 else default))
