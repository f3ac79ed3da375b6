"""WebVTT transcripts (W3C), with what browsers and video sites write.

Belongs here: which blocks of the file are cues. Not here: the cues themselves (cues.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ops.parse.source import ParseError
from ops.talksumm.sources.talks import cues, talk
from ops.talksumm.sources.talks.cues import Cue
from ops.talksumm.sources.talks.talk import Word

_SIGNATURE = re.compile(r"WEBVTT(?:[ \t].*)?")
_NO_CUE = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")


def read(text: str) -> Sequence[Word]:
    """Return the words of all cues; notes, styles, regions, cue ids, settings and tags are left out."""
    return cues.read(list(_cues(text)))


def _cues(text: str) -> Iterator[Cue]:
    # A blank line is an empty one: automatic captions have lines of one space inside their cues.
    rows = talk.lines(text)
    signature = next(rows, None)
    if signature is None or not _SIGNATURE.fullmatch(signature.text):
        raise ParseError("line 1: no WEBVTT signature")
    for block in cues.blocks(rows, blank_may_hold_spaces=False):
        in_header = block[0].number == signature.number + 1
        # The times are the first line or, behind a cue id, the second; behind a header, any.
        near = block if in_header else block[:2]
        times = next((index for index, line in enumerate(near) if cues.ARROW in line.text), None)
        if times is not None:
            yield cues.cue(block[times:])
        elif not in_header and not _NO_CUE.fullmatch(block[0].text):
            raise ParseError(f"line {block[0].number}: neither cue times nor NOTE, STYLE or REGION")
