"""A suite that a user edits with Great Expectations' own API is part of its dataset's checks."""

import dataclasses
import json

import great_expectations as gx
import great_expectations.expectations as gxe
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from great_expectations.expectations.row_conditions import Column

from silverloom.assets.declare.own_suites import own_suite, plugins_version
from silverloom.ops.core.outcome import Shape, columns
from silverloom.orchestration.checks.validate import validate

SHAPE = Shape(
    unit=columns(("path", pa.string())),
    kept=columns(("title", pa.string()), ("score", pa.float64())),
)


@pytest.fixture
def suite(tmp_path):
    """The suite of a dataset in a new file context."""
    context = gx.get_context(mode="file", project_root_dir=tmp_path)
    return context.suites.add(gx.ExpectationSuite("toy.texts"))


def read(root):
    return own_suite(root, "toy", "texts", SHAPE)


def test_what_great_expectations_stores_is_read(suite, tmp_path):
    suite.add_expectation(
        gxe.ExpectColumnValuesToBeBetween(column="score", min_value=0.5, severity="warning")
    )
    suite.add_expectation(
        gxe.ExpectColumnValuesToMatchRegex(column="title", regex="^A", description="starts with A")
    )
    first, second = read(tmp_path)
    assert (first.name, first.severity, first.table) == (
        "values to be between (column=score, min_value=0.5)", "warning", "kept"
    )  # fmt: skip
    assert (second.name, second.severity) == ("starts with A", "error"), "critical is the default"


def test_no_suite_adds_nothing(tmp_path):
    assert read(tmp_path) == ()


def test_a_suite_in_yaml_is_read_beside_that_of_great_expectations(suite, tmp_path):
    suite.add_expectation(gxe.ExpectColumnValuesToBeBetween(column="score", min_value=0.5))
    path = tmp_path / "gx/expectations/toy/texts.yaml"
    path.write_text(
        "expectations:\n"
        "  - type: expect_column_values_to_match_regex\n"
        "    kwargs: {column: title, regex: ^A}\n"
        "    severity: warning\n"
    )
    both = [(one.type, one.severity) for one in read(tmp_path)]
    assert both[1] == ("expect_column_values_to_match_regex", "warning") and len(both) == 2
    context = gx.get_context(mode="file", project_root_dir=tmp_path)
    assert [one.name for one in context.suites.all()] == ["toy.texts"], "Great Expectations ignores it"
    path.write_text("expectations: [")
    with pytest.raises(ValueError, match=r"gx/expectations/toy/texts\.yaml: line "):
        read(tmp_path)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("{", "gx/expectations/toy/texts.json: Expecting property name"),
        ('{"expectations": [{"kwargs": {}}]}', "gx/expectations/toy/texts.json: expectations.0.type: Field required"),
        (
            json.dumps({"expectations": [{"type": "expect_column_values_to_be_null", "kwargs": {"column": "no"}}]}),
            "gx/expectations/toy/texts.json: .*kept rows have no column or measure no",
        ),
    ],
)  # fmt: skip
def test_a_wrong_suite_is_an_error_that_names_the_file(tmp_path, content, cause):
    (tmp_path / "gx/expectations/toy").mkdir(parents=True)
    (tmp_path / "gx/expectations/toy/texts.json").write_text(content)
    with pytest.raises((ValueError, LookupError), match=cause):
        read(tmp_path)


def test_expectations_of_a_whole_table_and_with_conditions_get_all_columns(suite, tmp_path):
    rows = pa.table({"title": ["Ann", "Bob"], "score": [0.9, 0.1]})
    pq.write_table(rows, tmp_path / "kept-00000.parquet")
    suite.add_expectation(gxe.ExpectTableRowCountToBeBetween(min_value=2, max_value=2))
    suite.add_expectation(gxe.ExpectTableColumnsToMatchSet(column_set=["title", "score"]))
    suite.add_expectation(gxe.ExpectColumnMeanToBeBetween(column="score", max_value=0.4))
    suite.add_expectation(
        gxe.ExpectColumnValuesToBeBetween(
            column="score", min_value=0.5, row_condition='title == "Ann"', condition_parser="pandas"
        )
    )
    suite.add_expectation(
        gxe.ExpectColumnValuesToBeBetween(
            column="title.characters", min_value=4, row_condition=Column("score") < 0.5
        )
    )
    *results, of_measure = validate(tmp_path, read(tmp_path), {}, "2018-06").results
    assert (of_measure.described, of_measure.rows) == ("violated in 1 rows (3)", [1])
    assert {result.expectation.type: result.passed for result in results} == {
        "expect_table_row_count_to_be_between": True,
        "expect_table_columns_to_match_set": True,
        "expect_column_mean_to_be_between": False,
        "expect_column_values_to_be_between": True,
    }, [result.described for result in results]


def test_an_own_expectation_must_not_have_the_name_of_a_declared_one(tmp_workspace, monkeypatch):
    monkeypatch.setattr("silverloom.assets.declare.declaration.folder_of_params", lambda: tmp_workspace.root)
    dataset = dataclasses.replace(tmp_workspace.datasets["talksumm/pairs"])
    declared = next(one for one in dataset.expectations if one.table == "kept")
    path = tmp_workspace.root / "gx/expectations/talksumm/pairs.json"
    path.parent.mkdir(parents=True)
    asked = {"type": declared.type, "kwargs": dict(declared.arguments), "description": declared.name}
    path.write_text(json.dumps({"expectations": [asked]}))
    with pytest.raises(ValueError, match="talksumm/pairs with its suite in gx/expectations: expected twice"):
        _ = dataset.suite
    path.write_text(json.dumps({"expectations": [asked | {"description": "mine"}]}))
    assert dataset.suite[-1].name == "mine"


PLUGIN = """
from great_expectations.expectations import ExpectColumnValuesToBeInSet

class ExpectColumnValuesToBeABCVowels(ExpectColumnValuesToBeInSet):
    value_set: list = ["a", "e"]
"""


def test_a_type_of_the_users_own_is_a_class_in_plugins(tmp_path, monkeypatch):
    monkeypatch.setattr("silverloom.orchestration.checks.evaluate.folder_of_params", lambda: tmp_path)
    (tmp_path / "gx/plugins").mkdir(parents=True)
    assert plugins_version(tmp_path) == ""
    (tmp_path / "gx/plugins/statistics.py").write_text(PLUGIN)
    (tmp_path / "gx/expectations/toy").mkdir(parents=True)
    asked = {"type": "expect_column_values_to_be_abc_vowels", "kwargs": {"column": "title"}}
    (tmp_path / "gx/expectations/toy/texts.json").write_text(json.dumps({"expectations": [asked]}))
    pq.write_table(pa.table({"title": ["a", "b"]}), tmp_path / "kept-00000.parquet")
    (result,) = validate(tmp_path, read(tmp_path), {}, "2018-06").results
    assert (result.passed, result.unexpected, result.rows) == (False, 1, [1]), result.described
    former = plugins_version(tmp_path)
    (tmp_path / "gx/plugins/statistics.py").write_text(PLUGIN.replace('"a", ', ""))
    assert plugins_version(tmp_path) != former != ""
