"""The pages of articles: references, orders, cuts and leads as in the datasets."""

import itertools
import json
import re
from dataclasses import replace

import pytest

from silverloom.assets.rows.reading import rows
from silverloom.ops.core.outcome import Row
from silverloom.ops.rank.rankers import words
from silverloom.ops.wikisum.examples import InputSet
from silverloom.ops.wikisum.rank import bigram_recalls
from silverloom.ops.wikisum.ranked import order_of
from silverloom.ops.wikisum.tokenizer import TITLE_END
from silverloom.pages.systems.wikisum import article, articles
from silverloom.pages.systems.wikisum.site import SYSTEM
from tests.browser import article_corpus as corpora


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return corpora.corpus(tmp_path_factory.mktemp("articles"), corpora.odd())


@pytest.fixture(scope="module")
def made(everything):
    return dict(articles.pages(everything))


def data_of(page):
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', page.decode(), re.S)[1]
    )


def ranked(everything, name) -> Row:
    [row] = rows(everything, "wikisum/ranked", article_id=[name])
    return row


def test_every_article_with_a_ranked_paragraph_has_a_page_and_others_say_why_not(everything, made):
    listed = {entry["id"]: entry for entry in data_of(made["articles.html"])}
    pages = {f"articles/{name}.html" for name, entry in listed.items() if entry["page"]}
    assert pages == set(made) - {"articles.html"}
    assert listed["article-2"]["split"] == "test" and listed["article-2"]["rougeL"] == 0.25
    assert listed["article-1"] | {"partition": corpora.MONTH, "cited": 2, "left_out": 4, "rougeL": None} == listed["article-1"]  # fmt: skip
    assert listed["article-Sorrel"]["why"] == "no lead" and listed["article-Sorrel"]["lead"] == 0
    assert (listed["article-Qqzx"]["lost"], listed["article-Wwyv"]["lost"]) == (
        "no reference",
        "no paragraph",
    )


def test_an_input_in_the_order_of_its_set_is_cut_like_its_example(everything, made):
    for example in rows(everything, "wikisum/examples"):
        page = data_of(made[f"articles/{example['article_id']}.html"])
        [found] = [given for given in page["inputs"] if given["set"] == example["set"]]
        cut = found["cuts"][example["ranker"]]
        assert cut["paragraphs"] == example["used_paragraphs"]
        source = example["source"].partition(TITLE_END)[2].strip()
        row = ranked(everything, example["article_id"])
        [ranking] = [
            given
            for given in page["rankings"]
            if (given["corpus"], given["ranker"]) == (example["corpus"], example["ranker"])
        ]
        order = sorted(
            (rank, place) for place, rank in enumerate(ranking["ranks"]) if rank is not None
        )[: cut["paragraphs"]]  # fmt: skip
        texts = [row["paragraphs"][place]["text"] for _, place in order]
        if cut["characters"] is not None:
            last = texts[-1].encode("utf-16-le")[: 2 * cut["characters"]]
            texts[-1] = last.decode("utf-16-le", "ignore")
        assert " ".join(texts).strip() == source
        assert found["example"] == example["id"]
        assert cut["recall"] == pytest.approx(bigram_recalls(row["lead"], [source])[0], abs=1e-5)


def test_marks_are_the_words_and_bigrams_of_the_lead_that_are_in_the_input(everything, made):
    page, row = data_of(made["articles/article-1.html"]), ranked(everything, "article-1")
    [short] = [given for given in page["inputs"] if given["set"] == "short"]
    [cited] = [given for given in page["inputs"] if given["set"] == "cited"]
    lead = words(row["lead"])
    assert [piece.lower() for piece in page["lead"]["pieces"][1::2]] == lead and page["lead"]["words"] == len(
        lead
    )
    assert "".join(page["lead"]["pieces"]) == row["lead"]
    there = words(" ".join(given["text"] for given in row["paragraphs"] if given["cited"]))
    pairs = set(itertools.pairwise(there))
    for at, sign in enumerate(cited["cuts"]["identity"]["marks"]):
        in_pair = any(pair in pairs for pair in (tuple(lead[at - 1 : at + 1]), tuple(lead[at : at + 2])))
        assert sign == ("2" if in_pair else "1" if lead[at] in there else "0")
    assert {"0", "1", "2"} <= set("".join(cut["marks"] for cut in short["cuts"].values()))


def test_orders_of_all_rankers_are_there_including_the_trained_one(everything, made):
    page, row = data_of(made["articles/article-2.html"]), ranked(everything, "article-2")
    found = {(given["corpus"], given["ranker"]): given for given in page["rankings"]}
    assert {ranker for _, ranker in found} == {
        "identity", "tf_idf", "text_rank", "sum_basic", "cheating", "learned",
    }  # fmt: skip
    for ranking in row["rankings"]:
        given, order = found[ranking["corpus"], ranking["ranker"]], order_of(ranking["scores"])
        assert given["scores"] == [
            None if score is None else pytest.approx(score, rel=1e-4) for score in ranking["scores"]
        ]
        assert [given["ranks"][place] for place in order] == list(range(len(order)))
        assert given["size"] == len(order) and given["note"] == ranking["note"]


def test_a_set_with_titles_only_has_no_paragraph_and_nothing_of_the_lead(everything):
    [found] = articles.chosen_articles(everything, ["article-2"])
    makers = replace(articles.makers_of(everything), sets={"title": InputSet(references=False)})
    [given] = article.page_data(found, makers)["inputs"]
    cuts = [(cut["paragraphs"], cut["characters"], cut["recall"]) for cut in given["cuts"].values()]
    assert cuts == [(0, None, 0.0)] * 6


def test_cheating_uses_the_lead_and_the_page_says_if_a_set_cheats_by_the_article(everything):
    [found] = articles.chosen_articles(everything, ["article-1"])
    whole = InputSet(ranker="cheating", target="article")
    for sets, said in (({"whole": whole}, True), ({"lead": InputSet(ranker="cheating")}, False)):
        page = article.page_data(found, replace(articles.makers_of(everything), sets=sets))
        notes = {given["ranker"]: given["note"] for given in page["rankings"]}
        assert ("by the lead's bigrams" in notes["cheating"]) == said
        assert "of the lead" not in notes["tf_idf"]


def test_references_have_their_fate(everything, made):
    [found] = articles.chosen_articles(everything, ["article-1"])
    references = {row["address"]: row for row in article.references(found)}
    abbey, mirror, again = (references[f"http://{name}.example/1"] for name in ("abbey", "mirror", "again"))
    assert (abbey["reason"], abbey["cited"], abbey["paragraphs"], abbey["filtered"]) == (None, True, 3, 2)
    assert (mirror["reason"], mirror["recall"]) == ("clone", 1.0)
    assert (again["reason"], again["repeats"]) == ("near_duplicate", abbey["number"])
    assert {hit["rank"] for hit in mirror["hits"]} and not mirror["cited"]
    page = made["articles/article-1.html"].decode()
    assert "<del>Salt bread, mirrored</del>" in page and "<del>Salt bread, told again</del>" in page
    assert "<del>Salt bread at the abbey" not in page
    assert [(part["reason"], part["paragraphs"]) for part in article.dropped(found)] == [
        ("few_tokens", 1), ("no_letter", 1),
    ]  # fmt: skip


def test_pages_about_something_else_are_struck_out_with_their_similarity(everything, made):
    [found] = articles.chosen_articles(everything, ["article-1"])
    lost = [row for row in article.references(found) if row["reason"] == "other_topic"]
    assert lost and not any(row["cited"] for row in lost)
    page = made["articles/article-1.html"].decode()
    for row in lost:
        assert f'<b class="dropped">other topic</b> <span class="quiet">{row["score"]:.2f}</span>' in page


def test_a_page_has_the_summaries_of_each_model_of_the_grid(everything):
    [found] = articles.chosen_articles(everything, ["article-2"])
    assert [(row["label"], row["text"], row["log_perplexity"]) for row in article.cells(found)] == [
        ("T-DMCA, L = 100, cheating, combined", f"a bread {corpora.ODD}", 2.5),
        ("T-ED, L = 100, tf-idf, combined", "", 2.5),
    ]  # fmt: skip


def test_a_page_holds_a_bounded_number_of_everything(everything, monkeypatch):
    for name, most in (("MOST_PARAGRAPHS", 3), ("MOST_REFERENCES", 4), ("CHARACTERS", 90)):
        monkeypatch.setattr(article, name, most)
    [found] = articles.chosen_articles(everything, ["article-4"])
    references = article.references(found)
    assert [bool(row["reason"]) for row in references] == [False, False, True, True]
    assert [row["number"] for row in references] == sorted(row["number"] for row in references)
    page = article.page_data(found, articles.makers_of(everything))
    assert len(page["paragraphs"]) == 3
    assert sum(len(given["text"]) for given in page["paragraphs"]) <= 92
    assert all(given["length"] > len(given["text"]) for given in page["paragraphs"])
    # paragraphs ranked first by some ranker are held before those that none ranks first
    assert {given["ranks"].index(0) for given in page["rankings"] if 0 in given["ranks"]} == {0, 1, 2}


def test_a_page_that_does_not_hold_everything_links_to_the_rows(everything, monkeypatch):
    for name, most in (("MOST_PARAGRAPHS", 1), ("MOST_REFERENCES", 1), ("MOST_DROPPED", 0)):
        monkeypatch.setattr(article, name, most)
    page = dict(articles.pages(everything))["articles/article-4.html"].decode()
    said = re.findall(r'(?:^|[>.] ?)([^<>.]*)<a href="../rows/([^"]*)">', page, re.M)
    assert [(re.findall(r"\d+ of \d+", text), link) for text, link in said] == [
        (["1 of 10"], "wikisum-references.html#q=article-4"),
        (["1 of 4"], "wikisum-ranked.html#q=article-4"),
        *[(["0 of 1"], "wikisum-ranked.html#q=article-4")] * 2,
    ]


def test_a_bounded_number_of_articles_has_a_page_half_of_them_with_summaries(everything, monkeypatch):
    monkeypatch.setattr(articles, "MOST_PAGES", 4)
    monkeypatch.setattr(articles, "MOST_LISTED", 5)
    made = dict(articles.pages(everything))
    listed = data_of(made["articles.html"])
    with_page = [entry for entry in listed if entry["page"]]
    assert len(made) == 5 and len(listed) == 5 and len(with_page) == 4
    assert sum(entry["rougeL"] is not None for entry in with_page) >= 2
    assert b"4 have a page" in made["articles.html"]


def test_rows_link_to_existing_pages(everything, made):
    assert set(SYSTEM.pages_of(everything).values()) == set(made) - {"articles.html"}


@pytest.mark.parametrize(
    ("without", "said"),
    [
        (["tokenizer"], "wikisum/tokenizer is not made"),
        (["summaries"], "wikisum/summaries is not made"),
        (["grid"], "set short"),
        (["examples"], "no example"),
        (["learned_ranker"], "Lead"),
        (["corpus", "references"], "wikisum/references is not made"),
    ],
)
def test_pages_are_built_from_the_existing_datasets(tmp_path, without, said):
    found = dict(articles.pages(corpora.corpus(tmp_path, without=without)))
    page = found["articles/article-2.html"]
    assert said in page.decode()
    assert (b'id="grid"' in page) == (without != ["grid"])
    data = data_of(page)
    assert all(given.get("cuts") for given in data["inputs"]) == (without[0] not in ("tokenizer", "examples"))
    assert any(given["ranker"] == "learned" for given in data["rankings"]) == (
        "learned_ranker" not in without
    )


def test_without_ranked_paragraphs_the_list_says_so(tmp_path):
    found = dict(articles.pages(corpora.corpus(tmp_path, without=["ranked"])))
    assert list(found) == ["articles.html"]
    assert b"wikisum/ranked is not made" in found["articles.html"]
    assert [entry["id"] for entry in data_of(found["articles.html"])] == ["article-Qqzx"]
