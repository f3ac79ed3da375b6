"""Numbers that others wrote. Not here: what they count.

Python refuses to read a number of thousands of digits, and reads those of other scripts.
"""

from __future__ import annotations

import re

_DIGITS = re.compile(r"[0-9]{1,18}")


def whole_number(text: object) -> int:
    """Return a number that is written in up to 18 digits. Raises ValueError for anything else."""
    if _DIGITS.fullmatch(str(text) if isinstance(text, str | int) else "") is None:
        raise ValueError(f"{text!r:.80} is no number of up to 18 digits")
    return int(str(text))
