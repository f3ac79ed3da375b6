"""How long a server wants to be left alone. Not here: who waits for it (middlewares.py, client.py)."""

from __future__ import annotations

import email.utils
import time


def seconds_to_wait(retry_after: str, tries: int) -> float:
    """Return the seconds of a Retry-After header, which is a number or a date.

    Without one it is a second, which doubles with each of the `tries` before.
    """
    value = retry_after.strip()
    if value.isascii() and value.isdecimal():
        return float(value)  # of whatever length: of more than 308 digits it is infinite
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):  # of a year of very many digits
        return float(2**tries)
