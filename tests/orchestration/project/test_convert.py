"""`silverloom convert`: a file in, rows out; what it refuses, what it says is lost, what it does not load."""

import csv
import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from silverloom.orchestration.cli.app import main
from silverloom.orchestration.workspace.environment import STRICT
from silverloom.orchestration.workspace.workspace import Workspace
from tests.projects import ROOT

TEXTS = (
    "Kubler, who retired from cycling in 1957, remained a revered figure in the wealthy alpine nation.",
    "The lighthouse was built in 1871 by the harbour board. However, the lamp was lit only two years later.",
)
IN_A_PROCESS = """
import sys
from silverloom.command import main
try:
    main()
finally:
    loaded = {"dagster", "dvc", "mlflow", "great_expectations"} & sys.modules.keys()
    assert not loaded, loaded
"""


@pytest.fixture
def prose(tmp_path, monkeypatch):
    """A folder outside of any project, with a table whose last rows cannot be read."""
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate(TEXTS)]
    (tmp_path / "prose.jsonl").write_text(
        "\n".join([*rows, '{"id": "2", "text": ', '{"id": "3", "text": ""}'])
    )
    return tmp_path


def convert(*options):
    """Call `silverloom convert` in this process; its status."""
    with pytest.raises(SystemExit) as ended:
        main(["convert", *options])
    return ended.value.code or 0


def test_the_same_rows_are_written_in_each_format(prose, capsys):
    for ending in ("parquet", "jsonl", "csv"):
        assert convert("prose.jsonl", "--system", "discofuse", "-o", f"out.{ending}", "--licence", "MIT") == 0
    table = pq.read_table(prose / "out.parquet").to_pylist()
    lines = [json.loads(line) for line in (prose / "out.jsonl").read_text().splitlines()]
    with (prose / "out.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert table == lines and table[0]["licence"] == "MIT" and table[0]["domain"] == "prose"
    assert {row["discourse_type"] for row in table} == {"SINGLE_RELATIVE", "PAIR_CONN"}
    assert [row["fused_detokenised"] for row in cells] == [row["fused_detokenised"] for row in table]
    assert [json.loads(row["links"]) for row in cells] == [row["links"] for row in table]
    said = capsys.readouterr()
    assert said.out.count("sources/prose lost: rejected 2\n") == 3
    assert f"written: out.csv, {len(table)} rows" in said.out
    assert "rejected: prose/prose.jsonl, line 3: malformed JSON" in said.err
    assert "rejected: prose/prose.jsonl, line 4: no text" in said.err


def test_an_installed_package_needs_no_params(prose, monkeypatch):
    installed = Workspace(prose / "site-packages/silverloom")  # where no params.yaml is
    monkeypatch.setattr(Workspace, "here", lambda: installed)
    assert convert("prose.jsonl", "--system", "discofuse", "-o", "out.jsonl") == 0


def test_a_param_can_be_set(prose, capsys):
    given = ("prose.jsonl", "--system", "discofuse", "-o", "out.jsonl")
    assert convert(*given, "--set", "discofuse.examples.long_tokens=15") == 0
    (row,) = map(json.loads, (prose / "out.jsonl").read_text().splitlines())
    assert row["discourse_type"] == "PAIR_CONN"
    said = capsys.readouterr().out
    assert "discofuse/examples lost: long 1" in said
    assert "dropped for long: an original sentence has more than `long_tokens` tokens" in said
    two = ("-S", "discofuse.examples.long_tokens=15", "-S", "discofuse.rules.subject_score=0.9")
    assert convert(*given, *two) == 0


def test_neither_dagster_nor_the_like_is_loaded(prose):
    command = ["prose.jsonl", "--system", "discofuse", "-o", "out.parquet"]
    bare = {name: value for name, value in os.environ.items() if name not in STRICT}
    ended = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS, "convert", *command],
        cwd=prose,
        env={**bare, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert pq.read_metadata(prose / "out.parquet").num_rows


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("none.txt --system discofuse -o out.csv", "there is no file or folder none.txt"),
        (
            "prose.jsonl --system discofuse -o out.xlsx",
            "out.xlsx: the name must end in .parquet, .jsonl, .csv",
        ),
        (
            "prose.jsonl --system talksumm -o out.csv",
            "one file is not enough for talksumm, which needs talks and",
        ),
        (
            "prose.jsonl --system wikisum -o out.csv",
            "one file is not enough for wikisum, which needs articles",
        ),
        (
            "prose.jsonl --system disco -o out.csv",
            "there is no system 'disco'; there are: discofuse, parasci,",
        ),
        ("prose.jsonl --system discofuse --column text -o out.csv", "--column takes WHAT=COLUMN, such as"),
        (
            "prose.jsonl --system discofuse -S discofuse.examples.contrl=1 -o out.csv",
            "--set: unknown key discofuse.examples.contrl (did you mean control?)",
        ),
        (
            "prose.jsonl --system discofuse -S discofuse.examples.control=all -o out.csv",
            "--set: discofuse.examples.control: Input should be a valid number",
        ),
        (
            "prose.jsonl --system discofuse -S numerics=fast -o out.csv",
            "--set takes SECTION.KEY=VALUE, not",
        ),
        (
            "prose.jsonl --system discofuse -S parasci.filtered.plr=1 -o out.csv",
            "--set: unknown key parasci; known: discofuse.annotated, discofuse.evidence, discofuse.examples, discofuse.rules",
        ),
        (
            "prose.jsonl --system discofuse -S discofuse.rules=1 -S discofuse.rules.subject_score=1 -o out.csv",
            "--set discofuse.rules.subject_score=1: rules has a value already",
        ),
        ("prose.jsonl --system discofuse --kind pdf -o out.csv", "prose.jsonl: the kind 'pdf' does not read"),
        (
            "papers --system discofuse -o out.csv",
            "papers: no kind reads its first files; of prose (jsonl_prose, plain_prose, table); a project may "
            "read more: `silverloom init FOLDER --system discofuse --source papers`",
        ),
        ("empty.jsonl --system discofuse -o out.csv", "empty.jsonl gives no rows; out.csv is not written"),
    ],
)
def test_what_cannot_be_converted_is_told_in_a_line_and_writes_nothing(prose, capsys, options, error):
    (prose / "empty.jsonl").write_text('{"id": "1", "text": "Too short."}\n')
    (prose / "papers").mkdir()
    (prose / "papers/a.pdf").write_bytes(b"%PDF-1.4")
    assert convert(*options.split()) == 1
    assert f"error: {error}" in capsys.readouterr().err
    assert not [path for path in prose.iterdir() if path.name.startswith("out")]
