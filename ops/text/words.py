"""White space, invisible characters, stop words, years, whole numbers, and differences of texts by words.

Not here: word counts (ops/core/measures.py), the tokens that align talks and papers
(ops/talksumm/align/emission.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

_LINES = Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").splitlines()

#: The 179 words of NLTK's `stopwords.words("english")`, which TalkSumm's released code removes.
STOP_WORDS = frozenset(line for line in _LINES if not line.startswith("#"))

#: A year from 1800 to 2099, as a pattern without borders.
YEAR = r"(?:1[89]|20)\d\d"

#: Sounds of somebody who thinks or agrees, of any length. ("err" is a word.)
_DISFLUENCY = re.compile(r"a+h+|e+h+|e+r(?:m+|rr+)?|h+m+|mm+|m+-?hm+|u+h+m*|u+m+|u+h+-?hu+h+", re.IGNORECASE)
_AROUND_WORD = " \t\"'“”‘’()*.,?!;:…-–—"

#: Characters without a shape: soft hyphens, zero-width spaces, word joiners, byte order marks, marks of
#: direction, annotations, variation selectors and tags (Unicode's Default_Ignorable_Code_Point, but those of
#: single scripts). Joiners have a meaning beside the letters of other scripts and in emoji, and stay there.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2065-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
    "|(?<![^\x00-\u024f\u2000-\u206f])[\u200c\u200d](?![^\x00-\u024f\u2000-\u206f])"
)


def is_disfluency(word: str) -> bool:
    """Say whether a spoken word is only the sound of thinking or agreeing: "um", "Uhh...", "mm-hmm,".

    The recogniser of TalkSumm's transcripts writes "%HESITATION" for these.
    """
    return _DISFLUENCY.fullmatch(word.strip(_AROUND_WORD)) is not None


def visible(text: str) -> str:
    """Return `text` without invisible characters, which would split its words."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """Return the visible `text` with white space collapsed to single spaces and stripped at both ends."""
    return " ".join(visible(text).split())


_FEW_DIGITS = re.compile(r"[0-9]{1,18}")


def whole_number(text: object) -> int:
    """Parse a whole number of up to 18 digits. Raises ValueError for anything else."""
    if _FEW_DIGITS.fullmatch(str(text) if isinstance(text, str | int) else "") is None:
        raise ValueError(f"{text!r:.80} is no number of up to 18 digits")
    return int(str(text))


#: Largest product of the two word counts for which a change is compared word by word: 12 MB of bits.
_MOST = 100_000_000

_TOKEN = re.compile(r"\s+|[\w'’]+|[^\s\w]")


class Piece(NamedTuple):
    """A run of tokens that both texts have (=), only the old one (-) or only the new one (+)."""

    sign: str
    text: str


def word_difference(old: str, new: str) -> list[Piece]:
    """Return the pieces of two texts by a longest common subsequence of their words, signs and white space.

    If the differing middle of the texts is too long to compare, it is one change.
    """
    from rapidfuzz.distance import Indel  # late: not installed where a model is served

    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = range(1, shorter - start + 1)
    end = next((at - 1 for at in rest if before[-at] != after[-at]), shorter - start)
    pieces = [Piece("=", "".join(before[:start]))]
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    if len(removed) * len(added) > _MOST:
        pieces += [Piece("-", "".join(removed)), Piece("+", "".join(added))]
    else:
        steps: Any = Indel.opcodes(removed, added)
        for kind, i, j, k, m in steps:
            if kind == "equal":
                pieces.append(Piece("=", "".join(removed[i:j])))
            else:
                pieces += [Piece("-", "".join(removed[i:j])), Piece("+", "".join(added[k:m]))]
    pieces.append(Piece("=", "".join(before[len(before) - end :])))
    return list(_joined(pieces))


def _joined(unmerged: list[Piece]) -> Iterator[Piece]:
    """Merge adjacent pieces and skip empty ones; within a change, the old text comes before the new."""
    for equal, run in groupby(unmerged, lambda piece: piece.sign == "="):
        pieces = list(run)
        for sign in ("=",) if equal else ("-", "+"):
            if text := "".join(piece.text for piece in pieces if piece.sign == sign):
                yield Piece(sign, text)
