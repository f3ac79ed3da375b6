"""YAML as DVC reads it.

Belongs here: parsing a text. Not here: what params.yaml says (settings.py, params_file.py).
"""

from __future__ import annotations

from typing import Any


def read_yaml(content: str | bytes) -> Any:
    """Parse YAML as DVC does: version 1.2, in which `010` is ten, `yes` is text, and no key occurs twice.

    Raises ValueError, which names the line.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe").load(content)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{place}{error.problem or error.context}") from error
    except YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
