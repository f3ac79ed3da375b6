"""Licences by the names that sources have in params.yaml, off the addresses that listings give them.

Belongs here: the name of an address. Not here: which licence a row has (outcomes.py).
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_COMMONS = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/([\d.]+)")


def spdx(address: str) -> str:
    """Return the SPDX name of a licence, `LicenseRef-` and its address where SPDX has none."""
    if found := _COMMONS.search(address.lower()):
        name, version = found.groups()
        name = {"zero": "CC0", "mark": "CC-PDM"}.get(name) or f"CC-{name.upper()}"
        return f"{name}-{version}"
    parts = urlsplit(address.strip())
    return "LicenseRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{parts.netloc}{parts.path}").strip("-")
