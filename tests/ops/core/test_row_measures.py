"""Measures equal what plain Python computes row by row."""

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.assets.declare.expectations import OF_COLUMNS, OF_FIELDS
from silverloom.ops.core.row_measures import FUNCTION_WORDS, LEAST_SHARE, LEAST_WORDS, measured

WORD = pa.struct([("text", pa.string()), ("start", pa.float64())])
TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ITEMS = st.fixed_dictionaries({"text": TEXTS, "start": st.none() | st.integers(-3, 3).map(float)})


def of(values, name, kind=None):
    """A column in two chunks, one of them a slice."""
    column, whole = name.partition(".")[0], pa.array(values, kind)
    half = len(values) // 2
    chunks = pa.chunked_array([whole.slice(0, half), whole.slice(half)], whole.type)
    return measured(pa.table({column: chunks}), name).to_pylist()


def each(function, values):
    return [None if value is None else function(value) for value in values]


@given(st.lists(TEXTS))
def test_measures_of_texts(texts):
    kind = pa.string()
    assert of(texts, "t", kind) == texts
    assert of(texts, "t.characters", kind) == each(len, texts)
    assert of(texts, "t.words", kind) == each(lambda text: len(text.split()), texts)
    assert of(texts, "t.control_characters", kind) == each(control, texts)


def control(text):
    return sum(
        sign == "\ufffd" or (ord(sign) < 32 and sign not in "\t\n\r") or 127 <= ord(sign) < 160
        for sign in text
    )


@given(st.lists(st.none() | st.lists(ITEMS, max_size=5)))
def test_measures_of_lists(rows):
    kind = pa.list_(WORD)

    def items(field):
        return [[dataset[field] for dataset in row or ()] for row in rows]

    def known(field):
        return [[value for value in row if value is not None] for row in items(field)]

    def descents(row):
        pairs = pairwise(row)
        return sum(one is not None and other is not None and other < one for one, other in pairs)

    assert of(rows, "w.length", kind) == each(len, rows)
    assert of(rows, "w.text.missing", kind) == [row.count(None) for row in items("text")]
    assert of(rows, "w.text.empty", kind) == [
        sum(not value or not value.split() for value in row) for row in items("text")
    ]
    assert of(rows, "w.text.longest", kind) == [max(map(len, row), default=None) for row in known("text")]
    assert of(rows, "w.text.repeats", kind) == [len(row) - len(set(row)) for row in items("text")]
    assert of(rows, "w.text.control_characters", kind) == [sum(map(control, row)) for row in known("text")]
    assert of(rows, "w.start.least", kind) == [min(row, default=None) for row in known("start")]
    assert of(rows, "w.start.greatest", kind) == [max(row, default=None) for row in known("start")]
    assert of(rows, "w.start.descents", kind) == [descents(row) for row in items("start")]
    assert of([row and [1, 2] for row in rows], "n.items.greatest", pa.list_(pa.int32())) == [
        2 if row else None for row in rows
    ]


@pytest.mark.parametrize("name", sorted(OF_COLUMNS - {"length"}))
def test_every_text_measure_that_may_be_named_also_exists_without_rows(name):
    assert of([], f"t.{name}", pa.string()) == []
    assert len(of(["a"], f"t.{name}")) == 1


@pytest.mark.parametrize("name", sorted(OF_FIELDS))
def test_every_field_measure_that_may_be_named_also_exists_without_rows(name):
    field = "start" if name in ("least", "greatest", "descents") else "text"
    assert of([], f"w.{field}.{name}", pa.list_(WORD)) == []
    assert len(of([[{"text": "a", "start": 1.0}]], f"w.{field}.{name}")) == 1


ENGLISH = [
    "We estimate the difficulty of every example with a simple regression over its length, and a second pass "
    "removes the examples on which two annotators did not agree at all.",
    "Labelling 500 sentences takes 12.5 hours.",
    "BERT RoBERTa GPT-2 T5 BART",
    "Lexical chains alone find 45 %, and questions alone 52 %.",
    "",
]
FOREIGN = [
    "Die Ergebnisse zeigen, dass das vorgeschlagene Verfahren die Fehlerrate auf allen drei Datensätzen deutlich senkt "
    "und in der Praxis leicht anzuwenden ist.",
    "Les résultats montrent que la méthode proposée réduit nettement le taux d'erreur sur les trois jeux de données et "
    "reste facile à appliquer.",
    "Los resultados muestran que el método propuesto reduce claramente la tasa de error en los tres conjuntos de datos y es fácil de aplicar.",
    "Результаты показывают, что предложенный метод заметно снижает долю ошибок на всех трёх наборах данных и легко "
    "применяется на практике, чего раньше никто не показал.",
    "结果表明所提出的方法显著降低了三个数据集上的错误率并且易于应用于实践之中" * 8,
]


def test_other_languages_are_detected_and_short_texts_raise_no_alarm():
    assert of(ENGLISH, "t.foreign") == [0] * len(ENGLISH)
    assert of(FOREIGN, "t.foreign") == [1] * len(FOREIGN)
    assert of([text[:60] for text in FOREIGN], "t.foreign") == [0] * len(FOREIGN)


def test_the_words_of_a_list_are_taken_together():
    rows = [[{"text": word} for word in text.split()] for text in (ENGLISH[0], FOREIGN[0])]
    assert of(rows, "w.text.foreign") == [0, 1]


def test_the_lowest_share_of_function_words_is_not_a_fault():
    words = ["silver"] * (LEAST_WORDS - 1)
    assert 1 / LEAST_WORDS == LEAST_SHARE
    assert of([" ".join([*words, FUNCTION_WORDS[0]]), " ".join([*words, "gold"])], "t.foreign") == [0, 1]
