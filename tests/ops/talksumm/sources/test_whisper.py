"""faster-whisper with its model, as `make whisper` installs them."""

import io
import json
import os
import shutil
import subprocess
import sys
import wave

import pytest
from rapidfuzz.distance import Levenshtein

from assets.declare.settings import checkout
from ops.parse.records import Record
from ops.parse.source import MonthRule, Source
from ops.talksumm.sources.talks import FORMATS, parse_talks, speech
from orchestration.workspace.environment import STRICT
from tests.espeak import spoken
from tests.whisper import MODEL, OPTIONS, installed

pytestmark = pytest.mark.skipif(not installed(), reason="faster-whisper is not installed: run `make whisper`")

SAID = "The central idea is to train the parser on examples that are chosen by their difficulty."


def errors(heard):
    """Words of the sentence that were not heard, or others in their place."""
    found = [word.text.lower().strip(".,") for word in heard]
    return Levenshtein.distance(SAID.lower().strip(".").split(), found)


def test_it_hears_what_pocketsphinx_does_not():
    content = spoken(SAID)
    heard = speech.read(content, MODEL)
    assert errors(heard) <= 2 < errors(speech.read(content))
    times = [time for word in heard for time in (word.start, word.end)]
    with wave.open(io.BytesIO(content)) as file:
        seconds = file.getnframes() / file.getframerate()
    assert times == sorted(times) and times[0] >= 0 and times[-1] <= seconds + 0.1
    assert [word.offset for word in heard] == [
        len(" ".join(["", *(other.text for other in heard[:place])])) for place in range(len(heard))
    ]


def test_its_words_are_those_of_a_talk_that_a_child_of_bounded_memory_reads(tmp_path):
    (tmp_path / "metadata.csv").write_text("file,title,date,url,licence\na.wav,A,2018-06-01,,\n")
    (tmp_path / "a.wav").write_bytes(spoken(SAID))
    source = Source(
        kind="recordings", path=".", month=MonthRule(field="date"), licence="MIT", options=OPTIONS
    )
    [raw] = FORMATS["recordings"].split(tmp_path, source)
    outcome = parse_talks([Record("src/a.wav", "src", "recordings", "MIT", "2018-06", raw)])
    [row] = outcome.kept.to_pylist()
    assert row["words"] == [word._asdict() for word in speech.read(spoken(SAID), MODEL)]


#: Prints the words and times of a recording that is its input.
PROGRAM = f"""
import json, sys
from ops.talksumm.sources.talks import speech
print(json.dumps(speech.read(sys.stdin.buffer.read(), "{MODEL}")))
"""


def heard_by(*before, **environment):
    command = [*before, sys.executable, "-c", PROGRAM]
    ended = subprocess.run(
        command, input=spoken("Many people read it."), cwd=checkout(), check=True, capture_output=True,
        env={**os.environ, **STRICT, **environment},
    )  # fmt: skip
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.long
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-x86_64 (qemu-user) is not installed")
def test_an_emulated_haswell_hears_the_same_words_at_the_same_times():
    """Minutes: of another maker, too, for which CTranslate2 would have other kernels."""
    assert heard_by() == heard_by("qemu-x86_64", "-cpu", "Haswell")
