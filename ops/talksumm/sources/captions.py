"""Captions: stretches of speech with start and end, as WebVTT (W3C) and SubRip.

Belongs here: which blocks of a file are cues, including what browsers and video sites write; cue times, the
text of a cue without markup, and the time of each of its words. Not here: transcripts without captions
(transcripts.py).
"""

from __future__ import annotations

import html.entities
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ops.parse.source import ParseError
from ops.talksumm.sources.transcripts import TranscriptLine, Word, lines_of, pieces_of, spread

ARROW = "-->"
_CLOCK = r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{3})"
_TIMES = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?")
#: A time inside the text, a tag, a SubStation override, or a character reference.
_MARKUP = re.compile(
    rf"<{_CLOCK}>"
    r"|(?P<tag></?[A-Za-z][^<>]*>|\{\\[^{}]*\})"
    r"|&(?P<reference>#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)

#: Number of cues that must repeat lines of the cue before them for a file to count as rolling captions.
_LEAST_REPEATS = 3
#: Maximum lines that a caption shows at once.
_MOST_LINES = 4


@dataclass(frozen=True)
class Cue:
    """One caption."""

    number: int
    """The line number of its times."""
    start: float
    end: float
    lines: Sequence[TranscriptLine]


@dataclass
class _Speech:
    """Text without markup, and the original offset of each of its characters."""

    parts: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    times: list[tuple[int, float]] = field(default_factory=list)
    """Times inside the text: (index of a character, seconds)."""

    def add(self, text: str, offsets: Iterable[int]) -> None:
        self.parts.append(text)
        self.offsets.extend(offsets)

    @property
    def text(self) -> str:
        return "".join(self.parts)


_SIGNATURE = re.compile(r"WEBVTT(?:[ \t].*)?")
_NO_CUE = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")


def blocks(rows: Iterable[TranscriptLine], *, blank_may_hold_spaces: bool) -> Iterator[list[TranscriptLine]]:
    """Yield the runs of lines between blank lines."""

    def is_full(row: TranscriptLine) -> bool:
        return bool(row.text.strip() if blank_may_hold_spaces else row.text)

    return (list(block) for full, block in itertools.groupby(rows, is_full) if full)


def cue_of(block: Sequence[TranscriptLine]) -> Cue:
    """Return the cue in a block that begins with its times. Raises ParseError that names the line."""
    times, *rest = block
    found = _TIMES.fullmatch(times.text)
    if found is None:
        raise ParseError(f"line {times.number}: malformed cue times: {times.text.strip()!r:.60}")
    start, end = _seconds(*found.groups()[:4]), _seconds(*found.groups()[4:])
    if end < start:
        raise ParseError(f"line {times.number}: the cue ends before it starts")
    for line in rest:
        if ARROW in line.text:
            raise ParseError(f"line {line.number}: cue times inside a cue: a blank line is missing")
    return Cue(times.number, start, end, rest)


def words_of_cues(cues: Sequence[Cue]) -> Sequence[Word]:
    """Return the words of cues, in order, using times inside the cues and interpolating the others.

    Raises ParseError if a cue starts before the previous one, or a time is outside of its cue. Cues may
    overlap, so the words of a cue may start before the last word of the previous one.
    """
    latest = 0.0
    for cue in cues:
        if cue.start < latest:
            raise ParseError(f"line {cue.number}: the cue starts before the cue before it")
        latest = cue.start
    return [word for cue in _without_repeats(cues) for word in _words(cue)]


def read_srt(text: str) -> Sequence[Word]:
    """Return the words of all cues, without cue numbers and tags."""
    return words_of_cues(list(_srt_cues(text)))


def read_webvtt(text: str) -> Sequence[Word]:
    """Return the words of all cues, without notes, styles, regions, cue ids, settings and tags."""
    return words_of_cues(list(_webvtt_cues(text)))


def _seconds(hours: str | None, minutes: str, seconds: str, thousandths: str) -> float:
    # A single integer division gives the double nearest to the written time.
    return ((int(hours or 0) * 60 + int(minutes)) * 60_000 + int(seconds) * 1000 + int(thousandths)) / 1000


def _without_repeats(cues: Sequence[Cue]) -> Sequence[Cue]:
    """Return the cues without lines that rolling captions show a second time.

    Automatic captions scroll: a cue begins with the last lines of the previous one. If most cues of a file do
    so, all such lines are dropped; in any other file, a repeated line stays.
    """
    spoken = [[line for line in cue.lines if line.text.strip()] for cue in cues]
    plain = [[_speech([line]).text.split() for line in rows] for rows in spoken]
    repeats = [0, *(_overlap(before, now) for before, now in itertools.pairwise(plain))]
    if sum(map(bool, repeats)) < max(_LEAST_REPEATS, len(cues) / 2):
        return cues
    return [
        Cue(cue.number, cue.start, cue.end, rows[repeated:])
        for cue, rows, repeated in zip(cues, spoken, repeats, strict=False)
    ]


def _overlap(before: Sequence[object], now: Sequence[object]) -> int:
    """Return the number of last lines of a cue that are the first lines of the next."""
    most = min(len(before), len(now), _MOST_LINES)
    return next((count for count in range(most, 0, -1) if before[-count:] == now[:count]), 0)


def _speech(rows: Sequence[TranscriptLine]) -> _Speech:
    speech = _Speech()
    for line in rows:
        position = 0
        for found in _MARKUP.finditer(line.text):
            speech.add(
                line.text[position : found.start()],
                range(line.offset + position, line.offset + found.start()),
            )
            position = found.end()
            if found["reference"]:
                character = _character(found["reference"]) or found.group()
                speech.add(character, [line.offset + found.start()] * len(character))
            elif not found["tag"]:
                speech.times.append((len(speech.offsets), _seconds(*found.groups()[:4])))
        # The line break separates words, and its offset is never that of a word.
        speech.add(
            line.text[position:] + "\n", range(line.offset + position, line.offset + len(line.text) + 1)
        )
    return speech


def _character(reference: str) -> str | None:
    """Return the character for `&reference;`, or None for an unknown name, which stays as written."""
    if not reference.startswith("#"):
        return html.entities.html5.get(f"{reference};")
    return html.unescape(f"&{reference};")


def _words(cue: Cue) -> Iterator[Word]:
    speech = _speech(cue.lines)
    pieces = list(pieces_of(speech.text))
    bounds = [(0, cue.start), *speech.times, (len(speech.offsets), cue.end)]
    position = 0
    for (_, start), (until, end) in itertools.pairwise(bounds):
        if not cue.start <= start <= end <= cue.end:
            raise ParseError(f"line {cue.number}: the times inside the cue run backwards or leave it")
        first = position
        while position < len(pieces) and pieces[position][1] < until:
            position += 1
        yield from spread(
            [(text, speech.offsets[index]) for text, index in pieces[first:position]], start, end
        )


def _srt_cues(text: str) -> Iterator[Cue]:
    for block in blocks(lines_of(text), blank_may_hold_spaces=True):
        numbered = block[0].text.strip().isdecimal() and len(block) > 1
        yield cue_of(block[1:] if numbered else block)


def _webvtt_cues(text: str) -> Iterator[Cue]:
    # Only empty lines are blank: automatic captions have lines with a single space inside their cues.
    rows = lines_of(text)
    signature = next(rows, None)
    if signature is None or not _SIGNATURE.fullmatch(signature.text):
        raise ParseError("line 1: no WEBVTT signature")
    for block in blocks(rows, blank_may_hold_spaces=False):
        in_header = block[0].number == signature.number + 1
        # The times are on the first line, or on the second after a cue id; after a header, on any line.
        near = block if in_header else block[:2]
        times = next((index for index, line in enumerate(near) if ARROW in line.text), None)
        if times is not None:
            yield cue_of(block[times:])
        elif not in_header and not _NO_CUE.fullmatch(block[0].text):
            raise ParseError(f"line {block[0].number}: neither cue times nor NOTE, STYLE or REGION")
