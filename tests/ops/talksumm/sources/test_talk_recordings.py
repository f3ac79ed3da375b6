"""Recordings of talks: silence, noise, false headers, and formats. For recognition see test_whisper.py."""

import io
import random
import struct
import subprocess
import sys
import wave
from pathlib import Path

import av
import pytest

from silverloom.ops.parse.bounded import BoundedChild, Bounds
from silverloom.ops.parse.bounded.messages import watched
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, ParseError, Source
from silverloom.ops.talksumm.sources import speech
from silverloom.ops.talksumm.sources.talks import FORMATS, parse_talks
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
def test_without_speech_there_are_no_words(content):
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
def test_content_that_is_not_a_recording_is_refused(content, cause):
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


#: The sound of 24 minutes, as recognised.
SOUND = 24 * 60 * RATE * 2


def peak_of_hearing(content):
    """Number of stretches of speech, and the peak memory of a separate process that finds them."""
    program = (
        "import pathlib, sys; from silverloom.ops.talksumm.sources import speech\n"
        "count = sum(1 for _ in speech.stretches_of(speech.frames_of(sys.stdin.buffer.read())))\n"
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(int(status.partition('VmHWM:')[2].split()[0]) * 1024, count)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], input=content, capture_output=True, check=True, cwd=ROOT
    )
    peak, count = found.stdout.decode().split()
    return int(peak), int(count)


@pytest.mark.long
def test_a_long_recording_takes_its_compressed_size_and_never_all_its_sound():
    said = spoken("Many people read the paper.")
    with wave.open(io.BytesIO(said)) as file:
        rate, samples = file.getframerate(), file.readframes(file.getnframes())
    quiet = bytes(2 * rate * 60 * 24)
    short_peak, stretches = peak_of_hearing(_as_flac(wav(samples, rate)))
    content = _as_flac(wav(quiet + samples, rate))
    assert len(content) < SOUND // 20
    peak, stretches_behind = peak_of_hearing(content)
    assert stretches == stretches_behind == 1
    assert peak - short_peak < SOUND // 4


def _as_flac(content):
    return _packed(content, "flac", "flac")


def test_recordings_become_talks_by_their_rows_and_one_without_words_is_rejected(tmp_path):
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


def test_a_recording_may_be_larger_than_other_records_unless_its_source_sets_a_limit(tmp_path):
    minutes = 8 * 60 * 2 * 22_050  # for a talk
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks/metadata.csv").write_text("file,title,date,url,licence\na.wav,A,2018-06-01,,\n")
    (tmp_path / "talks/a.wav").write_bytes(wav(bytes(minutes), 22_050))
    source = Source(kind="recordings", path="talks", month=MonthRule(field="date"), licence="MIT")
    assert source.max_bytes < minutes
    (raw,) = FORMATS["recordings"].split(tmp_path / "talks", source)
    assert raw.error is None and len(raw.content) > minutes
    bounded = Source.model_validate({**source.model_dump(), "max_bytes": 1000})
    (raw,) = FORMATS["recordings"].split(tmp_path / "talks", bounded)
    assert raw.content == b""
    assert (
        raw.error
        == "larger than max_bytes = 1000; it was not read: raise max_bytes of its source in params.yaml"
    )


#: By file suffix: container format and codec of a recording.
PACKED = {
    ".aac": ("adts", "aac"), ".flac": ("flac", "flac"), ".m4a": ("ipod", "aac"), ".mkv": ("matroska", "aac"), ".mp3": ("mp3", "mp3"),
    ".mp4": ("mp4", "aac"), ".ogg": ("ogg", "libopus"), ".opus": ("ogg", "libopus"), ".wav": ("wav", "pcm_s16le"), ".webm": ("webm", "libopus"),
}  # fmt: skip


def test_every_suffix_is_tested():
    assert set(PACKED) == set(speech.ENDINGS)


@pytest.mark.parametrize(
    "ending",
    [pytest.param(ending, marks=[pytest.mark.long] * (ending not in (".mp3", ".webm"))) for ending in PACKED],
)
def test_every_listed_format_is_recognised(ending):
    words = speech.read(_packed(spoken("Many people"), *PACKED[ending]))
    assert "people" in {word.text.strip(".") for word in words}


def test_the_progress_of_recognition_is_reported():
    told = []
    with watched(lambda done, total: told.append((done, total))):
        speech.read(wav(SILENCE * 2))
    assert told == sorted(told) and {*told} == {(second, 6) for second in range(7)}


#: Files for which ffmpeg would read other files, or open addresses and ports.
POINTING = {
    "ffconcat": "ffconcat version 1.0\nfile secret.wav\n",
    "SDP": "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 45678 RTP/AVP 0\r\n",
    "m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\nsecret.wav\n#EXT-X-ENDLIST\n",
    "MPD": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet>'
    '<Representation id="1" mimeType="audio/wav"><BaseURL>secret.wav</BaseURL></Representation></AdaptationSet></Period></MPD>',
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        ("ffconcat", ".wav"),
        ("SDP", ".mp3"),
        pytest.param("m3u8", ".mp4", marks=pytest.mark.long),
        pytest.param("MPD", ".webm", marks=pytest.mark.long),
    ],
)
def test_a_file_that_points_to_other_files_or_the_network_is_not_a_recording(
    kind, ending, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # ffconcat paths are relative to the process's folder
    Path("secret.wav").write_bytes(spoken("Many people read the paper."))
    Path("talks").mkdir()
    Path(f"talks/poison{ending}").write_text(POINTING[kind])
    Path("talks/metadata.csv").write_text(f"file,title,date,url,licence\npoison{ending},A,2018-06-01,,\n")
    (raw,) = FORMATS["recordings"].split(
        tmp_path / "talks",
        Source(kind="recordings", path="talks", month=MonthRule(field="date"), licence="MIT"),
    )
    child = BoundedChild(Bounds(seconds=60, patience=60))  # waiting for packets would never end
    try:
        with pytest.raises(ParseError, match=r"no recording in a format that is read|Invalid data found"):
            child.call(speech.read, raw.content)
    finally:
        child.close()


def test_no_protocol_may_be_opened_in_any_format():
    options = {"protocol_whitelist": speech.OPTIONS["protocol_whitelist"]}
    with pytest.raises(av.error.ArgumentError):
        av.open(io.BytesIO(POINTING["ffconcat"].encode()), options=options)


def _packed(content, form, codec):
    packed = io.BytesIO()
    with av.open(io.BytesIO(content)) as source, av.open(packed, "w", format=form) as target:
        stream = target.add_stream(codec, rate=48_000 if "opus" in codec else 22_050)
        stream.layout = "mono"
        resampler = av.AudioResampler(stream.format, "mono", stream.rate, stream.frame_size)
        for frame in (part for whole in source.decode(audio=0) for part in resampler.resample(whole)):
            frame.pts = None
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return packed.getvalue()


def test_a_metadata_column_with_the_name_of_an_option_is_not_an_option(tmp_path):
    (tmp_path / "metadata.csv").write_text(
        "file,title,date,url,licence,language,model\na.wav,A,2018-06-01,,,English,/nowhere\n"
    )
    (tmp_path / "a.wav").write_bytes(spoken("Many people read it."))
    source = Source(kind="recordings", path=".", month=MonthRule(field="date"), licence="MIT")
    [raw] = FORMATS["recordings"].split(tmp_path, source)
    assert FORMATS["recordings"].fields(raw)["language"] == "English"
    assert "people" in {word.text for word in FORMATS["recordings"].parse(raw).words}
