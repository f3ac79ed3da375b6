"""What lies in a file is its rows: nothing that a declaration says of its columns."""

import pyarrow as pa

from ops.outcome import TEXT, TITLE, Outcome, Shape, columns, place, struct
from orchestration.files.parquet import write_outcomes

PLAIN = columns(("title", pa.string()), ("lines", pa.list_(struct(("text", pa.string())))))
TOLD = columns(
    ("title", pa.string(), "as it stands there", TITLE),
    ("lines", pa.list_(struct(("text", pa.string(), "read aloud", TEXT))), "in order", place("by {title}")),
)


def written(folder, schema):
    """The files of an outcome with these columns."""
    folder.mkdir()
    row = {
        "id": "a",
        "source_ids": ["f"],
        "licence": "CC0-1.0",
        "title": "On rows",
        "lines": [{"text": "One."}],
    }
    shape = Shape(unit=schema, kept=schema)
    write_outcomes(folder, [Outcome.of(shape, ["a"], [row])], shape)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_meanings_and_roles_of_columns_are_in_no_file(tmp_path):
    assert written(tmp_path / "plain", PLAIN) == written(tmp_path / "told", TOLD)
