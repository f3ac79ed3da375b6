"""What of a transcript nobody said: sounds, speakers, and signs for a pause or a change of speaker.

Belongs here: blanking these out, and the words that are left, with their offsets. Not here: the markup of
captions (captions.py), words that are said but mean nothing ("um": ops/talksumm/align/emission.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SOUNDS = (
    "applau", "laugh", "music", "clap", "cheer", "cough", "sigh", "chuckl", "gasp", "silence", "inaudible",
    "indistinct", "unintelligible", "crosstalk", "beep", "sniff", "clears throat", "speaking in",
    "background noise",
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


def spoken(text: str) -> str:
    """Return `text` with spaces in place of what nobody said, so that offsets stay the same.

    Line breaks stay. What is in square brackets goes, and round brackets with a sound; a speaker's label at
    the beginning of a line, if it is a role, in capitals, or after ">>"; and signs without a word.
    """
    return _UNSPOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def pieces_of(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the runs of non-white-space from `start` on, each with its offset."""
    return ((match.group(), match.start()) for match in _WORD.finditer(text, start))
