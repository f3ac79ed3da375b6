"""Which pages are references of an article, and which are clones of it."""

import numpy as np
import pytest

from silverloom.ops.core.derived import NewFolder
from silverloom.ops.parse.schemas import ARTICLES, WEB_PAGES
from silverloom.ops.wikisum.corpus import CorpusParams, recalls, similarities
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.search_index import indexed, load, search_index
from silverloom.ops.wikisum.topic import topic_score
from tests.ops.wikisum.encyclopedia import Steps, article, conserved, page
from tests.parts import parts

LEAD = "Salt bread is a flat bread of the islands."
BREAD = article("Salt bread", LEAD, [("History", "Monks baked it first.")], ["http://a/1#top", "http://a/2"])


def test_cited_pages_come_first_then_the_results_for_each_section(tmp_path):
    steps = Steps(
        tmp_path,
        [BREAD],
        [
            page("http://a/1", "A page about monks."),
            page("http://b/1", "The history of salt and of bread, told by bakers."),
            page("http://b/2", "Bread is good."),
            page("http://b/3", "Nothing."),
        ],
    )
    rows = steps.kept("references")
    assert [(row["address"], row["cited"], len(row["hits"]), row["position"]) for row in rows] == [
        ("http://a/1", True, 0, 0),
        ("http://b/1", False, 2, 1),
        ("http://b/2", False, 2, 2),
    ]
    assert [(hit["query"], hit["rank"]) for hit in rows[1]["hits"]] == [
        ("Salt bread", 1),
        ("Salt bread History", 1),
    ]
    assert steps.outcome("references").combinations == {"cited_page_not_there": 1}
    assert rows[0]["licence"] == "CC-BY-SA-4.0 AND CC0-1.0"
    assert rows[0]["source_ids"] == ["article-Salt bread", "page-http://a/1"]


@pytest.mark.parametrize("many", [2, 6])
def test_a_page_is_embedded_once_however_many_articles_and_parts_find_it(tmp_path, monkeypatch, many):
    embedded = []

    def embedder(encoder, strict):
        def embed(texts):
            embedded.extend(texts)
            return np.eye(1, 2, dtype=np.float32).repeat(len(texts), axis=0)

        return embed

    monkeypatch.setattr("silverloom.ops.wikisum.topic.embedder", embedder)
    monkeypatch.setattr("silverloom.ops.wikisum.candidates.embedder", embedder)
    titles = [f"Bread {number}" for number in range(many)]
    pages = [page(f"http://b/{number}", f"Bread of baker {number}.") for number in range(3)]
    cited, found = page("http://a/1", "Monks."), page("http://c/1", "Nothing.")
    steps = Steps(tmp_path, [], [*pages, cited, found])
    steps.articles = parts(
        tmp_path / "several",
        ARTICLES.kept,
        *([article(title, LEAD, cites=["http://a/1"])] for title in titles),
    )
    outcomes = steps.references()
    rows = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    assert [row["title_similarity"] for row in rows] == [None, 1.0, 1.0, 1.0] * many
    assert [row["rival_similarity"] for row in rows] == [None, 1.0, 1.0, 1.0] * many
    assert sorted(text for text in embedded if text not in titles) == [row["text"] for row in pages]


def test_a_cited_address_is_resolved_to_the_target_of_its_redirect(tmp_path):
    steps = Steps(
        tmp_path, [BREAD], [page("http://a/new", "A page about monks.")], [("http://a/1", "http://a/new")]
    )
    assert steps.kept("references", "address", "cited") == [("http://a/new", True)]


def test_other_addresses_of_one_record_lead_to_its_page(tmp_path):
    """The crawl stores a page once: addresses that differ only in form, or gave the same bytes, are dropped there."""
    steps = Steps(
        tmp_path,
        [BREAD, article("Alpha", "Salt.", cites=["https://a/1"])],
        [page("https://a/1", "A page about monks.")],
        [("https://a/1", "https://a/1", "2018-06", ["http://a/1", "http://a/one"])],
        ReferenceParams(results=0),
    )
    assert steps.kept("references", "article_title", "address", "cited") == [
        ("Salt bread", "https://a/1", True),
        ("Alpha", "https://a/1", True),
    ]


def test_a_query_uses_the_results_that_a_crawl_stored_for_it(tmp_path):
    history = "Salt bread History"
    steps = Steps(
        tmp_path,
        [BREAD],
        [
            {**page(f"http://{name}/1", text), "document": f"crawled-2018-06-http://{name}/1"}
            for name, text in {"a": "A page about monks.", "b": "Salt and bread.", "c": "Bread."}.items()
        ],
        [
            ("http://c/1", "http://c/1", "2018-06", [], {history: 2}),
            ("http://d/1", "http://d/1", "2018-06", [], {history: 3}),
            ("http://a/1", "http://a/1", "2018-06", [], {history: 1}),
            ("http://b/1", "http://b/1", "2018-07", [], {history: 1, "Bread": 1}),
        ],
        ReferenceParams(results=3),
    )
    found = [
        (
            row["address"],
            row["cited"],
            [tuple(hit.values()) for hit in row["hits"] if hit["query"] == history],
        )
        for row in steps.kept("references")
    ]
    assert found == [
        ("http://a/1", True, [(history, 1, None)]),
        ("http://b/1", False, []),
        ("http://c/1", False, [(history, 2, None)]),
    ]
    assert {hit["query"] for row in steps.kept("references") for hit in row["hits"]} == {
        "Salt bread",
        history,
    }
    assert steps.outcome("references").combinations == {
        "cited_page_not_there": 1,
        "found_page_not_there": 1,
        "query_not_crawled": 1,
    }


def test_a_cited_page_is_read_from_the_crawl_of_the_articles_month(tmp_path):
    pages = [
        {**page("http://a/1", f"Bread of {month}.", month=month), "id": month, "document": document}
        for month, document in {
            "2018-06": "crawled-2018-06-http://a/1",
            "2018-08": "crawled-2018-08-http://a/1",
            "2023-01": "a record of somebody else",
        }.items()
    ]
    articles = [
        article(month, "Salt.", cites=["http://a/1"], month=month)
        for month in ("2018-05", "2018-06", "2018-07", "2018-08")
    ]
    moved = [("http://a/1", "http://a/1", month) for month in ("2018-08", "2018-06")]
    steps = Steps(tmp_path, articles, pages, moved, ReferenceParams(results=0))
    assert steps.kept("references", "article_title", "page_id") == [
        ("2018-05", "2018-06"),
        ("2018-06", "2018-06"),
        ("2018-07", "2018-06"),
        ("2018-08", "2018-08"),
    ]


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("Salt bread - Wikipedia", 0),
        ("Salt Bread \u2014 Wikipedia", 0),
        ("salt bread", 0),
        ("Salt bread oven - Wikipedia", 1),
    ],
)
def test_an_article_under_a_redirecting_name_is_not_its_own_reference(tmp_path, title, kept):
    address = "https://en.wikipedia.org/wiki/Saltbread"
    pages = [page(address, LEAD, title=title), page("http://b/1", "Bakers.", title="Salt bread - Bakers")]
    cites = [address, "http://b/1"]
    steps = Steps(tmp_path, [article("Salt bread", LEAD, cites=cites)], pages, (), ReferenceParams(results=0))
    assert len(steps.kept("references")) == 1 + kept
    assert steps.outcome("references").combinations.get("article_itself", 0) == 1 - kept


def test_of_pages_with_one_address_the_latest_counts(tmp_path):
    pages = [
        page("http://a/1", "Bread of June."),
        {**page("http://a/1", "Bread of July.", month="2018-07"), "id": "page-july"},
        page("http://a/2", "Bread again."),
    ]
    steps = Steps(tmp_path, [BREAD], pages)
    assert sorted(steps.kept("references", "page_id")) == [("page-http://a/2",), ("page-july",)]
    outcomes = list(search_index(steps.pages))
    for outcome in outcomes:
        conserved(outcome)
    assert [row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()] == [
        "repeated_address"
    ]


def test_headings_that_every_article_has_are_not_searched(tmp_path):
    """Everything else is found by the title."""
    headings = ["History", "See also", "references ", "External links", "Notes", "Bibliography"]
    bread = article("Salt bread", LEAD, [*((heading, "Monks.") for heading in headings), ("Baking", "")])
    pages = [page("http://a/1", "References to the history of bread, and links.")]

    def asked(folder, **params):
        steps = Steps(folder, [bread], pages, references=ReferenceParams(**params))
        [row] = steps.kept("references")
        return [hit["query"] for hit in row["hits"]], steps.outcome("references").combinations

    titles = ["Salt bread", "Salt bread History", "Salt bread Baking"]
    assert asked(tmp_path) == (titles, {"section_not_asked": 5})
    everything, lost = asked(tmp_path / "all", not_asked=())
    assert len(everything) == 8 and not lost
    assert asked(tmp_path / "one", not_asked=["HISTORY"])[1] == {"section_not_asked": 1}


def test_a_query_template_with_an_unknown_field_is_refused():
    with pytest.raises(ValueError, match="something other than title and section in braces: 'name'"):
        ReferenceParams(query="{title} {name}")


def test_an_article_is_not_its_own_reference(tmp_path):
    own = "https://en.wikipedia.org/wiki/Salt_bread"
    steps = Steps(tmp_path, [article("Salt bread", LEAD, cites=[own])], [page(own, LEAD)])
    assert steps.dropped("references", "reason", "detail") == [("no_reference", "article_itself 1")]


def test_a_redirect_to_the_article_followed_by_the_crawl_counts_as_the_article(tmp_path):
    cited, own = (f"https://en.wikipedia.org/wiki/{name}" for name in ("Saltbread", "Salt_bread"))
    steps = Steps(tmp_path, [article("Salt bread", LEAD, cites=[cited])], [page(own, LEAD)], [(cited, own)])
    assert steps.dropped("references", "reason", "detail") == [("no_reference", "article_itself 1")]


def test_queries_without_results_are_reported(tmp_path):
    empty = article("Zyx", "Zyx.", [("Qvw", "Qvw.")], ["http://gone/1"])
    steps = Steps(tmp_path, [empty, article("Abc", "Abc.")], [page("http://a/1", "Bread.")])
    assert steps.dropped("references", "title", "reason", "detail") == [
        ("Zyx", "no_reference", "cited_page_not_there 1, search_found_nothing 2"),
        ("Abc", "no_reference", "search_found_nothing 1"),
    ]
    assert steps.outcome("references").combinations == {"cited_page_not_there": 1, "search_found_nothing": 3}


def test_without_a_search_an_article_that_cites_nothing_has_no_reference(tmp_path):
    steps = Steps(
        tmp_path, [article("A", "A.")], [page("http://a/1", "A.")], references=ReferenceParams(results=0)
    )
    assert steps.dropped("references", "reason", "detail") == [("no_reference", "it cites nothing")]


def test_a_page_without_bytes_is_not_a_reference(tmp_path):
    steps = Steps(tmp_path, [BREAD], [page("http://a/1", ""), page("http://a/2", "Bread.")])
    assert steps.kept("references", "address") == [("http://a/2",)]
    assert steps.outcome("references").combinations == {"page_without_words": 1}


#: The paper's formula, which needs both params.
PAPER = ReferenceParams(recall="words"), CorpusParams(clone_recall=0.5)


def test_a_clone_is_found_and_a_threshold_is_applied_later(tmp_path):
    copy = page("http://c/1", LEAD, "Monks baked it first.")
    half = page("http://c/2", "In Hollin salt bread is a flat bread of another kind. Salt bread is old.")
    steps = Steps(tmp_path, [BREAD], [copy, half], corpus=CorpusParams(clone_recall=0.8))
    assert steps.kept("references", "address", "clone_recall") == [
        ("http://c/2", 0.666667),
        ("http://c/1", 1.0),
    ]
    assert steps.dropped("corpus", "address", "reason", "score") == [("http://c/1", "clone", 1.0)]
    assert steps.kept("corpus", "address", "cited", "searched") == [("http://c/2", False, True)]
    stricter = Steps(tmp_path / "2", [BREAD], [copy, half])
    assert stricter.dropped("corpus", "reason", "score") == [("clone", 0.666667), ("clone", 1.0)]


def test_a_page_with_the_words_of_a_section_is_a_clone_only_by_the_papers_formula(tmp_path):
    own = "In Hollin salt bread is flat. Bakers of the town sell salt bread first to monks who ask for it."
    pages = [page("http://c/1", own)]
    assert Steps(tmp_path, [BREAD], pages).kept("references", "clone_recall") == [(0.0,)]
    steps = Steps(tmp_path / "2", [BREAD], pages, (), *PAPER)
    assert steps.kept("references", "clone_recall") == [(0.75,)]
    assert steps.dropped("corpus", "reason", "score") == [("clone", 0.75)]


def test_search_results_about_something_else_are_not_references(tmp_path):
    pages = [
        page("http://a/1", "A page about parliament and its elections."),
        page("http://b/1", "Parliament and the history of its elections.", title="History"),
        page("http://b/2", "Rolls of rye with much salt, and the history of a bakery that sold them."),
    ]
    steps = Steps(tmp_path, [BREAD], pages)
    similar = dict(steps.kept("references", "address", "title_similarity"))
    assert similar.pop("http://a/1") is None, "the index did not find it"
    assert similar["http://b/1"] < CorpusParams().title_similarity < similar["http://b/2"]
    assert steps.dropped("corpus", "address", "reason", "score") == [
        ("http://b/1", "other_topic", similar["http://b/1"])
    ]
    assert steps.kept("corpus", "address", "cited", "searched") == [
        ("http://a/1", True, False),
        ("http://b/2", False, True),
    ]
    lenient = Steps(tmp_path / "2", [BREAD], pages, corpus=CorpusParams(title_similarity=0))
    assert len(lenient.kept("corpus")) == 3


def test_a_page_that_is_more_about_another_article_is_dropped_from_the_first_wherever_that_is(tmp_path):
    pages = [
        page("http://b/1", "The parliament of the island and the history of its elections.", title="History"),
        page("http://b/2", "Rolls of rye with much salt, and the history of a bakery that sold them."),
    ]
    titles = ["Salt bread", "Parliament of the island"]
    articles = [article(title, LEAD, [("History", "It is old.")]) for title in titles]
    similar = {}
    for number, arranged in enumerate(([articles], [articles[:1], articles[1:]])):
        steps = Steps(tmp_path / str(number), [], pages)
        steps.articles = parts(tmp_path / f"articles {number}", ARTICLES.kept, *arranged)
        rows = [row for outcome in steps.references() for row in outcome.kept.to_pylist()]
        similar[number] = {
            (row["article_title"], row["address"]): (row["title_similarity"], row["rival_similarity"])
            for row in rows
        }
    found = similar[0]
    assert len(found) == 4 and found == similar[1]
    for address in ("http://b/1", "http://b/2"):
        one, other = (found[title, address] for title in titles)
        assert (one[1], other[1]) == (other[0], one[0])
    about = {key: topic_score(*pair) for key, pair in found.items()}
    floor = CorpusParams().title_similarity
    assert about["Salt bread", "http://b/1"] < floor < about["Salt bread", "http://b/2"]
    assert (
        about["Parliament of the island", "http://b/2"]
        < floor
        < about["Parliament of the island", "http://b/1"]
    )


def test_a_phrase_of_a_tiny_section_makes_no_clone_of_a_page(tmp_path):
    bread = article(
        "Salt bread", " ".join(f"word{number}" for number in range(20)), [("Death", "He died in London.")]
    )
    pages = [page("http://c/1", "Salt bread was sold where he died in London. Salt bread.")]
    recalls = [
        Steps(
            tmp_path / str(least), [bread], pages, references=ReferenceParams(least_section_words=least)
        ).kept("references", "clone_recall")
        for least in (1, ReferenceParams().least_section_words)
    ]
    assert recalls == [[(1.0,)], [(0.0,)]]


def test_what_a_search_engine_found_may_be_about_anything(tmp_path):
    pages = [page("http://b/1", "Elections of parliament."), page("http://b/2", "Bread and salt.")]
    moved = [("http://b/1", "http://b/1", "2018-06", (), {"Salt bread": 1})]
    steps = Steps(tmp_path, [BREAD], pages, moved)
    assert ("http://b/1", True) in steps.kept("corpus", "address", "searched")


def test_a_page_that_says_that_there_is_none_is_no_reference(tmp_path):
    pages = [
        page("http://a/1", "Salt bread: sorry, the page that you asked for could not be found."),
        page("http://b/1", "Salt bread. The page about salt bread is no longer available."),
    ]
    steps = Steps(tmp_path, [BREAD], pages)
    assert steps.kept("references", "address", "soft_404") == [("http://a/1", True), ("http://b/1", True)]
    assert steps.dropped("corpus", "address", "reason") == [
        ("http://a/1", "soft_404"),
        ("http://b/1", "soft_404"),
    ]
    kept = Steps(tmp_path / "2", [BREAD], pages, corpus=CorpusParams(soft_404="kept"))
    assert len(kept.kept("corpus")) == 2


def test_a_cited_page_about_something_else_counts_as_cited_only(tmp_path):
    steps = Steps(tmp_path, [BREAD], [page("http://a/1", "The history of parliament.")])
    assert [bool(hits) for (hits,) in steps.kept("references", "hits")] == [True]
    assert steps.kept("corpus", "cited", "searched") == [(True, False)]


def test_a_cited_clone_stays_unless_clones_are_removed_among_citations(tmp_path):
    pages = [page("http://a/1", LEAD)]
    steps = Steps(tmp_path, [BREAD], pages)
    assert steps.kept("corpus", "cited", "searched") == [(True, False)]
    both = CorpusParams(clones_among=("citations", "search"))
    steps = Steps(tmp_path / "2", [BREAD], pages, corpus=both)
    assert steps.dropped("corpus", "reason") == [("clone",)]


def test_stored_scores_predict_what_other_thresholds_would_keep(tmp_path):
    pages = [
        page("http://a/1", LEAD),
        page("http://c/1", LEAD),
        page("http://c/2", "A history of parliament."),
        page("http://c/3", "A history of bread."),
        page("http://c/4", LEAD.replace("Salt bread", "This")),
    ]
    steps = Steps(tmp_path, [BREAD], pages, corpus=CorpusParams(title_similarity=0.3))
    addresses = [address for (address,) in steps.kept("references", "address")]
    [table] = recalls(steps.parts("references"), steps.params[1])
    assert dict(zip(addresses, table["score"].to_pylist(), strict=True)) == {
        "http://a/1": float("-inf"), "http://c/1": 1.0, "http://c/2": None, "http://c/3": 0.0,
        "http://c/4": 0.666667,
    }  # fmt: skip
    similar = dict(steps.kept("references", "address", "title_similarity"))
    [table] = similarities(steps.parts("references"), steps.params[1])
    assert dict(zip(addresses, table["score"].to_pylist(), strict=True)) == {
        "http://a/1": float("inf"), "http://c/1": None, "http://c/2": similar["http://c/2"],
        "http://c/3": similar["http://c/3"], "http://c/4": None,
    }  # fmt: skip
    assert similar["http://c/2"] < 0.3 < similar["http://c/3"]


def test_scores_of_thresholds_exclude_duplicates_of_other_references(tmp_path):
    text = " ".join(f"word{number} of bread" for number in range(200))
    pages = [page("http://b/1", text), page("http://b/2", text)]
    bread = article("Bread", "Nothing of it.")
    steps = Steps(tmp_path, [bread], pages, references=ReferenceParams(permutations=64))
    for scores in (recalls, similarities):
        [table] = scores(steps.parts("references"), CorpusParams())
        assert table["score"].null_count == len(steps.dropped("corpus", "reason")) == 1


def test_small_sections_may_be_excluded_from_the_search_for_clones(tmp_path):
    params = ReferenceParams(recall="words", least_section_words=6)
    steps = Steps(tmp_path, [BREAD], [page("http://a/1", "Monks baked it first.")], references=params)
    assert steps.kept("references", "clone_recall") == [(0.0,)]


def test_near_duplicates_are_removed_if_requested(tmp_path):
    text = " ".join(f"word{number} of bread" for number in range(200))
    pages = [page(f"http://a/{number}", text + tail) for number, tail in enumerate(["", " end", ""], start=1)]
    other = page("http://a/4", "Bread is baked by monks on all the islands of the sea.")
    bread = article("Bread", "Bread.", cites=[f"http://a/{number}" for number in range(1, 5)])
    steps = Steps(tmp_path, [bread], [*pages, other], references=ReferenceParams(permutations=64))
    assert steps.kept("corpus", "address") == [("http://a/1",), ("http://a/4",)]
    assert [row[:2] for row in steps.dropped("corpus", "reason", "detail")] == [
        ("near_duplicate", "as page-http://a/1")
    ] * 2
    assert len(Steps(tmp_path / "2", [bread], [*pages, other]).kept("corpus")) == 4


@pytest.mark.parametrize("many", [3_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_an_article_with_very_many_references_is_made_like_any_other(tmp_path, many):
    bread = article("Bread", "Bread is eaten.", cites=[f"http://a/{number}" for number in range(many)])
    text = "Bread is eaten on the islands every day of the week."
    steps = Steps(tmp_path, [bread], [])
    pages = [page(f"http://a/{number}", f"{text} {number}") for number in range(many)]
    steps.pages = parts(tmp_path / "many", WEB_PAGES.kept, pages)
    assert len(steps.kept("references")) == many
    [row] = steps.kept("ranked")
    assert len(row["paragraphs"]) == row["citations"] == many


def test_the_index_is_derived_from_the_rows_and_is_not_part_of_them(tmp_path):
    """A page that is no longer the latest of its address is not found."""
    pages = [
        page("http://a/1", "Bread of June."),
        {**page("http://a/1", "Honey of July.", month="2018-07"), "id": "page-july"},
        {**page(None, "Salt.", title="Bread"), "id": "page-file", "document": "file.html"},
    ]
    steps = Steps(tmp_path, [BREAD], pages)
    assert not any(outcome.files for outcome in search_index(steps.pages))
    index = load(indexed(steps.index(), steps.pages, NewFolder(tmp_path / "new")))
    assert [hit.url for hit in index.search("bread", 5)] == ["file.html"]
    assert [hit.url for hit in index.search("honey", 5)] == ["http://a/1"]


@pytest.mark.parametrize("name", ["a?b", "a[bc]d", "id=page-x"])
def test_pages_in_a_folder_named_like_a_pattern_are_those_of_the_folder(tmp_path, name):
    for folder in ("axb", "abd", name):
        honey = page("http://a/1", f"Honey of {folder}.")
        steps = Steps(tmp_path / folder, [BREAD], [honey, page("http://a/2", "Salt.")])
    assert [row["address"] for row in steps.index().rows.rows()] == ["http://a/1", "http://a/2"]
    index = load(indexed(steps.index(), steps.pages, NewFolder(tmp_path / "new")))
    assert [hit.url for hit in index.search(f"honey {name}", 5)] == ["http://a/1"]
