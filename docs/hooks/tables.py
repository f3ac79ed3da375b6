"""Tables of Markdown, whose cells are Markdown already.

Belongs here: rows to text. Not here: what they say.
"""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; each cell becomes one line, and its vertical bars are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines) + "\n"


def code(text: object) -> str:
    """Return a text as code, which may hold backticks."""
    shown = str(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
