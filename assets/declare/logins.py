"""Texts without logins.

Belongs here: removing user names and passwords from addresses that people are shown. Not here: the addresses
themselves (params_file.py).
"""

from __future__ import annotations

import contextlib
import os
import re

from silverloom.assets.declare.params_file import ParamsError, settings

_LOGIN = re.compile(r"(?<=://)[^/?#\s]*@")
_FIELD = re.compile(
    r"([?&](?:user(?:name)?|pass(?:word|wd)?|pwd|token|(?:api_?)?key|secret)=)[^&\s'\"]+", re.I
)


def without_logins(text: str) -> str:
    """Return a text without logins in addresses: `https://me:secret@host/` becomes `https://host/`.

    Fields of an address such as `password=` become three stars. The logins in the addresses of MLflow and of
    Dagster's storage are removed whatever characters they contain.
    """
    for login in _known():
        text = text.replace(f"://{login}@", "://")
    return _FIELD.sub(r"\1***", _LOGIN.sub("", text))


def _known() -> list[str]:
    """Return the logins of the servers that keep state."""
    addresses = [os.environ.get(name, "") for name in ("MLFLOW_TRACKING_URI", "SILVERLOOM_DAGSTER_POSTGRES")]
    with contextlib.suppress(ParamsError):
        addresses.append(settings().mlflow)
    logins = (address.partition("://")[2].rpartition("@")[0] for address in addresses)
    return [login for login in logins if login]
