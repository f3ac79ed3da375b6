"""Readers of ordinary files against their peers' own tests: sentences, wikitext, captions, web pages, papers.

Run: python benchmarks/reading.py DATA [--peer PYTHON] [--only AREA]. DATA is a folder of real corpora; PYTHON
is the interpreter of an environment with the peers:
python -m venv PEERS && PEERS/bin/pip install pysbd blingfire nupunkt mwparserfromhell wikiextractor webvtt-py
pysrt pysubs2 trafilatura readability-lxml resiliparse pypdf pubmed_parser warcio.

Prints a table in Markdown: a row for each set, with the score of this project and of each peer in the same
run. A set that DATA lacks, and a peer that PYTHON lacks, is "not measured". Each area is a module of its own,
`reading_<area>.py`, with a function `rows(data, peer)`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

AREAS = ("sentences", "wikitext", "captions", "web", "pdf", "jats", "records")


def main() -> None:
    """Print the table of all areas, or of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--peer", help="Python of an environment with the peers")
    parser.add_argument("--only", choices=AREAS)
    options = parser.parse_args()
    print("| area | set | measure | wanted | here | peers |\n|---|---|---|---|---|---|")
    for area in [options.only] if options.only else AREAS:
        module = importlib.import_module(f"benchmarks.reading_{area}")
        for row in module.rows(options.data, options.peer):
            print(row.line(area), flush=True)


if __name__ == "__main__":
    main()
