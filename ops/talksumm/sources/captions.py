"""Captions: stretches of speech with start and end, as WebVTT (W3C), SubRip, SubViewer, SubStation.

Belongs here: the cues of a file, including what browsers, video sites and converters write; cue times, the
text of a cue without markup, and the time of each of its words. Not here: sounds and speakers (spoken.py),
transcripts without captions (transcripts.py).

A line with times begins a cue, and what follows up to the next one is its text: converters leave blank lines
inside cues, and none between them. No word is lost for a fault of its cue: where times cannot be read, its
words have none.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from silverloom.ops.parse.source import ParseError
from silverloom.ops.talksumm.sources.spoken import labels_in, pieces_of, spoken
from silverloom.ops.talksumm.sources.transcripts import TranscriptLine, Word, spread, transcript_lines

_CLOCK = r"(?:(\d{1,4}):)?(\d{1,3}):([0-5]?\d)(?:[.,](\d{1,3}))?"
#: Converters write one hyphen or three, and times may have no fraction or a short one. SubViewer has a comma.
_TIMES = re.compile(rf"\s*{_CLOCK}\s*(?:-{{1,3}}>|,)\s*{_CLOCK}(?:\s.*)?")
_ARROW = "-->"
#: Formats in which a line is a cue: what Whisper prints, and the events of SubStation Alpha.
_CLOCKED = re.compile(rf"\s*\[{_CLOCK}\s*-{{1,3}}>\s*{_CLOCK}\]")
_DIALOGUE = re.compile(rf"Dialogue:[^,]*,\s*{_CLOCK}\s*,\s*{_CLOCK}\s*,(?:[^,]*,){{6}}")
_SUBSTATION_BREAK = re.compile(r"\\[Nnh]")
#: A time inside the text, a tag, a SubStation override, or a character reference. A tag of WebVTT that is not
#: closed goes on to the end of the cue, as in browsers; other signs < are text.
_MARKUP = re.compile(
    rf"<\s*{_CLOCK}\s*>"
    r"|(?P<tag></?[A-Za-z][^<>]*>|<\s*/?\s*[A-Za-z]{1,4}\s*>|\{\\[^{}]*\}|\{/?[biu]\}"
    r"|<(?:/?(?:[bciuv]|lang|rt|ruby)(?![A-Za-z])|\d)[^<>]*\Z)"
    r"|&(?P<reference>#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};"
    r"|(?:amp|gt|lrm|lt|nbsp|rlm)(?![\w;]))"
)
_BREAK = re.compile(r"<\s*br\s*/?\s*>", re.IGNORECASE)

#: Words of a cue that are compared with the cue before it.
_MOST_WORDS = 100


class Cue(NamedTuple):
    """One caption, with start and end in seconds; None if its times cannot be read."""

    start: float | None
    end: float | None
    lines: list[TranscriptLine]


class _Speech(NamedTuple):
    """Text without markup, the original offset of each character, and (index, seconds) of times in it."""

    text: str
    offsets: list[int]
    times: list[tuple[int, float]]


_SIGNATURE = re.compile(r"WEBVTT(?:[ \t].*)?")
_NO_CUE = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")


def read_srt(text: str) -> Sequence[Word]:
    """Return the words of all cues, in order of time, without cue numbers, tags, and repeats.

    Raises ParseError if there are words before the first cue, or no cue.
    """
    rows = list(transcript_lines(text))
    if rows and _SIGNATURE.fullmatch(rows[0].text):
        return read_webvtt(text)
    return _words_of_cues(_cues(rows, ids=False))


def read_webvtt(text: str) -> Sequence[Word]:
    """Return the same of a WebVTT file, without notes, styles, regions, cue ids and settings.

    Raises ParseError if the file does not begin with WEBVTT, too.
    """
    rows = list(transcript_lines(text))
    if not rows or not _SIGNATURE.fullmatch(rows[0].text):
        raise ParseError("line 1: no WEBVTT signature")
    first = next((index for index, row in enumerate(rows) if not row.text.strip()), len(rows))
    header = next((index for index, row in enumerate(rows[:first]) if _is_times(row)), first)
    return _words_of_cues(_cues(list(_without_notes(rows[header:])), ids=True))


def read_clocked(text: str) -> Sequence[Word] | None:
    """Return the words of lines like `[00:01.000 --> 00:02.000] hello`; None if there are other lines."""
    rows = [row for row in transcript_lines(text) if row.text.strip()]
    cues = _cues_in_lines(rows, _CLOCKED)
    return _words_of_cues(cues) if rows and len(cues) == len(rows) else None


def read_substation(text: str) -> Sequence[Word]:
    """Return the words of the `Dialogue` lines of SubStation Alpha. Raises ParseError without such lines."""
    rows = [row._replace(text=_SUBSTATION_BREAK.sub("  ", row.text)) for row in transcript_lines(text)]
    if not (cues := _cues_in_lines(rows, _DIALOGUE)):
        raise ParseError("no line Dialogue with times: the file has no captions")
    return _words_of_cues(cues)


def _cues_in_lines(rows: Iterable[TranscriptLine], pattern: re.Pattern[str]) -> list[Cue]:
    return [
        _cue(match, [TranscriptLine(row.number, row.offset + match.end(), row.text[match.end() :])])
        for row in rows
        if (match := pattern.match(row.text))
    ]


def has_cues(text: str) -> bool:
    """Say whether a text has a line with the times of a cue."""
    return any(_TIMES.fullmatch(row.text) and ">" in row.text for row in transcript_lines(text))


def _is_times(row: TranscriptLine) -> bool:
    return _ARROW in row.text or _TIMES.fullmatch(row.text) is not None


def _without_notes(rows: Sequence[TranscriptLine]) -> Iterator[TranscriptLine]:
    """Yield the lines that are not of a note, style or region: each of these ends at the next empty line."""
    skipped, begins = False, True
    for row in rows:
        skipped = not _is_times(row) and (_NO_CUE.fullmatch(row.text) is not None if begins else skipped)
        begins = not row.text
        if not skipped:
            yield row


def _cues(rows: Sequence[TranscriptLine], *, ids: bool) -> list[Cue]:
    """Return the cues of a file, each with the lines of its text. Raises ParseError for text before them."""
    starts = [index for index, row in enumerate(rows) if _is_times(row)]
    if not starts:
        raise ParseError("no cue times: the file has no captions")
    numbered = starts[0] > 0 and rows[starts[0] - 1].text.strip().isdecimal()
    ends = [start - _has_label(rows, start, numbered, ids) for start in starts]
    if stray := next((row for row in rows[: ends[0]] if row.text.strip()), None):
        raise ParseError(f"line {stray.number}: text before the first cue times: {stray.text.strip()!r:.60}")
    cues = []
    for start, end in zip(starts, [*ends[1:], len(rows)], strict=True):
        lines = [row for row in rows[start + 1 : end] if row.text.strip()]
        match = _TIMES.fullmatch(rows[start].text)
        cues.append(_cue(match, lines) if match else Cue(None, None, lines))
    return cues


def _has_label(rows: Sequence[TranscriptLine], times: int, numbered: bool, ids: bool) -> bool:
    """Say whether the line before a line of times is the cue's number, or its id if the format has ids."""
    label = rows[times - 1].text.strip() if times else ""
    if not label or _is_times(rows[times - 1]):
        return False
    return (numbered and label.isdecimal()) or (ids and (times == 1 or not rows[times - 2].text.strip()))


def _cue(times: re.Match[str], lines: list[TranscriptLine]) -> Cue:
    start, end = _seconds(*times.groups()[:4]), _seconds(*times.groups()[4:])
    return Cue(start, max(start, end), lines)


def _words_of_cues(cues: Iterable[Cue]) -> list[Word]:
    """Return the words of cues by time, using times inside the cues and interpolating the others.

    Cues may overlap, so the words of a cue may start before the last word of the previous one.
    """
    ordered = _by_time(cues)
    speeches = [_speech(cue.lines) for cue in ordered]
    texts = [speech.text for speech in speeches]
    labels = labels_in("\n".join(texts))
    pieces = [list(pieces_of(spoken(speech.text, labels))) for speech in speeches]
    repeats = _repeats(texts, [[text for text, _ in said] for said in pieces])
    parts = zip(ordered, speeches, pieces, repeats, strict=True)
    return [word for cue, speech, said, repeated in parts for word in _words(cue, speech, said[repeated:])]


def _by_time(cues: Iterable[Cue]) -> list[Cue]:
    """Return cues by their start; one without times stays behind the cue before it."""
    keyed, latest = [], 0.0
    for cue in cues:
        latest = latest if cue.start is None else cue.start
        keyed.append((latest, cue))
    return [cue for _, cue in sorted(keyed, key=lambda pair: pair[0])]


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    # A single integer division gives the double nearest to the written time.
    thousandths = int((fraction or "").ljust(3, "0"))
    return ((int(hours or 0) * 60 + int(minutes)) * 60_000 + int(seconds) * 1000 + thousandths) / 1000


def _repeats(texts: Sequence[str], spoken_words: Sequence[Sequence[str]]) -> list[int]:
    """Return how many words of each cue rolling captions show a second time.

    Automatic captions scroll: a cue begins with the last words of the previous one. They are repeats if at
    least half of a file's cues do so, and at least a third of these continue, because the last line of the
    previous cue has new ones below it, or more than one word has new words behind it: where cues are only
    equal, somebody said the same again.
    """
    repeats = [0, *(_overlap(before, now) for before, now in itertools.pairwise(spoken_words))]
    repeated = sum(map(bool, repeats))
    continued = sum(1 < count < len(words) for count, words in zip(repeats, spoken_words, strict=True))
    scrolled = sum(_scrolls(before, now) for before, now in itertools.pairwise(texts))
    rolls = repeated * 2 >= sum(map(bool, spoken_words[1:])) and max(continued, scrolled) * 3 >= repeated
    return repeats if rolls else [0] * len(repeats)


def _scrolls(before: str, now: str) -> bool:
    """Say whether a cue of several lines begins with the last line of the cue before it."""
    above, lines = before.split("\n"), now.split("\n")
    return len(lines) > 1 and above[-1].strip() == lines[0].strip()


def _overlap(before: Sequence[str], now: Sequence[str]) -> int:
    """Return the number of last words of a cue that are the first words of the next."""
    most = min(len(before), len(now), _MOST_WORDS)
    return next((count for count in range(most, 0, -1) if before[-count:] == now[:count]), 0)


def _speech(rows: Sequence[TranscriptLine]) -> _Speech:
    written = "\n".join(row.text for row in rows)
    places = [row.offset + index for row in rows for index in range(len(row.text) + 1)]
    pieces: list[str] = []
    offsets: list[int] = []
    times: list[tuple[int, float]] = []
    done = 0
    for match in _MARKUP.finditer(written):
        pieces.append(written[done : match.start()])
        offsets += places[done : match.start()]
        done = match.end()
        if match["reference"]:
            pieces.append(html.unescape(match.group()))
            offsets += [places[match.start()]] * len(pieces[-1])
        elif not match["tag"]:
            times.append((len(offsets), _seconds(*match.groups()[:4])))
        elif _BREAK.fullmatch(match["tag"]):
            pieces.append(" ")
            offsets.append(places[match.start()])
    return _Speech("".join([*pieces, written[done:]]), offsets + places[done : len(written)], times)


def _words(cue: Cue, speech: _Speech, pieces: Sequence[tuple[str, int]]) -> Iterator[Word]:
    """Yield the words of a cue; times inside it that run backwards or leave it do not count."""
    if cue.start is None or cue.end is None:
        yield from (Word(text, speech.offsets[index]) for text, index in pieces)
        return
    bounds = [(0, cue.start)]
    for index, at in speech.times:
        if bounds[-1][1] <= at <= cue.end:
            bounds.append((index, at))
    bounds.append((len(speech.offsets), cue.end))
    position = 0
    for (_, start), (until, end) in itertools.pairwise(bounds):
        first = position
        while position < len(pieces) and pieces[position][1] < until:
            position += 1
        yield from spread(
            [(text, speech.offsets[index]) for text, index in pieces[first:position]], start, end
        )
