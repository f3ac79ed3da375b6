"""Human evaluation: samples, exporting and importing sheets, votes and agreement."""

import csv
import io
import json
import random
from collections import Counter
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from silverloom.ops.core.sampling import sample
from silverloom.ops.evaluation.agreement import against_the_others, cohen_kappa, majority, means, pairwise
from silverloom.ops.evaluation.answers import parse_answers, validate
from silverloom.ops.evaluation.questionnaire import Question, Questionnaire, Scale
from silverloom.ops.evaluation.sheets import (
    csv_sheet,
    guarded,
    label_studio_config,
    label_studio_tasks,
    unguarded,
)
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import Raw
from silverloom.ops.talksumm.evaluation.people import OF_SENTENCES, OF_SUMMARIES, QUALITY

BOTH = Questionnaire(
    name="both",
    shown=("paper_title", "text"),
    questions=(*OF_SENTENCES.questions, *OF_SUMMARIES.questions),
)


def rows(*texts):
    return pa.table(
        {
            "id": [f"row-{number}" for number in range(len(texts))],
            "licence": ["CC0-1.0"] * len(texts),
            "paper_title": [None] * len(texts),
            "text": list(texts),
        }
    )


def record(content, path="ann.csv"):
    raw = Raw(path, path, content if isinstance(content, bytes) else content.encode())
    return Record(record_id("raters", raw), "raters", "rating_sheets", "CC-BY-4.0", "2018-06", raw)


def answers(*contents):
    found = parse_answers([record(content, path) for path, content in contents])
    assert found.rejected.num_rows == 0, found.rejected["error"].to_pylist()
    return found.kept


def cells_of(sheet):
    return list(csv.reader(io.StringIO(sheet.decode("utf-8-sig"), newline="")))


def written(cells, delimiter=","):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(cells)
    return text.getvalue().encode()


def filled(sheet, answer):
    head, *body = cells_of(sheet)
    for line in body:
        for place, name in enumerate(head):
            if name.startswith("answer: "):
                line[place] = answer(line[2], name.removeprefix("answer: "))
    return [head, *body]


def exported(content, answer, completed_by=1):
    """Label Studio's export of tasks that one person has answered."""
    found = []
    for number, task in enumerate(json.loads(content)):
        given = {question: answer(task["data"]["row_id"], question) for question in ("considered", "quality")}
        result = [
            {
                "id": question,
                "from_name": question,
                "to_name": "text",
                "type": "choices",
                "value": {"choices": [value]},
            }
            for question, value in given.items()
        ]
        annotation = {"id": number, "completed_by": completed_by, "was_cancelled": False, "result": result}
        found.append({"id": number, **task, "annotations": [annotation], "predictions": []})
    return json.dumps(found)


# Samples


TABLES = st.lists(st.sampled_from(["x", "y", None]), max_size=30).map(
    lambda kinds: pa.table({"id": [f"r{n}" for n in range(len(kinds))], "kind": pa.array(kinds, pa.string())})
)


@given(TABLES, st.integers(0, 35), st.integers(), st.randoms())
def test_a_sample_does_not_depend_on_order_and_keeps_its_quotas(table, size, seed, rand):
    found = sample(table, size, seed, ["kind"])
    moved = table.take(pa.array(rand.sample(range(table.num_rows), table.num_rows), pa.int64()))
    assert sample(moved, size, seed, ["kind"]) == found
    assert found.num_rows == min(size, table.num_rows) == len(set(found["id"].to_pylist()))
    sizes, taken = Counter(table["kind"].to_pylist()), Counter(found["kind"].to_pylist())
    for kind, count in sizes.items():
        assert abs(taken[kind] - found.num_rows * count / table.num_rows) < 1


def test_a_larger_sample_or_another_corpus_keeps_the_rows_of_a_stratum():
    table = rows(*"abcdefgh")
    small, large = (set(sample(table, size, 0)["id"].to_pylist()) for size in (3, 6))
    assert small < large
    assert {tuple(sample(table, 3, seed)["id"].to_pylist()) for seed in range(9)} != {tuple(sorted(small))}
    with pytest.raises(ValueError, match="needs one of its own"):
        sample(pa.concat_tables([table, table]), 3, 0)


# Questionnaires


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("3", "3"),
        (" 3 (Good) ", "3"),
        ("3.0", "3"),
        ("2", "2"),
        ("6", None),
        ("good", None),
        ("3.5", None),
        ("", None),
    ],
)
def test_a_scale_interprets_answers(answer, value):
    assert QUALITY.value_of(answer) == value


def test_a_questionnaire_has_no_duplicates():
    with pytest.raises(ValueError, match=r"found twice: \['text'\]"):
        Questionnaire(name="q", shown=("text",), questions=(Question(name="text", text="?", scale=QUALITY),))
    with pytest.raises(ValueError, match="different words"):
        Scale(values=("yes", "yes"))
    with pytest.raises(ValueError, match="labels of values"):
        Scale(values=("yes", "no"), labels={"maybe": "?"})


# Sheets


def test_a_sheet_has_the_rows_in_the_raters_own_order_with_the_allowed_values():
    table = rows(*"abcdefgh")
    head, *body = cells_of(csv_sheet(table, OF_SUMMARIES, "ann", 0))
    assert head[:5] == ["questionnaire", "rater", "row_id", "paper_title", "text"]
    wording = "What is the quality of the summary? [1 (very bad) | 2 | 3 (good) | 4 | 5 (excellent)]"
    assert {tuple(line[5:]) for line in body} == {(wording, "")}
    assert sorted(line[2] for line in body) == table["id"].to_pylist()
    others = {
        tuple(line[2] for line in cells_of(csv_sheet(table, OF_SUMMARIES, *key)))
        for key in [("ann", 0), ("bob", 0), ("ann", 1)]
    }
    assert len(others) == 3
    assert csv_sheet(table.take([3, 1, 0, 2, 4, 5, 6, 7]), OF_SUMMARIES, "ann", 0) == csv_sheet(
        table, OF_SUMMARIES, "ann", 0
    )


@given(st.text())
def test_no_cell_starts_like_a_formula_and_every_text_is_read_back(text):
    assert not guarded(text).startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert unguarded(guarded(text)) == text


TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("=+-@'\n\t,;\""), max_size=8),
    min_size=1,
    max_size=5,
)


@given(TEXTS, st.sampled_from(",;\t"), st.integers())
def test_a_filled_sheet_is_read_back_as_it_was_filled(texts, delimiter, seed):
    table, pick = rows(*texts), random.Random(seed)
    given = {
        (row, q.name): pick.choice(q.scale.values) for row in table["id"].to_pylist() for q in BOTH.questions
    }
    sheet = written(filled(csv_sheet(table, BOTH, "ann", 0), lambda *key: given[key]), delimiter)
    json_export = exported(label_studio_tasks(table, BOTH, "bob", 0), lambda *key: given[key])
    found = validate(answers(("a.csv", sheet), ("b.json", json_export)), table, BOTH)
    assert found.rejected.num_rows == 0, found.rejected["error"].to_pylist()
    for rater in ("ann", "bob"):
        assert given == {
            (row["row_id"], row["question"]): row["value"]
            for row in found.kept.to_pylist()
            if row["rater"] == rater
        }
    assert set(found.kept["licence"].to_pylist()) == {"CC-BY-4.0 AND CC0-1.0"}


def test_the_configuration_of_label_studio_asks_every_question_of_the_data_in_the_tasks():
    view = ElementTree.fromstring(label_studio_config(BOTH))
    data = json.loads(label_studio_tasks(rows("a"), BOTH, "ann", 0))[0]["data"]
    assert data == {
        "questionnaire": "both",
        "rater": "ann",
        "row_id": "row-0",
        "paper_title": "",
        "text": "a",
    }
    assert {text.get("value") for text in view.iter("Text")} == {"$paper_title", "$text"}
    choices = {each.get("name"): [c.get("alias") for c in each] for each in view.iter("Choices")}
    assert choices == {"considered": ["yes", "no"], "quality": list("12345")}
    assert {each.get("toName") for each in view.iter("Choices")} <= {
        each.get("name") for each in view.iter("Text")
    }


def test_if_a_task_names_no_rater_its_annotator_is_the_rater_and_cancelled_ones_do_not_count():
    found = json.loads(exported(label_studio_tasks(rows("a"), BOTH, "ann", 0), lambda *_: "yes"))
    found[0]["data"]["rater"] = ""
    found[0]["annotations"].append(
        {**found[0]["annotations"][0], "completed_by": {"id": 3, "email": "x@example.org"}}
    )
    found[0]["annotations"].append({**found[0]["annotations"][0], "was_cancelled": True, "completed_by": 9})
    told = answers(("a.json", json.dumps(found)))
    assert set(told["rater"].to_pylist()) == {"user 1", "user x@example.org"}


def edit(line, column, value):
    def change(cells):
        cells[line][cells[0].index(column)] = value
        return cells

    return change


@pytest.mark.parametrize(
    ("change", "causes"),
    [
        (edit(1, "row_id", "row-9"), ["ann.csv, line 2: row 'row-9', question 'quality': no such row was sent out"]),
        (edit(0, "answer: quality", "answer: taste"), ["question 'taste': no such question; known: quality"] * 2),
        (edit(1, "answer: quality", "7"), ["ann.csv, line 2: row 'row-0', question 'quality': '7' is none of 1, 2, 3, 4, 5"]),
        (edit(1, "answer: quality", " "), ["line 2: row 'row-0', question 'quality': no answer"]),
        (edit(1, "text", "b"), ["the text in column text is not the one that was sent out"]),
        (edit(1, "rater", ""), ["it names no rater"]),
        (edit(1, "questionnaire", "x"), ["the questionnaire is 'x', expected 'talksumm_summaries'"]),
        (lambda cells: [*cells, cells[1]], ["line 4: row 'row-0', question 'quality': ann has answered it already: raters/ann.csv, line 2"]),
        (lambda cells: cells, []),
    ],
)  # fmt: skip
def test_an_invalid_answer_is_rejected_with_file_row_and_cause_and_the_others_stay(change, causes):
    table = rows("=SUM(1)", "b c")
    cells = filled(csv_sheet(table, OF_SUMMARIES, "ann", 0), lambda *_: "4")
    cells = [cells[0], *sorted(cells[1:], key=lambda line: line[2])]
    told = answers(("ann.csv", written(change(cells))))
    found = validate(told, table, OF_SUMMARIES)
    errors = found.rejected["error"].to_pylist()
    assert len(errors) == len(causes)
    assert all(
        cause in error and error.startswith("raters/ann.csv, ")
        for cause, error in zip(causes, errors, strict=True)
    )
    assert found.kept.num_rows == told.num_rows - len(causes)


@pytest.mark.parametrize(
    ("path", "content", "cause"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"\xff\xfea", "not UTF-8: it is in UTF-16"),
        ("a.csv", b"a,b\n", "line 1: the header has no column questionnaire, rater, row_id"),
        (
            "a.csv",
            b"questionnaire,rater,row_id\n",
            "line 1: the header has no column that begins with 'answer: '",
        ),
        (
            "a.csv",
            b"questionnaire,rater,row_id,row_id,answer: q\n",
            "line 1: the header has the column row_id twice",
        ),
        ("a.csv", b"questionnaire,rater,row_id,answer: q\n", "no answer in it"),
        ("a.csv", b"questionnaire,rater,row_id,answer: q\na,b\n", "line 2: 2 columns where the header has 4"),
        ("a.csv", b'questionnaire,rater,row_id,answer: q\n"a', "line 2: not CSV: unexpected end of data"),
        ("a.json", b"{", "malformed JSON"),
        ("a.json", b'[], "tasks": []', "malformed JSON: Extra data (line 1, column 3)"),
        ("a.json", b'[{"data": {"a": 1, "a": 2}}]', "malformed JSON: the key 'a' occurs twice"),
        ("a.json", b"[" * 100_000, "JSON nested too deeply"),
        (
            "a.csv",
            b"questionnaire,rater,row_id,answer: q," + b",".join(b"c%d" % n for n in range(300_000)),
            "no answer in it",
        ),
        (
            "a.csv",
            b"questionnaire,rater,row_id,text,"
            + b",".join(b"answer: %d" % n for n in range(2000))
            + b"\na,b,c,"
            + b"x" * 100_000
            + b"," * 2000,
            "its answers repeat what they show to more than",
        ),
        ("a.json", b"{}", "expected a list of tasks, found an object"),
        ("a.json", b"[1]", "task 1: needs an object `data` and a list `annotations`"),
        ("a.json", b'[{"data": {}, "annotations": [{}]}]', "task 1: an annotation needs a list `result`"),
        (
            "a.json",
            b'[{"data": {}, "annotations": [{"result": [3]}]}]',
            "task 1: a result needs a text `from_name`",
        ),
    ],
)
def test_a_file_that_is_not_a_sheet_is_rejected_whole(path, content, cause):
    found = parse_answers([record(content, path)])
    assert found.kept.num_rows == 0
    assert found.rejected["error"].to_pylist()[0].startswith(f"raters/{path}: {cause}")


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("completed_by", {"completed_by": {"email": "a\ud800"}, "result": []}),
        ("completed_by", {"completed_by": "a\x1b", "result": []}),
        ("from_name", {"result": [{"from_name": "\udfff", "value": {"rating": 3}}]}),
        ("choices", {"result": [{"from_name": "a", "value": {"choices": ["\x00"]}}]}),
    ],
)
def test_a_value_in_an_export_that_is_not_text_rejects_only_that_file(place, content):
    good = json.dumps([{"data": {}, "annotations": [{"result": []}]}])
    bad = [{"data": {}, "annotations": [content]}]
    named = [{"data": {"\ud800": 1}, "annotations": [{"result": []}]}]
    pairs = ((good, "good.json"), (json.dumps(bad), f"{place}.json"), (json.dumps(named), "key.json"))
    found = parse_answers([record(text, path) for text, path in pairs])
    assert found.kept["file"].to_pylist() == ["raters/good.json"]
    assert found.rejected["path"].to_pylist() == [f"raters/{place}.json", "raters/key.json"]
    assert all("which is no text" in error for error in found.rejected["error"].to_pylist())


@given(
    st.sampled_from(["a.csv", "a.json"]),
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda t: f"questionnaire,rater,row_id,answer: q\n{t}".encode()),
)
def test_a_file_of_any_bytes_is_read_or_rejected(path, content):
    found = parse_answers([record(content, path)])
    assert (found.kept.num_rows > 0) != (found.rejected.num_rows == 1)


# Votes and agreement


def ratings(question, **by_rater):
    found = [
        (rater, f"r{row}", value)
        for rater, values in by_rater.items()
        for row, value in enumerate(values)
        if value != "."
    ]
    columns = dict(zip(("rater", "row_id", "value"), map(list, zip(*found, strict=True)), strict=True))
    return pa.table({"question": [question] * len(found), **columns})


VALUES = st.lists(st.tuples(*[st.sampled_from("123")] * 2), min_size=1, max_size=20)


@given(VALUES)
def test_kappa_equals_that_of_scikit_learn(pairs):
    one, other = map(list, zip(*pairs, strict=True))
    if len({*one, *other}) == 1:
        assert cohen_kappa(one, other) is None
    else:
        assert cohen_kappa(one, other) == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)


def test_kappa_by_hand_and_when_it_is_undefined():
    one, other = "y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    assert cohen_kappa(one, other) == pytest.approx(0.4)
    assert cohen_kappa([], []) is None
    with pytest.raises(ValueError, match="1 and 2 ratings"):
        cohen_kappa("a", "bc")


def test_the_majority_reports_its_votes_and_its_ties():
    found = majority(ratings("q", a="yyn", b="yn.", c="nn.")).to_pylist()
    assert [tuple(row.values()) for row in found] == [
        ("q", "r0", "y", 2, 3, False), ("q", "r1", "n", 2, 3, False), ("q", "r2", "n", 1, 1, False),
    ]  # fmt: skip
    (tied,) = majority(ratings("q", a="y", b="n")).to_pylist()
    assert (tied["value"], tied["votes"], tied["tie"]) == (None, 1, True)


def test_means_and_shares_equal_those_of_the_papers_table():
    found = means(ratings("quality", a="3455", b="4"), OF_SUMMARIES).to_pylist()
    assert (found[0]["value"], found[0]["ratings"], found[0]["mean"]) == (None, 5, pytest.approx(4.2))
    assert found[0]["deviation"] == pytest.approx(0.7**0.5)
    assert {row["value"]: row["share"] for row in found[1:]} == {"1": 0, "2": 0, "3": 0.2, "4": 0.4, "5": 0.4}
    table = ratings("considered", a=["yes", "no", "yes", "yes"])
    shares = means(table, OF_SENTENCES).to_pylist()
    assert [(row["value"], row["share"], row["mean"]) for row in shares] == [
        (None, 1, None), ("yes", 0.75, None), ("no", 0.25, None),
    ]  # fmt: skip


@given(
    st.lists(st.tuples(*[st.sampled_from("12.")] * 4), min_size=1, max_size=8).filter(
        lambda t: any("".join(x) != "...." for x in t)
    )
)
def test_each_rater_is_compared_with_the_majority_of_the_others(table):
    by_rater = dict(zip("abcd", zip(*table, strict=True), strict=True))
    for row in against_the_others(ratings("q", **by_rater)).to_pylist():
        pairs, rated = [], 0
        for line in table:
            votes = dict(zip("abcd", line, strict=True))
            own = votes.pop(row["rater"])
            rest = Counter(value for value in votes.values() if value != ".")
            rated += own != "."
            if own != "." and rest and list(rest.values()).count(max(rest.values())) == 1:
                pairs.append((own, max(rest, key=rest.get)))
        assert (row["rows"], row["left_out"]) == (len(pairs), rated - len(pairs))
        assert row["kappa"] == cohen_kappa([a for a, _ in pairs], [b for _, b in pairs])


def test_two_raters_agree_on_what_both_rated():
    found = pairwise(ratings("q", a="yny.", b="ynny", c="...y")).to_pylist()
    told = {(row["rater"], row["other"]): (row["rows"], row["left_out"], row["observed"]) for row in found}
    assert told == {
        ("a", "b"): (3, 0, pytest.approx(2 / 3)),
        ("a", "c"): (0, 3, None),
        ("b", "c"): (1, 3, 1.0),
    }


def test_a_duplicate_rater_is_refused():
    twice = pa.concat_tables([ratings("q", a="y")] * 2)
    with pytest.raises(ValueError, match="a rates row 'r0', question 'q' twice"):
        majority(twice)
