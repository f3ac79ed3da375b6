"""Write the poison corpus to a folder, or the table of its verdicts, and how many there are of each kind in the docs.

`python -m tests.poison FOLDER`, `python -m tests.poison --table`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.poison.corpus import ITEMS, write
from tests.poison.verdicts import meet, summary, table

TABLE = Path(__file__).with_name("verdicts.md")
DOCS = Path(__file__).resolve().parents[2] / "docs/reports/poison.md"
BEGIN = "<!-- verdicts -->\n"


def main() -> None:
    """Run the command line."""
    pairs = [(item, parser) for item in ITEMS for parser in item.parsers()]
    if sys.argv[1:] == ["--table"]:
        verdicts = {}
        for item, parser in pairs:
            with tempfile.TemporaryDirectory() as folder:
                verdicts[item.name, parser.name] = meet(item, parser, Path(folder)).verdict
        TABLE.write_text(table(verdicts), encoding="utf-8")
        DOCS.write_text(
            DOCS.read_text(encoding="utf-8").partition(BEGIN)[0] + BEGIN + summary(verdicts), encoding="utf-8"
        )
        return
    for number, (item, parser) in enumerate(pairs):
        write(item, parser, Path(sys.argv[1]) / f"{number:03d}-{parser.kind}")


if __name__ == "__main__":
    main()
