"""Documents are scored, dropped with a reason, and masked; what-if pages count the same."""

from dataclasses import replace

import pyarrow as pa
import pytest
from pydantic import ValidationError

from silverloom.ops.core.thresholds import at_least, at_most
from silverloom.ops.filters import schemas
from silverloom.ops.filters.documents import filtered, scores
from silverloom.ops.filters.duplicates import duplicates
from silverloom.ops.filters.params import (
    BoundParams,
    PaperBoundParams,
    ProseBoundParams,
    ProseScoreParams,
    ScoreParams,
    WebPageBoundParams,
    WebPageScoreParams,
    compared,
)
from silverloom.ops.filters.what_if import (
    asked_language,
    asked_personal_data,
    asked_quality,
    asked_similarity,
)
from silverloom.ops.parse.schemas import WEB_PAGES
from tests.parts import dealt, in_memory

ENGLISH = "The tide mill at Corrow is one of four working tide mills in the country, and it grinds every day."
GERMAN = "Der Leuchtturm steht an der Küste der Insel und wurde gebaut, nachdem zwei Schiffe gesunken waren."
MAIL = "Write to gwen.pryce@corrow-mill.org or call +44 20 7946 0958 before the mill closes in the evening."


def page(name, *paragraphs, url=None, boilerplate=0.0):
    places, start = [], 0
    for text in paragraphs:
        places.append({"start": start, "end": start + len(text), "boilerplate": boilerplate})
        start += len(text) + 2
    text = "\n\n".join(paragraphs)
    return {"id": name, "source_ids": [name], "title": name, "url": url, "text": text, "paragraphs": places}


PAGES = [
    page("page-a", ENGLISH, "It stands on a dam."),
    page("page-b", GERMAN),
    page("page-c", ENGLISH, "It stands on a dam."),
    page("page-d", f"{ENGLISH} {ENGLISH} {ENGLISH}", MAIL),
    page("page-e", "12 34 56"),
]


class Made:
    """Pages that went through the three steps."""

    def __init__(self, folder, pages, scoring, bounds):
        documents = dealt(folder / "documents", WEB_PAGES.kept, pages)
        self.scored = [outcome.kept for outcome in scores(documents, scoring, WEB_PAGES)]
        self.scores = in_memory(*self.scored)
        (repeated,) = duplicates(self.scores, scoring.floor, bounds)
        self.duplicates = in_memory(repeated.kept)
        # joins read files
        self.scores = dealt(
            folder / "scores", schemas.scores(WEB_PAGES).kept, pa.concat_tables(self.scored).to_pylist()
        )
        self.duplicates = dealt(folder / "duplicates", schemas.DUPLICATES.kept, repeated.kept.to_pylist())
        self.params = bounds
        self.outcomes = list(filtered(documents, self.scores, self.duplicates, scoring, bounds, WEB_PAGES))

    def kept(self):
        rows = [row for outcome in self.outcomes for row in outcome.kept.to_pylist()]
        return {row["id"]: row for row in rows}

    def dropped(self):
        rows = [row for outcome in self.outcomes for row in outcome.dropped.to_pylist()]
        return {row["id"]: (row["reason"], row["detail"]) for row in rows}

    def scores_of(self, name):
        return next(row for table in self.scored for row in table.to_pylist() if row["document_id"] == name)


@pytest.fixture
def made(tmp_path):
    def make(pages=PAGES, bounds=None, params=WebPageScoreParams, **scoring):
        return Made(tmp_path, pages, params(**scoring), BoundParams(**(bounds or {})))

    return make


def test_by_default_other_languages_and_equal_pages_are_dropped(made):
    found = made()
    assert found.dropped() == {"page-b": ("language", "de"), "page-c": ("duplicate", "as page-a")}
    assert found.kept() == {
        row["id"]: row for row in dealt_rows(PAGES) if row["id"] in ("page-a", "page-d", "page-e")
    }


def dealt_rows(pages):
    whole = [{**dict.fromkeys(WEB_PAGES.kept.names), "licence": "MIT", **row} for row in pages]
    return pa.Table.from_pylist(whole, schema=WEB_PAGES.kept).to_pylist()


def test_a_page_with_the_text_of_another_address_is_not_an_exact_duplicate(made):
    pages = [
        page("page-a", ENGLISH, url="https://a.example/"),
        page("page-b", ENGLISH, url="https://b.example/"),
    ]
    assert made(pages).dropped() == {}
    pages = [
        page("page-a", ENGLISH, url="https://a.example/"),
        page("page-b", ENGLISH, url="https://a.example/"),
    ]
    assert made(pages).dropped() == {"page-b": ("duplicate", "as page-a")}


def test_other_documents_of_equal_texts_are_duplicates_whatever_their_addresses(made):
    texts = [page(name, ENGLISH, url=f"https://{name}.example/") for name in ("page-a", "page-b")]
    assert made(texts, params=ProseScoreParams).dropped() == {"page-b": ("duplicate", "as page-a")}


def test_a_duplicate_stays_where_another_bound_drops_the_first_of_its_group(made):
    pages = [page("page-a", f"{ENGLISH} {MAIL}"), page("page-b", f"{ENGLISH} Write before the mill closes.")]
    near = {"duplicates": "near", "floor": 0.3}
    assert made(pages, {"similarity": 0.3}, **near).dropped() == {"page-b": ("near_duplicate", "as page-a")}
    bounds = {"similarity": 0.3, "personal_data": 0}
    found = made(pages, bounds, personal_data=True, **near)
    assert found.dropped() == {"page-a": ("personal_data", None)}


def test_only_the_main_content_is_scored(made):
    first, *others = page("page-a", ENGLISH, GERMAN)["paragraphs"]
    mixed = {**page("page-a", ENGLISH, GERMAN), "paragraphs": [first, {**others[0], "boilerplate": 0.9}]}
    assert made([mixed]).scores_of("page-a")["words"] == len(ENGLISH.split())


def test_filters_that_are_off_score_and_drop_nothing(made):
    found = made(language=None, duplicates=None)
    assert found.dropped() == {} and len(found.kept()) == len(PAGES)
    row = found.scores_of("page-d")
    asked = {*schemas.scores(WEB_PAGES).kept.names} - {
        "id", "source_ids", "licence", "document_id", "title", "beginning", "words"
    }  # fmt: skip
    assert all(row[name] is None for name in asked)


def test_personal_data_are_masked_and_counted_and_paragraphs_keep_their_positions(made):
    found = made(personal_data=True, language=None, duplicates=None)
    row = found.kept()["page-d"]
    first, second = (row["text"][place["start"] : place["end"]] for place in row["paragraphs"])
    assert first == f"{ENGLISH} {ENGLISH} {ENGLISH}"
    assert second == "Write to email@example.com or call +1 555-0100 before the mill closes in the evening."
    counted = [outcome.combinations for outcome in found.outcomes if outcome.combinations]
    assert counted == [{"emails masked": 1, "telephones masked": 1}]
    assert found.scores_of("page-d")["emails"] == 1


def test_personal_data_may_drop_a_page(made):
    found = made(personal_data=True, language=None, duplicates=None, bounds={"personal_data": 1})
    assert found.dropped() == {"page-d": ("personal_data", None)}


def test_without_masks_a_text_is_unchanged(made):
    found = made(personal_data=True, language=None, duplicates=None, bounds={"mask": False})
    assert MAIL in found.kept()["page-d"]["text"]


def test_quality_rules_drop_under_their_own_names(made):
    found = made(quality=True, language=None, duplicates=None, bounds={"quality": "published"})
    assert found.dropped()["page-e"][0] == "gopher_words"
    assert found.params.at_least["gopher_words"] == 50


def test_a_bound_below_the_searched_similarity_is_refused(made):
    with pytest.raises(ValueError, match="is below scores"):
        made(duplicates="near", floor=0.75, bounds={"similarity": 0.6})


@pytest.mark.parametrize(
    ("bounds", "scores"),
    [
        ({"quality": "published"}, "quality"),
        ({"at_least": {"gopher_words": 3}}, "quality"),
        ({"at_most": {"gopher_hashes": 1}}, "quality"),
        ({"personal_data": 3}, "personal_data"),
    ],
)
def test_a_bound_on_a_score_that_is_off_is_refused(made, bounds, scores):
    (name,) = bounds
    with pytest.raises(ValueError, match=rf"bounds\.{name} is set, but [a-z_.]*scores\.{scores} is off"):
        made(bounds=bounds)


@pytest.mark.parametrize("kind", [ProseBoundParams, PaperBoundParams, WebPageBoundParams])
def test_what_is_compared_does_not_depend_on_the_bound_on_similarity(kind):
    given = {"language": 0.7, "similarity": 0.9, "quality": "published"}
    read = compared(kind)(**given).model_dump()
    whole = kind(**given).model_dump()
    assert compared(kind).section == kind.section
    assert whole.keys() - read.keys() == {"similarity", "mask"} and read.items() <= whole.items()


@pytest.mark.parametrize("value", [None, ["gopher_words"], 3])
def test_bounds_that_are_no_mapping_are_refused_by_name(value):
    with pytest.raises(ValidationError, match=r"at_least\n.*valid dictionary"):
        BoundParams(quality="published", at_least=value)


def test_papers_are_not_masked():
    assert not PaperBoundParams().mask
    with pytest.raises(ValueError, match="papers cannot be masked"):
        PaperBoundParams(mask=True)


def test_scores_name_the_bounds_that_they_support():
    names = ("language", "similarity", "personal_data", "at_least.*", "at_most.*")
    assert [name for name in names if ScoreParams().gives(name)] == ["language"]
    every = ScoreParams(duplicates="near", personal_data=True, quality=True)
    assert all(map(every.gives, names)) and not ScoreParams(language=None).gives("language")


@pytest.mark.parametrize(
    ("asked", "bound", "name"),
    [
        (asked_language, "language", ()),
        (asked_similarity, "similarity", ()),
        (asked_personal_data, "personal_data", ()),
        (asked_quality, "gopher_words", ("gopher_words",)),
    ],
)
def test_what_if_pages_count_what_the_bounds_keep(made, asked, bound, name):
    bounds = {"personal_data": 1, "at_least": {"gopher_words": 18}}
    found = made(personal_data=True, quality=True, duplicates="near", bounds=bounds)
    rows = [
        row
        for table in asked(found.scores, found.duplicates, found.params, *name)
        for row in table.to_pylist()
    ]
    assert len(rows) == len(PAGES)
    value = bounds["at_least"].get(bound, getattr(found.params, bound, None))
    keeps = {
        "similarity": lambda score: score < value,
        "personal_data": lambda score: score <= value,
    }.get(bound, lambda score: score >= value)
    assert {row["id"] for row in rows if row["score"] is not None and keeps(row["score"])} == set(
        found.kept()
    )


#: Three pairs with one text, of which one is within all bounds, and one differs in its lines alone.
REPEATED = [
    *PAGES,
    page("page-f", GERMAN),
    page("page-g", f"{ENGLISH} {MAIL}"),
    page("page-h", f"{ENGLISH} {MAIL}"),
    page("page-i", f"{ENGLISH} Once", f"{ENGLISH} Once"),
    page("page-j", f"{ENGLISH} Once {ENGLISH} Once"),
]


@pytest.mark.parametrize(
    ("asked", "bound", "values"),
    [
        (asked_language, "language", (0, 0.5, 1)),
        (asked_personal_data, "personal_data", (0, 1, 2)),
        (asked_quality, "at_least.gopher_words", (0, 18, 30)),
        (asked_quality, "at_most.fineweb_short_lines", (0, 0.5, 1)),
    ],
)
def test_what_if_pages_count_what_other_bounds_keep(tmp_path, asked, bound, values):
    side, _, rule = bound.partition(".")

    def run(value):
        bounds = {"personal_data": 1, side: {rule: value} if rule else value}
        scoring = ScoreParams(personal_data=True, quality=True)
        return Made(tmp_path / f"{value}", REPEATED, scoring, BoundParams(**bounds))

    found = {value: run(value) for value in values}
    assert len({len(one.kept()) for one in found.values()}) > 1, "the bound decides"
    for one in found.values():
        parts = [replace(one.scores, parts=(part,)) for part in one.scores.parts]  # as months
        name = [rule][: bool(rule)]
        tables = (table for month in parts for table in asked(month, one.duplicates, one.params, *name))
        rows = [row for table in tables for row in table.to_pylist()]
        keeps = at_least if bound in ("language", "at_least.gopher_words") else at_most
        counted = {
            value: sum(row["score"] is not None and keeps(row["score"], value) for row in rows)
            for value in values
        }
        assert counted == {value: len(other.kept()) for value, other in found.items()}


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="is no rule; known: gopher_words"):
        BoundParams(at_least={"gopher_word": 3})
    with pytest.raises(ValueError, match="gopher_words is no rule of at_most"):
        BoundParams(at_most={"gopher_words": 3})
