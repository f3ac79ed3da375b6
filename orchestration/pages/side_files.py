"""Files that lie beside the rows of a dataset.

Belongs here: reading them for pages. Not here: what any of them holds.
"""

from __future__ import annotations

import json
from typing import Any

from assets.declare.report import Everything


def side_file(everything: Everything, name: str, file: str) -> Any:
    """Return what a JSON file beside the rows of a dataset holds, None where it is not there.

    Raises ValueError naming a file that cannot be read.
    """
    for folder in everything.get(name, {}).values():
        path = folder / file
        if path.is_file():
            try:
                return json.loads(path.read_bytes())
            except ValueError as error:
                raise ValueError(f"{path} cannot be read as JSON: {error}; make {name} again") from error
    return None
