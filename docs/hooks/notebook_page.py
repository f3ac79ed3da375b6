"""The notebook as a page, with all its cells.

Belongs here: cells to Markdown. Not here: running it (tests/end_to_end/test_notebook.py).
"""

from __future__ import annotations

import nbformat

INTRODUCTION = "[The notebook](first-look.ipynb) of this page opens in Jupyter or VS Code.\n"


def page(content: str) -> str:
    """Return the page of a notebook, given as its JSON."""
    cells = nbformat.reads(content, as_version=4).cells  # type: ignore[no-untyped-call]
    shown = [f"```python\n{cell.source}\n```" if cell.cell_type == "code" else cell.source for cell in cells]
    title, *rest = shown
    return "\n\n".join([title, INTRODUCTION, *rest]) + "\n"
