"""What of a transcript nobody said: sounds, speakers, and signs for a pause or a change of speaker.

Belongs here: blanking these out, and the words that are left, with their offsets. Not here: the markup of
captions (captions.py), words that are said but mean nothing ("um": ops/talksumm/align/emission.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

_SOUNDS = (
    "applau", "laugh", "music", "clap", "cheer", "cough", "sigh", "chuckl", "gasp", "silence", "inaudible",
    "indistinct", "unintelligible", "crosstalk", "beep", "sniff", "clears throat", "speaking in",
    "background noise", "door closes", "phone rings",
)  # fmt: skip
_ROLES = (
    "speaker", "presenter", "audience(?: member)?", "moderator", "interviewer", "interviewee", "host",
    "chair", "student", "professor", "lecturer", "teacher", "instructor", "narrator", "announcer", "man",
    "woman", "male", "female", "participant", "attendee", "translator",
)  # fmt: skip
_ROLE = rf"(?i:{'|'.join(_ROLES)})(?:[ _-]?\w{{1,3}})?"
_CAPITALS = r"[A-Z][A-Z.'’-]+(?: [A-Z0-9][A-Z0-9.'’-]*){0,3}"
_NAME = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}"
_UNSPOKEN = re.compile(
    # [MUSIC PLAYING], [5:03], and brackets that a caption closes on its next line
    r"\[[^\[\]]{1,80}\]"
    # (applause), (LAUGHTER): other brackets may hold words that somebody said
    rf"|\([^()]{{0,40}}\b(?i:{'|'.join(_SOUNDS)})[^()]{{0,40}}\)"
    # <noise>, {breath}, *coughs*: marks of recognisers and of subtitles
    r"|<[A-Za-z]\w{0,20}>|\{[A-Za-z]\w{0,20}\}"
    rf"|\*[^*\n]{{0,40}}\b(?i:{'|'.join(_SOUNDS)})[^*\n]{{0,40}}\*"
    # "Speaker 1:" and "PATRICK WINSTON:" at the beginning of a line; any name after a sign for a new speaker
    rf"|^[ \t]*(?:(?:>+|[-–])[ \t]*)?(?:{_ROLE}|{_CAPITALS}):(?!\S)"
    rf"|^[ \t]*>+[ \t]*{_NAME}:(?!\S)"
    # a line that is only a time
    r"|^[ \t]*(?:\d{1,2}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?[ \t]*$"
    # new speakers, lyrics, breaks
    r"|>{2,}|^[ \t]*>|[♩♪♫♬]|-{2,}|[—―]|(?<!\S)[-–*~_|•.…]+(?!\S)",
    re.MULTILINE,
)
_WORD = re.compile(r"\S+")

_MOST_IN_BRACKETS = 6

Spoken = TypeVar("Spoken")


def spoken(text: str) -> str:
    """Return `text` with spaces in place of what nobody said, so that offsets stay the same.

    Line breaks stay. What is in square brackets goes, and round brackets with a sound; a speaker's label at
    the beginning of a line, if it is a role, in capitals, or after ">>"; marks such as <noise>; and signs
    without a word.
    """
    return _UNSPOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def without_brackets(words: Sequence[Spoken], text: Callable[[Spoken], str]) -> list[Spoken]:
    """Return the words without square brackets that are spread over several of them: "[", "Music", "]".

    Some recognisers give such a bracket a time for each of its tokens. One that is not closed within
    `_MOST_IN_BRACKETS` words is none.
    """
    kept: list[Spoken] = []
    place = 0
    while place < len(words):
        inside = words[place : place + _MOST_IN_BRACKETS] if text(words[place]).startswith("[") else ()
        closing = (after for after, word in enumerate(inside, 1) if "]" in text(word))
        if length := next(closing, 0):
            place += length
        else:
            kept.append(words[place])
            place += 1
    return kept


def pieces_of(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the runs of non-white-space from `start` on, each with its offset."""
    return ((match.group(), match.start()) for match in _WORD.finditer(text, start))
