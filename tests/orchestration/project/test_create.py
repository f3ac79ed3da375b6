"""The files of a new project, with the programs that set it up replaced by a list of what is called."""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.cli.app import main
from silverloom.orchestration.project.survey import Survey, expected

TEXT = "The ferry was old, but it carried the mail for thirty years. The mill was sold, and it burned down. "
SAMPLE = checkout() / "data/sample"


@pytest.fixture
def called(monkeypatch):
    """The programs that were called, with their environments; a test may let one fail."""
    called = []
    called_run = subprocess.run

    def run(command, **options):
        if command[0] not in ("git", sys.executable):
            return called_run(command, **options)
        called.append(SimpleNamespace(words=list(command), env=options.get("env") or os.environ))
        if command[1:3] == ("-m", "dvc") and command[3] == "init":
            (options["cwd"] / ".dvc").mkdir()
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    return called


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A function that writes a table into the working directory."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def write(name, rows):
        with (tmp_path / "here" / name).open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    write("texts.csv", [{"abstract": f"{TEXT} {number}" * 2} for number in range(3)])
    return write


def init(*options):
    """Call `silverloom init`; its status."""
    with pytest.raises(SystemExit) as ended:
        main(["init", *options])
    return ended.value.code or 0


def params(folder="mine"):
    return yaml.safe_load(Path(folder, "params.yaml").read_text())


def test_the_next_steps_begin_with_a_commit(table, called, capsys):
    assert init("mine", "--system", "discofuse", "--source", "texts.csv") == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "created mine; next:",
        "  cd mine",
        '  git add . && git commit -m "New project"',
        "  silverloom run",
    ]


def test_a_project_wants_its_dataset_alone_with_fast_numerics_and_says_what_to_expect(table, called, capsys):
    assert init("mine", "--system", "discofuse", "--source", "texts.csv") == 0
    assert (params()["targets"], params()["numerics"]) == (["discofuse/release_files"], "fast")
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("numerics: fast") for line in lines)
    estimate = "3 records: expect about 4 rows after a minute or two of processor time, as 3,000 abstracts"
    assert any(line.startswith(estimate) for line in lines)


@pytest.mark.parametrize(
    ("system", "records", "told"),
    [
        ("discofuse", "prose", "about 4 minutes of processor time"),
        ("parasci", "papers", "minutes of time on two cores beside other work"),
        ("wikisum", "articles", "about 6,303 rows after about 153 minutes of processor time, as 99 articles"),
        ("talksumm", "talks", "78,000 rows after a time that was not measured for so many, as 1 talk"),
        ("talksumm", "gold_alignments", "unknown, since no run on such records was measured"),
    ],
)
def test_an_estimate_says_what_its_minutes_are_or_that_there_is_none(system, records, told):
    assert told in expected(system, [(records, Survey(3000))])


@pytest.mark.parametrize(
    ("every", "partitions"),
    [
        ("month", {"every": "month", "start": "1999-12", "end": "2001-02"}),
        ("year", {"every": "year", "start": "1999", "end": "2001"}),
    ],
)
def test_dates_are_proposed_as_partitions_and_taken_if_asked_for(table, called, capsys, every, partitions):
    days = ["2001-02-03"] * 50 + ["1999-12-31", "soon"]
    table("texts.csv", [{"abstract": TEXT * 2, "published_date": day} for day in days])
    given = ["--system", "discofuse", "--source", "texts.csv"]
    assert init("mine", *given) == 0
    said = capsys.readouterr().out
    assert "the records have dates, from 1999-12 to 2001-02: --every month" in said
    assert params()["partitions"] == {"every": "none"}
    assert init("dated", *given, "--every", every) == 0
    assert "texts.csv: records without a date, which will be rejected: 1\n" in capsys.readouterr().out
    assert params("dated")["partitions"] == partitions
    assert params("dated")["sources"]["prose"]["texts"]["month"] == {"field": "date"}


def test_months_of_records_without_dates_are_an_error(table, called, capsys):
    assert init("mine", "--system", "discofuse", "--source", "texts.csv", "--every", "month") == 1
    assert "the first records of texts.csv have no date" in capsys.readouterr().err
    assert not Path("mine").exists()


def test_a_source_has_its_title_attribution_and_address(table, called, capsys):
    given = ["--system", "discofuse", "--source", "texts.csv", "--licence", "CC-BY-4.0"]
    assert init("mine", *given) == 0
    assert "attribution of texts: none, but its licence asks for one" in capsys.readouterr().out
    credits = ["--title", "The abstracts", "--url", "https://example.org/?a=b", "--citation", "Author (2024)"]
    assert init("credited", *given, *credits, "--attribution", "texts=A. Author") == 0
    assert "attribution of texts" not in capsys.readouterr().out
    source = params("credited")["sources"]["prose"]["texts"]
    assert (source["title"], source["citation"]) == ("The abstracts", "Author (2024)")
    assert (source["url"], source["attribution"]) == ("https://example.org/?a=b", "A. Author")


def test_licence_and_credits_without_a_name_are_of_all_sources(table, called, capsys):
    table("a.csv", [{"abstract": TEXT * 2}])
    given = ["--system", "discofuse", "--source", "texts.csv", "--source", "a.csv"]
    credits = ["--licence", "CC-BY-4.0", "--attribution", "A. Author", "--title", "a=Some", "--title", "All"]
    assert init("mine", *given, *credits, "--url", "https://example.org/?q=1") == 0
    assert "attribution of" not in capsys.readouterr().out
    texts, a = params()["sources"]["prose"].values()
    shared = {"licence": "CC-BY-4.0", "attribution": "A. Author", "url": "https://example.org/?q=1"}
    assert {**texts, **shared} == texts and {**a, **shared} == a
    assert (texts["title"], a["title"]) == ("All", "Some")


def test_sources_of_one_name_are_told_apart_by_their_folders(table, called, capsys):
    for folder in ("old", "new"):
        Path(folder).mkdir()
        shutil.copy("texts.csv", folder)
    given = ["--source", "texts.csv", "--source", "old/texts.csv", "--source", "new/texts.csv"]
    assert init("mine", "--system", "discofuse", *given) == 0, capsys.readouterr()
    assert [*params()["sources"]["prose"]] == ["texts", "old_texts", "new_texts"]


def test_semicolons_separate_columns_too(table, called, capsys):
    Path("texts.csv").write_text(f'id;abstract\na;"{TEXT * 2}"\nb;"{TEXT * 2}"\n')
    assert init("mine", "--system", "discofuse", "--source", "texts.csv") == 0, capsys.readouterr()
    assert params()["sources"]["prose"]["texts"]["fields"] == {"text": "abstract"}


def test_the_folder_can_be_pasted_as_it_is_printed(table, called, capsys):
    assert init("my texts", "--system", "discofuse", "--source", "texts.csv") == 0
    assert "  cd 'my texts'\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({}, "text from abstract; no column of ids: rows are named by file and line; no column of titles"),
        (
            {"title": "T"},
            "text from abstract, title from title; no column of ids: rows are named by file and line",
        ),
    ],
)
def test_a_table_without_ids_or_titles_is_told(table, called, capsys, row, found):
    table("texts.csv", [{"abstract": TEXT * 2, **row}] * 2)
    assert init("mine", "--system", "discofuse", "--source", "texts.csv") == 0
    assert f"texts.csv: prose, read as table ({found}): corpus/texts\n" in capsys.readouterr().out


def test_a_hint_can_be_pasted_as_it_is_printed(table, called, capsys):
    columns = ["Zusammenfassung (EN)", "Volltext"]
    table("a.csv", [dict.fromkeys(columns, TEXT * 2)])
    table("b.csv", [{"{x}": TEXT * 2}])
    given = ["--system", "discofuse", "--source", "a.csv"]
    assert init("mine", *given) == 1
    said = capsys.readouterr().err.rstrip()
    hint = said.partition("say which: ")[2]
    assert hint == "--column 'text=Zusammenfassung (EN)'"
    assert init("mine", *given, *shlex.split(hint)) == 0
    given += ["--source", "b.csv"]
    assert init("other", *given, "--column", "text={x}") == 1
    assert "Say --column 'a.text={x}' or --column 'b.text={x}'" in capsys.readouterr().err


def test_servers_of_the_caller_are_not_passed_on(table, called, monkeypatch):
    for name in ("SILVERLOOM_DAGSTER_POSTGRES", "MLFLOW_TRACKING_URI"):
        monkeypatch.setenv(name, "postgresql://db.example.org/loom")
    assert init("mine", "--system", "discofuse", "--source", "texts.csv") == 0
    (render,) = [program for program in called if program.words[-1] == "render"]
    assert not {"SILVERLOOM_DAGSTER_POSTGRES", "MLFLOW_TRACKING_URI"} & render.env.keys()


def test_a_folder_is_copied_and_tracked_if_that_is_asked_for(table, called):
    arguments = ["--system", "discofuse", "--source", str(SAMPLE / "prose/encyclopedia")]
    assert init("mine", *arguments, "--copy") == 0
    assert params()["sources"]["prose"]["encyclopedia"]["path"] == "corpus/encyclopedia"
    assert any(Path("mine/corpus/encyclopedia").iterdir())
    assert [program.words[-3:] for program in called if "add" in program.words] == [
        ["add", "-q", "corpus/encyclopedia"]
    ]


def test_papers_are_named_as_such_and_become_prose_once(table, called, capsys):
    papers = [SAMPLE / "papers" / name for name in ("text", "scirex")]
    given = [word for folder in papers for word in ("--source", f"papers={folder}")]
    assert init("mine", "--system", "discofuse", *given) == 0, capsys.readouterr()
    sources = params()["sources"]
    assert {name: source["kind"] for name, source in sources["papers"].items()} == {
        "text": "plain_text",
        "scirex": "scirex",
    }
    assert sources["prose"] == {"text": {"dataset": "sources/papers", "domain": "text"}}


def test_options_name_one_of_several_sources(table, called, capsys):
    table("a.csv", [{"one": TEXT * 2, "two": TEXT * 2}])
    table("b.csv", [{"body": TEXT * 2, "two": TEXT * 2}])
    given = ["--system", "discofuse", "--source", "a.csv", "--source", "b.csv"]
    assert init("mine", *given) == 1
    assert capsys.readouterr().err.rstrip().endswith("say which: --column a.text=one")
    assert init("mine", *given, "--column", "text=two") == 1
    assert capsys.readouterr().err == (
        "error: --column text=two: which source is meant? Say --column a.text=two or --column b.text=two\n"
    )
    assert init("mine", *given, "--kind", "c=table") == 1
    assert capsys.readouterr().err == "error: --kind c=table: there is no source c; there are: a, b\n"
    assert init("mine", *given, "--column", "a.text=one", "--column", "b.text=body", "--kind", "a=table") == 0
    assert {name: source["fields"]["text"] for name, source in params()["sources"]["prose"].items()} == {
        "a": "one",
        "b": "body",
    }


def test_sources_of_several_kinds_are_named_by_their_records_too(table, called, capsys):
    given = [f"papers={SAMPLE / 'papers/text'}", f"talks={SAMPLE / 'talks'}"]
    words = [word for source in given for word in ("--source", source)]
    assert init("mine", "--system", "talksumm", *words, "--kind", "papers=pdf") == 1
    assert "text: the kind 'pdf' does not read its first files" in capsys.readouterr().err
    assert init("mine", "--system", "talksumm", *words, "--kind", "papers=plain_text") == 0
    place = os.path.relpath(SAMPLE / "talks", "mine")
    assert f"talks: talks, read as transcripts: {place}" in capsys.readouterr().out
    assert params()["sources"]["talks"]["talks"] == {
        "kind": "transcripts",
        "path": place,
        "licence": "LicenseRef-unknown",
    }


def test_a_project_without_pages_is_told_that_it_makes_no_examples(table, called, tmp_path, capsys):
    for name, text in (
        ("articles/tane.wikitext", "'''Tane''' is a river."),
        ("pages/tane.html", "<p>A river.</p>"),
    ):
        (tmp_path / "here" / name).parent.mkdir()
        (tmp_path / "here" / name).write_text(text)
    line = "every article is dropped as no_reference and there are no examples; add --source web_pages=PATH\n"
    assert init("mine", "--system", "wikisum", "--source", "articles") == 0
    assert line in capsys.readouterr().out
    shutil.rmtree("mine")
    assert init("mine", "--system", "wikisum", "--source", "articles", "--source", "pages") == 0
    assert "no_reference" not in capsys.readouterr().out
    assert params()["sources"]["web_pages"]["pages"]["kind"] == "html"


def test_a_folder_of_papers_and_citing_sentences_is_a_source_of_both(table, called, tmp_path, capsys):
    folder = tmp_path / "here/acl"
    for name in ("papers/cl_scisumm", "citing_sentences"):
        shutil.copytree(SAMPLE / name, folder, dirs_exist_ok=True)
    wanted = {
        records: {"acl": {"kind": kind, "path": "../acl", "licence": "MIT"}}
        for records, kind in (("papers", "cl_scisumm"), ("passages", "citing_sentences"))
    }
    options = ["--system", "parasci", "--licence", "acl=MIT"]
    assert init("once", *options, "--source", "acl") == 0
    assert params("once")["sources"] == wanted
    assert init("named", *options, "--source", "papers=acl", "--source", "passages=acl") == 0
    assert params("named")["sources"] == wanted
    assert init("mixed", *options, "--source", "acl", "--source", "passages=acl") == 0
    assert params("mixed")["sources"] == wanted
    called.clear()
    assert init("copied", *options, "--source", "acl", "--copy") == 0
    assert [call.words[3:] for call in called if "add" in call.words] == [["add", "-q", "corpus/acl"]]
    capsys.readouterr()
    assert init("twice", *options, "--source", "acl", "--source", "acl") == 1
    assert capsys.readouterr().err == f"error: {folder} is given twice\n"


@pytest.mark.parametrize("pages", ["web_pages=pages", "pages"])
def test_each_source_has_its_licence_and_pages_no_one_elses(table, called, tmp_path, capsys, pages):
    for name, text in (
        ("articles", "''Tane'' is a river."),
        ("pages", "<html><body><p>It is a river.</p></body></html>"),
    ):
        (tmp_path / "here" / name).mkdir(parents=True)
        (tmp_path / "here" / name / ("tane.wikitext" if name == "articles" else "tane.html")).write_text(text)
    given = ["--system", "wikisum", "--source", "articles", "--source", pages]
    assert init("mine", *given, "--licence", "MIT", "--attribution", "A. Author") == 0
    assert "attribution" not in params()["sources"]["web_pages"]["pages"]
    assert (
        "licence of pages: unknown, so no release has it or what is made from it; say --licence pages=LICENCE"
        in capsys.readouterr().out
    )
    sources = params()["sources"]
    assert (sources["articles"]["articles"]["licence"], sources["web_pages"]["pages"]["licence"]) == (
        "MIT", "LicenseRef-unknown",
    )  # fmt: skip
    shutil.rmtree("mine")
    assert init("mine", *given, "--licence", "web_pages=CC0-1.0", "--licence", "MIT") == 0
    sources = params()["sources"]
    assert (sources["articles"]["articles"]["licence"], sources["web_pages"]["pages"]["licence"]) == (
        "MIT",
        "CC0-1.0",
    )
    shutil.rmtree("mine")
    assert init("mine", *given, "--licence", "else=MIT") == 1
    assert "--licence else=MIT: there is no source else" in capsys.readouterr().err


def test_a_failure_removes_what_was_made_and_nothing_else(table, called, tmp_path, capsys):
    table("two.csv", [{"one": TEXT * 2, "two": TEXT * 2}])
    failing = ["--system", "discofuse", "--source", str(tmp_path / "here/two.csv")]
    assert init("deep/er/mine", *failing) == 1
    assert not (tmp_path / "here/deep").exists()
    (tmp_path / "here/deep").mkdir()
    assert init("deep/er/mine", *failing) == 1
    assert [*(tmp_path / "here/deep").iterdir()] == []
    os.chdir("deep")
    before = Path().stat().st_ino
    assert init(".", *failing) == 1
    assert Path("../deep").stat().st_ino == before and not any(Path("../deep").iterdir())


def test_the_project_around_the_working_directory_does_not_matter(table, tmp_path):
    here = tmp_path / "here"
    (here / ".dvc").mkdir()
    (here / "params.yaml").write_text("partitions: {every: decade}\nsources: [\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\necho no repository today >&2; exit 3\n")
    (tmp_path / "bin/git").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(checkout()),
    }
    words = ["init", "mine", "--system", "discofuse", "--source", "texts.csv"]
    ended = subprocess.run(
        [sys.executable, "-m", "silverloom", *words],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert re.fullmatch("error: `git init -q` failed: no repository today\n", ended.stderr)
