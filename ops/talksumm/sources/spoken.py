"""What of a transcript nobody said: sounds, speakers, and signs for a pause or a change of speaker.

Belongs here: blanking these out, and the words that are left, with their offsets. Not here: the markup of
captions (captions.py), words that are said but mean nothing ("um": ops/talksumm/align/emission.py).
"""

from __future__ import annotations

import re
from collections import Counter
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
_NAME = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}"
_TITLED = rf"(?:(?i:Dr|Prof|Mr|Mrs|Ms)\.?|(?i:Professor)) {_NAME}"
_TIME = r"[\[(]?(?:\d{1,2}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?[\])]?"
_UNSPOKEN = re.compile(
    # a line that is only a time, perhaps with the speaker: "Jane Doe [5:03]"
    rf"^[ \t]*(?:(?:{_ROLE}|{_NAME})(?:[ \t]{{2,8}}|[ \t]?(?=[\[(])))?{_TIME}:?[ \t]*$"
    # [MUSIC PLAYING], [5:03], "[Speaker 2]:", and brackets that a caption closes on its next line
    r"|\[[^\[\]]{1,80}\](?:[ \t]*:(?!\S))?"
    # (applause), *laughs*: other brackets may hold words that somebody said
    rf"|[(*][^()*]{{0,40}}\b(?i:{'|'.join(_SOUNDS)})[^()*]{{0,40}}[)*]"
    # <noise>, {breath}: marks of recognisers
    r"|<[A-Za-z]\w{0,20}>|\{[A-Za-z]\w{0,20}\}"
    # "Speaker 1 (5:03):", "(Speaker 1):", "DR. LEE:" at the beginning of a line; any name after ">>"
    rf"|^[ \t]*(?:(?:>+|[-–])[ \t]*)?\(?(?:{_TITLED}|{_ROLE})\)?(?:[ \t]*{_TIME})?:(?!\S)"
    rf"|^[ \t]*>+[ \t]*{_NAME}:(?!\S)"
    # new speakers, lyrics, breaks
    r"|>{2,}|^[ \t]*>|[♩♪♫♬]|-{2,}|[—―]|(?<!\S)[-–*~_|•.…]+(?!\S)",
    re.MULTILINE,
)
_LABEL = re.compile(rf"^[ \t]*(?:(?P<name>{_NAME}):(?!\S)|{_TIME}(?=[ \t]+\S))", re.MULTILINE)
#: How often a name must begin a line to be a label: in a talk, "BERT:" or "Attention:" may begin one by
#: chance. Two words in capitals hardly do, where other words have small letters: of 35,661 sentences of
#: abstracts of the ACL Anthology, none begins like "MARY POST:". [ours]
_LEAST_LABELS = 3
_WORD = re.compile(r"\S+")

_MOST_IN_BRACKETS = 6

Spoken = TypeVar("Spoken")


def labels_in(text: str) -> frozenset[str]:
    """Return the names ("Jane Doe: ...") that begin enough lines to be labels, and "" if times do."""
    counts = Counter(match["name"] or "" for match in _LABEL.finditer(text))
    in_capitals = text.isupper()
    return frozenset(
        name
        for name, count in counts.items()
        if count >= _LEAST_LABELS or (name.isupper() and " " in name and not in_capitals)
    )


def spoken(text: str, labels: frozenset[str] = frozenset()) -> str:
    """Return `text` with spaces in place of what nobody said, so that offsets stay the same.

    Line breaks stay. What is in square brackets goes, and round brackets with a sound; a speaker's label at
    the beginning of a line, if it is a role, has a title, comes after ">>", or is one of the `labels`;
    marks such as <noise>; and signs without a word.
    """
    if labels:
        text = _LABEL.sub(lambda match: _blank(match) if (match["name"] or "") in labels else match[0], text)
    return _UNSPOKEN.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def without_brackets(words: Sequence[Spoken], text: Callable[[Spoken], str]) -> list[Spoken]:
    """Return the words without square brackets that are spread over several of them: "[", "Music", "]".

    Some recognisers give such a bracket a time for each of its tokens. One that is not closed within
    `_MOST_IN_BRACKETS` words is none.
    """
    outside: list[Spoken] = []
    place = 0
    while place < len(words):
        inside = words[place : place + _MOST_IN_BRACKETS] if text(words[place]).startswith("[") else ()
        closing = (after for after, word in enumerate(inside, 1) if "]" in text(word))
        if length := next(closing, 0):
            place += length
        else:
            outside.append(words[place])
            place += 1
    return outside


def pieces_of(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the runs of non-white-space from `start` on, each with its offset."""
    return ((match.group(), match.start()) for match in _WORD.finditer(text, start))
