"""Recordings of talks: silence, noise, headers that lie, and the words of speech with their times."""

import io
import random
import struct
import tracemalloc
import wave

import av
import pytest

from ops.parse.records import Record, record_id
from ops.parse.source import MonthRule, ParseError, ServiceError, Source
from ops.talksumm.sources.talks import FORMATS, parse_talks, speech
from tests.espeak import spoken

RATE = 16_000


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


def test_a_long_recording_is_never_whole_in_memory():
    content = wav(SILENCE * 200)
    assert len(content) > 19_000_000
    tracemalloc.start()
    assert sum(len(piece) for piece in speech._pieces(speech._frames(content), 960)) >= len(content) - 100
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


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
    packed = io.BytesIO()
    with av.open(io.BytesIO(content)) as source, av.open(packed, "w", format="mp4") as target:
        stream = target.add_stream("aac", rate=22_050)
        for frame in source.decode(audio=0):
            frame.pts = None
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return packed.getvalue()


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
