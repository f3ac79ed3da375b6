"""SubRip transcripts.

Belongs here: which blocks of the file are cues. Not here: the cues themselves (cues.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ops.talksumm.sources.talks import cues, talk
from ops.talksumm.sources.talks.cues import Cue
from ops.talksumm.sources.talks.talk import Word


def read(text: str) -> Sequence[Word]:
    """Return the words of all cues; the numbers above them and tags are left out."""
    return cues.read(list(_cues(text)))


def _cues(text: str) -> Iterator[Cue]:
    for block in cues.blocks(talk.lines(text), blank_may_hold_spaces=True):
        numbered = block[0].text.strip().isdecimal() and len(block) > 1
        yield cues.cue(block[1:] if numbered else block)
