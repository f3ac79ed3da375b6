"""The records of one source that no params.yaml names: a file or folder of somebody who has no project.

Belongs here: its records, as a project without months has them. Not here: what the files are
(orchestration/project/detect.py), the steps (each system's `chain.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from silverloom.ops.core.parts import Engine
from silverloom.ops.core.periods import ALL
from silverloom.ops.parse.scan import Corpus, Records
from silverloom.ops.parse.source import RECORDS_PER_PART, Format, Source


def source_name(path: Path) -> str:
    """Return what the source of a file or folder is called: its name without endings, as one word."""
    return re.sub(r"\W+", "_", path.name.partition(".")[0]).strip("_").lower() or "texts"


def records_of(name: str, source: Source, formats: Mapping[str, Format[object]], engine: Engine) -> Records:
    """Return the records of a source with an absolute path. Raises SourceError as `Corpus.check` does."""
    corpus = Corpus("records", {name: source}, formats, Path("/"), ALL, ALL, RECORDS_PER_PART, engine, "none")
    corpus.check()
    return corpus.records(ALL)
