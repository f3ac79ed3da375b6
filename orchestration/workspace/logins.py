"""Users and passwords in addresses: nobody is shown them.

Belongs here: taking them out of what is printed, linked or stored. Not here: which addresses there are.
"""

from __future__ import annotations

import re

_LOGIN = re.compile(r"(?<=://)[^/?#\s]*@")


def without_logins(text: str) -> str:
    """Return a text whose addresses have no user and password: `https://me:secret@host/` is `https://host/`."""
    return _LOGIN.sub("", text)
