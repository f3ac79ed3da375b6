"""Users and passwords in addresses: nobody is shown them.

Belongs here: taking them out of what is printed, linked or stored. Not here: which addresses there are.
"""

from __future__ import annotations

import contextlib
import os
import re

from assets.declare.settings import ParamsError, settings

_LOGIN = re.compile(r"(?<=://)[^/?#\s]*@")
_FIELD = re.compile(
    r"([?&](?:user(?:name)?|pass(?:word|wd)?|pwd|token|(?:api_?)?key|secret)=)[^&\s'\"]+", re.I
)


def without_logins(text: str) -> str:
    """Return a text whose addresses have no user and password: `https://me:secret@host/` is `https://host/`.

    Fields of an address such as `password=` have three stars. The logins of MLflow's
    address and of Dagster's storage are taken out whatever signs they hold.
    """
    for login in _known():
        text = text.replace(f"://{login}@", "://")
    return _FIELD.sub(r"\1***", _LOGIN.sub("", text))


def _known() -> list[str]:
    """Return the logins of the servers that keep state."""
    found = [os.environ.get(name, "") for name in ("MLFLOW_TRACKING_URI", "SILVERLOOM_DAGSTER_POSTGRES")]
    with contextlib.suppress(ParamsError):
        found.append(settings().mlflow)
    logins = (address.partition("://")[2].rpartition("@")[0] for address in found)
    return [login for login in logins if login]
