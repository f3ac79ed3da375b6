"""Recordings of talks: silence, noise, headers that lie, and the words of speech with their times."""

import io
import random
import struct
import subprocess
import sys
import wave
from pathlib import Path

import av
import pytest

from ops.parse.records import Record, record_id
from ops.parse.source import MonthRule, ParseError, ServiceError, Source
from ops.talksumm.sources.talks import FORMATS, parse_talks, speech
from tests.espeak import spoken

RATE = 16_000
ROOT = Path(__file__).parents[4]


def wav(samples, rate=RATE):
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples)
    return content.getvalue()


def noise(seconds):
    drawn = random.Random(0)
    return struct.pack(
        f"<{seconds * RATE}h", *(drawn.randrange(-8_000, 8_000) for _ in range(seconds * RATE))
    )


SILENCE = bytes(2 * RATE * 3)


def lying(content, at, value):
    return content[:at] + struct.pack("<I", value) + content[at + 4 :]


@pytest.mark.parametrize(
    "content",
    [wav(SILENCE), wav(b""), wav(SILENCE, 44_100), lying(wav(SILENCE), 40, 2**32 - 16), wav(noise(2))],
)
def test_where_nobody_speaks_there_are_no_words(content):
    assert speech.read(content) == []


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (bytes(10_000), "cannot be decoded"),
        (wav(SILENCE)[:30], "cannot be decoded"),
        (lying(wav(SILENCE), 24, 1), "a recording of 1 samples a second"),
        (lying(wav(SILENCE), 24, 2**31 - 1), "samples a second"),
    ],
)
def test_what_is_no_recording_is_refused(content, cause):
    with pytest.raises(ParseError, match=cause):
        speech.read(content)


def test_a_video_without_sound_is_refused():
    content = io.BytesIO()
    with av.open(content, "w", format="matroska") as file:
        stream = file.add_stream("mpeg4", rate=1)
        stream.width = stream.height = 16
        file.mux(stream.encode(av.VideoFrame(16, 16, "yuv420p")))
        file.mux(stream.encode(None))
    with pytest.raises(ParseError, match="a recording without sound"):
        speech.read(content.getvalue())


#: The sound of 24 minutes, as it is recognised.
SOUND = 24 * 60 * RATE * 2


def peak_of_reading(content):
    """Words, and the bytes that a process of its own held at most while it read a recording."""
    program = (
        "import pathlib, sys; from ops.talksumm.sources.talks import speech\n"
        "words = [word.text for word in speech.read(sys.stdin.buffer.read())]\n"
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(int(status.partition('VmHWM:')[2].split()[0]) * 1024, *words)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], input=content, capture_output=True, check=True, cwd=ROOT
    )
    peak, *words = found.stdout.decode().split()
    return int(peak), words


def test_a_long_recording_takes_its_packed_bytes_and_never_all_its_sound():
    said = spoken("Many people read the paper.")
    with wave.open(io.BytesIO(said)) as file:
        rate, samples = file.getframerate(), file.readframes(file.getnframes())
    quiet = bytes(2 * rate * 60 * 24)
    short_peak, short_words = peak_of_reading(_as_flac(wav(samples, rate)))
    content = _as_flac(wav(quiet + samples, rate))
    assert len(content) < SOUND // 20
    peak, words = peak_of_reading(content)
    assert "people" in {*words} & {*short_words}
    assert peak - short_peak < SOUND // 4


def _as_flac(content):
    return _packed(content, "flac", "flac")


def test_recordings_are_talks_by_their_rows_and_one_without_words_is_rejected(tmp_path):
    (tmp_path / "metadata.csv").write_text(
        "file,title,date,url,licence\nquiet.wav,Quiet,2018-06-01,,\nbroken.mp3,Broken,2018-06-02,,\n"
    )
    (tmp_path / "quiet.wav").write_bytes(wav(SILENCE))
    (tmp_path / "broken.mp3").write_bytes(b"no sound")
    source = Source(kind="recordings", path=".", month=MonthRule(field="date"), licence="MIT")
    raws = FORMATS["recordings"].split(tmp_path, source)
    found = parse_talks(
        [Record(record_id("src", raw), "src", "recordings", "MIT", "2018-06", raw) for raw in raws]
    )
    errors = found.rejected["error"].to_pylist()
    assert [error.partition(": ")[0] for error in errors] == ["src/broken.mp3", "src/quiet.wav"]
    assert "cannot be decoded" in errors[0]
    assert errors[1] == "src/quiet.wav: no spoken words"


@pytest.mark.parametrize("form", ["wav", "mp4"])
def test_speech_has_words_with_times_in_order(form):
    content = spoken("Many people read the paper. It was read three times.")
    if form == "mp4":
        content = _as_mp4(content)
    words = speech.read(content)
    assert {"people", "three"} & {word.text for word in words}
    times = [time for word in words for time in (word.start, word.end)]
    assert times == sorted(times)
    assert times[0] > 0
    assert times[-1] < 10


def _as_mp4(content):
    return _packed(content, "mp4", "aac")


def _packed(content, form, codec):
    packed = io.BytesIO()
    with av.open(io.BytesIO(content)) as source, av.open(packed, "w", format=form) as target:
        stream = target.add_stream(codec, rate=22_050)
        for frame in source.decode(audio=0):
            frame.pts = None
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return packed.getvalue()


#: Stands in for the package: it "hears" where each stretch begins and ends, and how loud it is.
WHISPER = """
from types import SimpleNamespace as Plain

class WhisperModel:
    def __init__(self, model, device, compute_type, local_files_only):
        assert local_files_only

    def transcribe(self, sound, word_timestamps):
        assert word_timestamps and sound.dtype == "float32" and abs(sound).max() <= 1
        seconds = len(sound) / 16_000
        heard = [Plain(word=" first", start=0.0, end=0.25), Plain(word=" ", start=0.25, end=0.25)]
        last = Plain(word=" last.", start=seconds - 0.25, end=seconds)
        return iter([Plain(words=heard), Plain(words=[last])]), None
"""


def test_words_of_faster_whisper_have_the_times_of_the_recording(tmp_path, monkeypatch):
    (tmp_path / "faster_whisper.py").write_text(WHISPER)
    (tmp_path / "model.bin").write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "faster_whisper", raising=False)
    with wave.open(io.BytesIO(spoken("Many people read the paper."))) as file:
        rate, samples = file.getframerate(), file.readframes(file.getnframes())
    words = speech.read(wav((bytes(2 * rate * 3) + samples) * 2 + bytes(2 * rate), rate), str(tmp_path))
    assert [(word.text, word.offset) for word in words] == [
        ("first", 0),
        ("last.", 6),
        ("first", 12),
        ("last.", 18),
    ]
    times = [time for word in words for time in (word.start, word.end)]
    assert times == sorted(times)
    spoken_for = len(samples) / 2 / rate
    assert 2 < words[0].start < 3.5
    assert words[2].start - words[0].start == pytest.approx(3 + spoken_for, abs=0.5)


def test_faster_whisper_that_is_not_installed_is_told_with_what_to_do_and_costs_no_recording(tmp_path):
    (tmp_path / "metadata.csv").write_text("file,title,date,url,licence\na.wav,A,2018-06-01,,\n")
    (tmp_path / "a.wav").write_bytes(spoken("Many people read it."))
    source = Source(
        kind="recordings",
        path=".",
        month=MonthRule(field="date"),
        licence="MIT",
        options={"recogniser": "faster_whisper", "model": str(tmp_path)},
    )
    [raw] = (raw for raw in FORMATS["recordings"].split(tmp_path, source) if raw.error is None)
    with pytest.raises(ServiceError, match="pip install faster-whisper"):
        parse_talks([Record("src/a.wav", "src", "recordings", "MIT", "2018-06", raw)])


@pytest.mark.parametrize(
    "options",
    [
        {"recogniser": "faster_whisper"},
        {"model": "/models/small"},
        {"recogniser": "faster_whisper", "model": "small"},
        {"recogniser": "another"},
    ],
)
def test_a_recogniser_without_its_model_is_refused(options):
    with pytest.raises(ValueError, match=r"recogniser|model"):
        FORMATS["recordings"].options.model_validate(options)
