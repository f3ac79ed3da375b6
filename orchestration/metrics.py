"""The counts of a dataset as a file that `dvc metrics` shows and compares.

Belongs here: writing that file. Not here: counting (store/counts.py).
"""

from __future__ import annotations

import json

from assets.declaration import Declaration
from orchestration.freshness import View
from orchestration.graph import metrics_file
from orchestration.store.counts import total
from orchestration.store.publish import write_file


def write(item: Declaration, view: View) -> None:
    """Write the counts of all partitions of a finished dataset, if they are not there yet; a report has none."""
    if item.shape is None:
        return
    content = total(view.finished(item, month).counts for month in item.made_months)
    text = json.dumps(content, indent=2, sort_keys=True) + "\n"
    path = metrics_file(item)
    if not path.exists() or path.read_text() != text:
        write_file(path, text.encode())
