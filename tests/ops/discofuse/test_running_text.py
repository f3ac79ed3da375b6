"""The roles of a row's columns determine its running text, whatever the dataset's name."""

import pyarrow as pa
import pytest

from silverloom.ops.core.outcome import TEXT, columns
from silverloom.ops.discofuse.running_text import RunningText
from silverloom.ops.discofuse.schemas import ANNOTATED
from silverloom.ops.parse.schemas import ARTICLES, CITATIONS, PAPERS, SENTENCES, WEB_PAGES
from silverloom.ops.talksumm.schemas import TALKS


def passages(shape, row):
    text = RunningText.of(shape.kept)
    return [
        (passage.paragraphs, passage.about)
        for passage in text.read({name: row[name] for name in text.columns})
    ]


def test_sentences_of_a_section_are_a_paragraph_and_the_full_text_column_is_not_read():
    sections = [{"title": "1 Rain", "role": "introduction"}, {"title": "2 Sun", "role": "other"}]
    sentences = [
        {"section": 0, "text": "It rained."},
        {"section": 0, "text": "We  stayed."},
        {"section": 1, "text": "It stopped."},
    ]
    row = {"text": "# Weather\n## 1 Rain\nIt rained.", "sections": sections, "sentences": sentences}
    assert passages(PAPERS, row) == [
        (["It rained. We stayed."], sections[0]),
        (["It stopped."], sections[1]),
    ]


def test_a_text_is_divided_into_its_passages():
    text = "The Tane flows.\n\nIt is long.\n\nSalmon came."
    sections = [
        {"title": "", "level": 1, "start": 0, "end": 28},
        {"title": "Mills", "level": 2, "start": 30, "end": 30},
        {"title": "Fish", "level": 2, "start": 30, "end": 42},
    ]
    assert passages(ARTICLES, {"text": text, "holes": [], "sections": sections}) == [
        (["The Tane flows.", "It is long."], sections[0]),
        ([], sections[1]),
        (["Salmon came."], sections[2]),
    ]
    paragraphs = [{"start": 0, "end": 15, "boilerplate": 0.1}, {"start": 17, "end": 28, "boilerplate": 0.9}]
    assert passages(WEB_PAGES, {"text": text, "paragraphs": paragraphs}) == [
        (["The Tane flows."], paragraphs[0]),
        (["It is long."], paragraphs[1]),
    ]


def test_a_transcript_is_one_paragraph_of_its_words():
    words = [
        {"text": word, "offset": 0, "start": None, "end": None} for word in ("so", "labels", "are\n", "dear")
    ]
    assert passages(TALKS, {"words": words}) == [(["so labels are dear"], {})]


@pytest.mark.parametrize("text", [None, "", " \n\n "])
def test_an_empty_text_has_no_paragraph(text):
    field = pa.field("body", pa.string(), metadata={"role": TEXT.name, "detail": ""})
    passages = RunningText.of(pa.schema([field])).read({"body": text})
    assert [paragraph for passage in passages for paragraph in passage.paragraphs] == []


def test_a_row_with_one_sentence_has_a_text_and_rows_of_names_only_have_none():
    assert RunningText.of(SENTENCES.kept).columns == ["text", "holes"]
    assert RunningText.of(CITATIONS.kept) is None
    assert RunningText.of(ANNOTATED.kept) is None
    assert RunningText.of(columns(("text", pa.string()))) is None, "the name of a column is no role"
