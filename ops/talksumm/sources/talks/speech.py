"""Recordings of talks, audio or video: their words with times, by a speech recogniser.

Belongs here: decoding by PyAV, finding speech, and recognising it by pocketsphinx, whose model lies in its
package. Not here: transcripts (webvtt.py and others).

A recording is decoded and recognised as it streams: a stretch of speech at a time is in memory, whatever its
length.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

import av
import av.error
import pocketsphinx

from ops.parse.source import ParseError
from ops.talksumm.sources.talks.talk import Word

ENDINGS = (".aac", ".flac", ".m4a", ".mkv", ".mp3", ".mp4", ".ogg", ".opus", ".wav", ".webm")

#: A stretch of speech without a pause is recognised in pieces of so many seconds.
_LONGEST_STRETCH = 30.0
_VARIANT = re.compile(r"\(\d+\)$")
_FRAMES_A_SECOND = 100
_LEAST_RATE, _MOST_RATE = 4_000, 384_000


def read(content: bytes) -> Sequence[Word]:
    """Return the words that are recognised, in small letters; the offset of each is that in their text.

    Raises ParseError for what is no recording, is damaged, or has no sound.
    """
    words: list[Word] = []
    offset = 0
    for text, start, end in _recognised(_frames(content)):
        words.append(Word(text, offset, start, end))
        offset += len(text) + 1
    return words


def _frames(content: bytes) -> Iterator[bytes]:
    """Yield the sound as 16-bit samples of one channel at 16 kHz."""
    try:
        with av.open(io.BytesIO(content), mode="r", metadata_errors="replace") as recording:
            if not recording.streams.audio:
                raise ParseError("a recording without sound")
            rate = recording.streams.audio[0].rate
            if not _LEAST_RATE <= rate <= _MOST_RATE:  # a header that lies makes days of a second
                raise ParseError(f"a recording of {rate} samples a second, which is no speech")
            resampler = av.AudioResampler(format="s16", layout="mono", rate=16_000)
            for frame in recording.decode(recording.streams.audio[0]):
                yield from (part.to_ndarray().tobytes() for part in resampler.resample(frame))
            yield from (part.to_ndarray().tobytes() for part in resampler.resample(None))
    except ParseError:
        raise
    except (av.error.FFmpegError, ValueError) as error:
        raise ParseError(f"a recording that cannot be decoded: {error}") from None


def _pieces(frames: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield the sound in pieces of `size` bytes, the last one shorter, of a sample at least."""
    buffer = bytearray()
    for frame in frames:
        buffer += frame
        while len(buffer) > size:
            yield bytes(buffer[:size])
            del buffer[:size]
    yield bytes(buffer[: size - 2]) or bytes(2)


def _recognised(frames: Iterator[bytes]) -> Iterator[tuple[str, float, float]]:
    """Yield each word with the seconds that it begins and ends at."""
    endpointer = pocketsphinx.Endpointer()
    decoder = pocketsphinx.Decoder(samprate=endpointer.sample_rate, loglevel="FATAL")
    speaking, began, heard = False, 0.0, 0.0
    size = endpointer.frame_bytes
    for piece in _pieces(frames, size):
        speech = endpointer.process(piece) if len(piece) == size else endpointer.end_stream(piece)
        if speech and not speaking:
            decoder.start_utt()
            speaking, began, heard = True, endpointer.speech_start, 0.0
        if speech:
            decoder.process_raw(speech, False, False)
            heard += len(speech) / 2 / endpointer.sample_rate
        if speaking and (not endpointer.in_speech or heard >= _LONGEST_STRETCH):
            decoder.end_utt()
            yield from _words(decoder, began)
            speaking = False
            if endpointer.in_speech:
                decoder.start_utt()
                speaking, began, heard = True, began + heard, 0.0
    if speaking:
        decoder.end_utt()
        yield from _words(decoder, began)


def _words(decoder: pocketsphinx.Decoder, began: float) -> Iterator[tuple[str, float, float]]:
    for segment in decoder.seg() or ():
        if segment.word[0] in "<[":  # silence and noise
            continue
        start = began + segment.start_frame / _FRAMES_A_SECOND
        end = began + (segment.end_frame + 1) / _FRAMES_A_SECOND
        yield _VARIANT.sub("", segment.word), round(start, 3), round(end, 3)
