"""Rows of other datasets as prose."""

import pytest

from silverloom.ops.discofuse.sources import PROSE_FORMATS, RowChoice, RowProse, parse_prose
from silverloom.ops.parse.records import RowRecords
from silverloom.ops.parse.schemas import ARTICLES, CITATIONS, PAPERS, SENTENCES, WEB_PAGES
from silverloom.ops.parse.source import DatasetSource
from silverloom.ops.text.holes import HOLE
from tests.parts import parts

TEXT = "Home\n\nThe Tane flows. It is long."
PARAGRAPHS = [{"start": 0, "end": 4, "boilerplate": 0.9}, {"start": 6, "end": 33, "boilerplate": 0.1}]


def page(number, **values):
    blank = dict.fromkeys(WEB_PAGES.kept.names)
    known = {
        "id": f"page-{number}",
        "source_ids": [f"web/{number}"],
        "licence": "CC0-1.0",
        "language": "en",
        "language_distance": 500,
    }
    return {**blank, **known, "title": "Rivers", "text": TEXT, "paragraphs": PARAGRAPHS, **values}


def prose(tmp_path, *rows, max_bytes=2**20, **options):
    """Read rows of web pages as a source of prose; return the outcome."""
    source = DatasetSource(dataset="sources/web_pages", domain="web", max_bytes=max_bytes)
    pages = parts(tmp_path, WEB_PAGES.kept, rows)
    (part,) = RowRecords("web", source, "rows", RowProse(RowChoice(**options)), pages, "2018-06")
    return parse_prose(part)


def test_a_row_keeps_its_title_licence_and_month_and_is_named_as_the_source(tmp_path):
    outcome = prose(tmp_path, page(1, url="https://a.org"), page(2, title=None, licence="CC-BY-4.0"))
    first, second = outcome.kept.to_pylist()
    assert first["id"].startswith("prose-") and first["id"] != second["id"]
    del first["id"]
    assert first == {
        "source_ids": ["page-1"],
        "licence": "CC0-1.0",
        "document": "page-1",
        "title": "Rivers",
        "url": "https://a.org",
        "month": "2018-06",
        "domain": "web",
        "text": TEXT,
        "holes": [],
        "encoding": None,
    }
    assert (second["title"], second["url"], second["licence"]) == (None, None, "CC-BY-4.0")
    assert outcome.units.to_pylist() == ["page-1", "page-2"]


def test_rows_without_text_are_dropped_and_oversized_ones_rejected(tmp_path):
    outcome = prose(
        tmp_path, page(1, text="", paragraphs=[]), page(2, text="long " * 100, paragraphs=None), max_bytes=200
    )
    assert outcome.kept.num_rows == 0
    assert outcome.dropped.select(["id", "reason"]).to_pylist() == [{"id": "page-1", "reason": "no_text"}]
    (row,) = outcome.rejected.to_pylist()
    assert row["error"] == "web/page-2: larger than max_bytes = 200; it was not read"


def test_options_choose_rows_and_passages(tmp_path):
    rows = [
        page(1),
        page(2, language="de"),
        page(3, language=None),
        page(4, language_distance=1200),
        page(5, paragraphs=PARAGRAPHS[:1]),
    ]
    below = {"paragraphs.boilerplate": 0.5, "language_distance": 1200}
    outcome = prose(tmp_path, *rows, below=below, only={"language": ["en"]})
    assert [(row["document"], row["text"]) for row in outcome.kept.to_pylist()] == [
        ("page-1", "The Tane flows. It is long.")
    ]
    assert [
        (row["id"], row["reason"], row["score"], row["detail"]) for row in outcome.dropped.to_pylist()
    ] == [
        ("page-2", "language", None, "de"),
        ("page-3", "language", None, None),
        ("page-4", "language_distance", 1200, None),
        ("page-5", "no_text", None, None),
    ]
    assert prose(tmp_path / "without", page(1), without={"language": ["en", "fr"]}).kept.num_rows == 0


def read(tmp_path, shape, row):
    """Return text and holes of one row of another dataset, read as prose."""
    rows = [{**dict.fromkeys(shape.kept.names), "id": "row", "source_ids": ["x"], "licence": "MIT", **row}]
    source = DatasetSource(dataset="sources/any", max_bytes=2**20)
    (part,) = RowRecords("any", source, "rows", RowProse(), parts(tmp_path, shape.kept, rows), "2018-06")
    (row,) = parse_prose(part).kept.to_pylist()
    return row["text"], row["holes"]


def test_holes_of_an_articles_text_keep_their_places(tmp_path):
    text = "It was launched in. It is long.\n\nSalmon are."
    sections = [
        {"title": "", "level": 1, "start": 0, "end": 31},
        {"title": "x", "level": 2, "start": 33, "end": 44},
    ]
    row = {"text": text, "holes": [18, 43], "sections": sections}
    assert read(tmp_path, ARTICLES, row) == (text, [18, 43])


def test_holes_of_a_papers_sentences_stay_in_their_sentences(tmp_path):
    sentences = [
        {"position": place, "section": 0, "text": text, "holes": holes}
        for place, (text, holes) in enumerate([("It is.", 2), ("We ask.", 0), ("The value is.", 1)])
    ]
    row = {"sections": [{"title": "", "role": "abstract"}], "sentences": sentences}
    assert read(tmp_path, PAPERS, row) == ("It is. We ask. The value is.", [0, 0, 15])


def test_a_sentence_of_a_paper_is_prose_with_its_holes(tmp_path):
    row = {"paper_id": "p", "position": 0, "section": 0, "start": 0, "end": 9, "text": "It was.", "holes": 1}
    assert read(tmp_path, SENTENCES, row) == ("It was.", [0])


def test_a_sign_of_a_hole_in_a_text_is_a_hole(tmp_path):
    row = {"text": f"It flows {HOLE}.", "paragraphs": None}
    assert read(tmp_path, WEB_PAGES, row) == ("It flows.", [8])


def test_rows_without_a_text_or_without_a_column_named_in_options_cannot_be_read():
    with pytest.raises(ValueError, match="has no text"):
        PROSE_FORMATS["rows"].columns(CITATIONS.kept)
    with pytest.raises(ValueError, match=r"has no sections\.role"):
        RowProse(RowChoice(without={"sections.role": ["references"]})).columns(WEB_PAGES.kept)
