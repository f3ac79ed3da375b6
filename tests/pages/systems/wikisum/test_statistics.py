"""The page of inputs: sizes next to the paper's, clones by length, recall by ranker."""

import json
import re
from dataclasses import replace

import pytest

from silverloom.assets.declare.graph import AssetGraph, Everything
from silverloom.assets.rows.reading import side_file
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.statistics import TABLE_2
from silverloom.pages.systems.wikisum import site
from tests.browser import article_corpus as corpora


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return corpora.corpus(tmp_path_factory.mktemp("inputs"))


def page_of(everything):
    [(name, content)] = site.inputs_page(everything)
    assert name == "inputs.html"
    return content.decode()


def cells(page, title):
    """The rows of a table, without tags."""
    [table] = re.findall(rf'aria-label="{re.escape(title)}"><table.*?</table>', page, re.S)
    found = re.findall(r"<tr.*?</tr>", table, re.S)
    return [
        [re.sub(r"<.*?>|\s+", " ", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
        for row in found
    ]


def test_percentiles_are_next_to_those_of_the_paper(everything):
    page = page_of(everything)
    tables = side_file(everything, "wikisum/statistics", "tables.json")
    _, *rows = cells(page, "Table 2: percentiles")
    for at, (aspect, published) in enumerate(TABLE_2.items()):
        ours, paper = rows[2 * at : 2 * at + 2]
        assert [int(cell.replace("\u202f", "").replace(" ", "")) for cell in paper[1:]] == list(published)
        values = [row["value"] for row in tables["table_2"] if row["aspect"] == aspect]
        assert [int(cell.replace("\u202f", "").replace(" ", "")) for cell in ours[1:]] == values
    drawn = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
    assert sum(len(rows) for rows in drawn["percentiles"].values()) == len(tables["table_2"])


def test_table_1_has_this_corpus_after_those_of_the_paper(everything):
    _, *rows = cells(page_of(everything), "Table 1: corpora of summaries")
    assert [row[0].split(" as ")[0].strip() for row in rows] == [
        "Gigaword", "CNN/DailyMail", "WikiSum", "This corpus",
    ]  # fmt: skip
    assert rows[2][1:] == ["10² to 10⁶", "10¹ to 10³", "10⁶", "59.2"]
    assert rows[3][3] == "6"


def test_clones_are_counted_by_length(everything):
    _, *rows = cells(page_of(everything), "Clones by length")
    counted = side_file(everything, "wikisum/statistics", "tables.json")["clones"]
    assert [(int(row[1]), int(row[2])) for row in rows] == [
        (row["candidates"], row["clones"]) for row in counted
    ]
    assert rows[0][0] == "1 to 100" and rows[-1] == ["more", "0", "0", "–"]
    page = page_of(everything)
    assert "what-if.html#wikisum/corpus/wikisum.corpus.clone_recall=0.9" in page
    assert "distinct runs of 4 words" in page and "The longer a page" not in page


def test_the_condition_of_the_papers_formula_is_explained(everything):
    params = ReferenceParams(recall="words", least_section_words=1)
    found = dict(everything.graph.datasets)
    found["wikisum/references"] = replace(found["wikisum/references"])
    vars(found["wikisum/references"])["arguments"] = {"params": params}
    page = page_of(Everything(everything, AssetGraph(found.values())))
    assert "0.9 of the distinct words" in page and "The longer a page" in page


def test_dispersion_has_the_curve_its_area_and_the_number_of_references_needed(everything):
    spread = side_file(everything, "wikisum/statistics", "tables.json")["dispersion"]
    assert 0 < spread["held"] <= spread["statements"] and 0 < spread["articles"] <= spread["of"]
    page = page_of(everything)
    head, row = cells(page, "Coverage of leads by references")
    assert head == ["references", *map(str, range(1, 11)), "score"]
    assert row[1:] == [f"{100 * value:.1f}" for value in (*spread["coverage"], spread["score"])]
    _, row = cells(page, "References needed")
    assert [int(cell) for cell in row[1:]] == spread["needed"]


def test_recall_has_every_ranker_and_length(everything):
    head, *rows = cells(page_of(everything), "Recall of the lead&#39;s bigrams")
    assert head == ["ranker", "first 20 words", "first 50 words"]
    assert {row[0].split(" ")[0] for row in rows} == {
        "identity", "tf-idf", "text-rank", "sum-basic", "cheating", "learned",
    }  # fmt: skip
    _, *tests = cells(page_of(everything), "Above tf-idf")
    assert len(tests) == 5 and all("too few to tell" in row[1] for row in tests)


def test_missing_data_is_reported(tmp_path):
    everything = corpora.corpus(tmp_path, without=["statistics", "learned_ranker"])
    page = page_of(everything)
    assert "wikisum/statistics is not made" in page and "wikisum/learned_ranker is not made" in page
