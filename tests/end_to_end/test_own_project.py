"""A project of one's own: made, run and read where only a virtual environment with the installed code is active."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

import silverloom
from silverloom.assets.declare.project import LOCKS
from silverloom.orchestration.cli.app import main
from silverloom.orchestration.workspace.environment import QUIET
from tests.projects import CODE, ROOT

TEXTS = [
    "Kubler, who retired from cycling in 1957, remained a revered figure in the wealthy alpine nation. "
    "The ferry was old, but it carried the mail for thirty years. Because the road was closed, they sailed.",
    "The mill was sold and burned down. Its owner, a baker from the coast, left the island, and he never came back.",
    "The lighthouse was built in 1871. However, the lamp was lit only two years later. It still works today.",
]


EXAMPLES = "--select discofuse/examples --partition all -m silverloom.orchestration.definitions"


@pytest.fixture(scope="module")
def active(tmp_path_factory):
    """Runs commands in a shell that has nothing but a virtual environment, in which this checkout is installed."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    others = [path for path in sys.path if path.endswith("site-packages")]
    packages = folder / "lib/python3.11/site-packages"
    (packages / "installed.pth").write_text("\n".join([str(ROOT), *others]))
    entries = {
        name: f"{entry.module}:{entry.attr}"
        for entry in entry_points(group="console_scripts")
        if (name := entry.name) in ("dagster", "dvc")
    }
    for name, entry in {**entries, "silverloom": "silverloom:main"}.items():
        module, _, function = entry.partition(":")
        script = folder / "bin" / name
        guarded = f"if __name__ == '__main__':\n    sys.exit({function}())\n"  # workers import it, too
        script.write_text(f"#!{folder}/bin/python\nimport sys\nfrom {module} import {function}\n{guarded}")
        script.chmod(0o755)
    bare = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    environment = {**bare, **QUIET, "PATH": f"{folder / 'bin'}:{os.defpath}"}

    def active(command, cwd, status=0):
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", command],
            cwd=cwd,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert ended.returncode == status and "Traceback" not in ended.stdout, f"{command}:\n{ended.stdout}"
        return ended.stdout

    return active


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder with a file of texts."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = [{"acl_id": f"X{number}", "abstract": text} for number, text in enumerate(TEXTS)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "abstracts.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.fixture(scope="module")
def mine(active, corpus) -> Path:
    said = active(
        "silverloom init mine --system discofuse --source abstracts.jsonl.gz --licence CC-BY-4.0", corpus
    )
    found, credit, numerics, estimate, created, *steps = said.splitlines()
    assert credit.startswith("attribution of abstracts: none") and numerics.startswith("numerics: fast")
    assert "expect about" in estimate
    assert (
        found
        == "abstracts.jsonl.gz: prose, read as table (text from abstract, id from acl_id; no column of titles): "
        "corpus/abstracts"
    )
    assert created == "created mine; next:"
    assert [*map(str.strip, steps)] == [
        "cd mine",
        'git add . && git commit -m "New project"',
        "silverloom run",
    ]
    active("silverloom run --select discofuse/examples", corpus / "mine")
    return corpus / "mine"


def test_its_params_are_a_few_lines_with_the_columns_that_were_found(mine):
    assert yaml.safe_load((mine / "params.yaml").read_text()) == {
        "discofuse": {},
        "numerics": "fast",
        "targets": ["discofuse/release_files"],
        "partitions": {"every": "none"},
        "sources": {
            "prose": {
                "abstracts": {
                    "kind": "table",
                    "path": "corpus/abstracts",
                    "licence": "CC-BY-4.0",
                    "fields": {"text": "abstract", "id": "acl_id"},
                    "domain": "abstracts",
                }
            }
        },
    }


def test_nothing_of_the_code_is_in_it(mine, active):
    there = {path.name for path in mine.iterdir()} - {".git"}
    assert there == {
        ".dagster", ".dvc", ".dvcignore", ".env", ".gitignore", ".silverloom", "README.md", "code.json", "corpus",
        "data", "dvc.lock", "dvc.yaml", "manifests", "metrics", "params.yaml", "pyproject.toml",
    }  # fmt: skip
    untracked = active("git add . && git ls-files", mine).split()
    assert {"params.yaml", "dvc.yaml", "dvc.lock", "code.json", "corpus/abstracts.dvc"} < {*untracked}
    assert not any(name.startswith(("data/", "manifests/", ".env", ".silverloom/")) for name in untracked)


def test_commands_work_in_it_and_say_what_can_be_typed_there(mine, active):
    said = active("silverloom plan --select discofuse/examples", mine)
    assert "everything is up to date" in said
    again = active("silverloom run --select discofuse/examples", mine)
    assert not re.search(r"\d kept, ", again) and "`silverloom plan`" in again and "`make" not in again
    code = "import silverloom; print(silverloom.load('discofuse/examples')['id'][0])"
    row = active(f'python -c "{code}"', mine).strip()
    assert "corpus/abstracts/abstracts.jsonl.gz, line 1" in active(f"silverloom explain {row}", mine)
    (mine / "below").mkdir()
    assert row in active(f'python -c "{code}"', mine / "below"), "from any folder of the project"


def test_convert_makes_the_same_rows_without_a_project(mine, active, corpus, tmp_path):
    active(
        f"silverloom convert {corpus}/abstracts.jsonl.gz --system discofuse --licence CC-BY-4.0 -o out.parquet",
        tmp_path,
    )
    rows = pq.read_table(tmp_path / "out.parquet")
    made = silverloom.load("discofuse/examples", root=mine)
    assert rows.num_rows > 3 and rows.to_pylist() == made.to_pylist()


@pytest.mark.long
def test_convert_makes_the_same_pairs_of_papers_as_a_project(active, tmp_path):
    papers = ROOT / "data/sample/papers/text"
    active(f"silverloom init mine --system parasci --source {papers} --licence MIT", tmp_path)
    active("silverloom run --select parasci/paraphrases", tmp_path / "mine")
    active(f"silverloom convert {papers} --system parasci --licence MIT -o out.parquet", tmp_path)
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert rows and rows == silverloom.load("parasci/paraphrases", root=tmp_path / "mine").to_pylist()


@pytest.mark.long
def test_dvc_finds_all_as_it_made_it(mine, active):
    assert "didn't change" in active("dvc repro discofuse-examples", mine)
    status = json.loads(active("dvc status --json discofuse-examples sources-prose", mine).splitlines()[-1])
    status.pop("code", None)
    assert status == {}


@pytest.mark.long
def test_dagster_makes_it_too(mine, active):
    assert "All code locations passed validation" in active("dagster definitions validate", mine)
    before = (mine / "dvc.lock").read_bytes()
    said = active(f"dagster asset materialize {EXAMPLES}", mine)
    assert "RUN_SUCCESS" in said
    assert (mine / "dvc.lock").read_bytes() == before


@pytest.mark.long
def test_an_upgrade_of_the_code_changes_nothing_and_is_planned(mine, active, tmp_path):
    for name in CODE:
        shutil.copytree(
            ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("models.txt", *LOCKS):
        shutil.copy(ROOT / name, tmp_path)
    plan = f"PYTHONPATH={tmp_path} silverloom plan --select discofuse/examples"
    assert "everything is up to date" in active(plan, mine)
    with (tmp_path / "ops/discofuse/rules/coordination.py").open("a") as rule:
        rule.write("\n\nRULES = RULES\n")
    before = {path: path.read_bytes() for path in mine.iterdir() if path.is_file()}
    assert re.search("discofuse/candidates +all +yes +code changed", active(plan, mine))
    assert {path: path.read_bytes() for path in mine.iterdir() if path.is_file()} == before


@pytest.mark.long
def test_a_folder_is_read_where_it_is_by_experiments_and_clones_too(active, tmp_path):
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / f"texts/{number}.txt").write_text(text)
    active("silverloom init mine --system discofuse --source texts --licence CC-BY-4.0", tmp_path)
    mine = tmp_path / "mine"
    assert (
        yaml.safe_load((mine / "params.yaml").read_text())["sources"]["prose"]["texts"]["path"] == "../texts"
    )
    active("git config user.name Me && git config user.email me@example.org", mine)
    commit = 'git add . && git commit -qm "New project"'
    active(commit, mine)
    active("silverloom run --select discofuse/examples", mine)
    active(commit, mine)
    said = active("dvc exp run -S +discofuse.rules.pronoun_score=0.9 discofuse-examples", mine)
    assert "Ran experiment" in said
    assert "pronoun_score: 0.9" in (mine / "dvc.lock").read_text()
    assert active("git diff HEAD --numstat -- params.yaml", mine).split() == ["3", "1", "params.yaml"]
    assert "discofuse-evaluation" not in active("dvc stage list --name-only", mine), "no target needs it"
    assert "didn't change, skipping" in active("dvc repro --dry sources", mine)
    active("dvc remote add -d store ../store && dvc push", mine)
    active(commit, mine)
    active("git clone -q mine yours", tmp_path)
    active("silverloom setup && dvc pull --allow-missing", tmp_path / "yours")
    for project in (mine, tmp_path / "yours"):
        assert "everything is up to date" in active("silverloom plan --select discofuse/examples", project)


def init(*options):
    """Call `silverloom init` in this process; its status."""
    with pytest.raises(SystemExit) as ended:
        main(["init", *options])
    return ended.value.code or 0


FULL = "abstracts.jsonl.gz"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            f"--system disco --source {FULL}",
            "there is no system 'disco'; there are: discofuse, parasci, talksumm, ",
        ),
        ("--system discofuse --source none.csv", "there is no file or folder none.csv"),
        ("--system discofuse --source papers=none", "error: there is no file or folder none"),
        (
            "--system discofuse --source talk=none",
            "there is no file or folder talk=none (talk is not one of test_sets, ",
        ),
        (
            f"--system discofuse --source {FULL} --column text=body",
            f"{FULL} has no column 'body'; there are: ",
        ),
        (f"--system discofuse --source {FULL} --column abstract", "--column takes WHAT=COLUMN, such as "),
        (
            f"--system discofuse --source {FULL} --kind pdf",
            f"{FULL}: the kind 'pdf' does not read its first files; of",
        ),
        (
            "--system discofuse --source two.csv",
            "two.csv: which column is the text? one and two hold texts; ",
        ),
        (
            f"--system talksumm --source talks={FULL}",
            f"{FULL}: no kind reads its first files; of talks (recordings, ",
        ),
        (
            "--system talksumm --source papers=texts",
            "talksumm needs talks; given: texts: papers, read as plain_",
        ),
        ("--system discofuse --source .", "name a folder outside of it"),
    ],
)
def test_what_does_not_fit_is_told_in_a_line_and_leaves_nothing(corpus, monkeypatch, capsys, options, error):
    monkeypatch.chdir(corpus)
    (corpus / "two.csv").write_text(f"one,two\n{'a b ' * 30},{'c d ' * 30}\n")
    (corpus / "texts").mkdir(exist_ok=True)
    (corpus / "texts/a.txt").write_text(
        "# Of Ferries\ndate: 2018-06-14\n\n## 1 Introduction\nThey carry the mail.\n"
    )
    assert init("other", *options.split()) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("error: ") and error in said
    assert not (corpus / "other").exists()


def test_a_folder_that_is_not_empty_is_left_as_it_is(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    assert init("mine", "--system", "discofuse", "--source", str(corpus / FULL)) == 1
    assert re.fullmatch(r"error: /.*/mine is not empty: name a new folder\n", capsys.readouterr().err)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_what_fails_while_it_is_set_up_leaves_nothing(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\necho no repository today >&2; exit 3\n")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert init("mine", "--system", "discofuse", "--source", str(corpus / FULL)) == 1
    assert capsys.readouterr().err == "error: `git init -q` failed: no repository today\n"
    assert not (tmp_path / "mine").exists()
