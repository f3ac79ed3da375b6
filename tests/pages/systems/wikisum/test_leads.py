"""The page of leads: models, extraction, categories and people, next to the paper's numbers."""

import pytest

from silverloom.pages.evaluation import Bar
from silverloom.pages.systems.wikisum import scores, site
from tests.browser import leads_corpus as corpus


@pytest.fixture
def text(tmp_path):
    def text(**given):
        pages = dict(site.leads_page(corpus.corpus(tmp_path, **given), {}))
        return " ".join(pages["leads.html"].decode().split())

    return text


def cells(content=corpus.EVALUATION):
    return scores.read(content)[1]


def lines(table):
    return {line.key: line for line in table.lines}


def test_table_3_covers_the_architecture_and_length_with_the_most_extractors_and_corpora():
    table = scores.extractors(cells().values())
    assert table.groups[1] == ("T-ED, L = 500", 2)
    found = lines(table)
    assert [line.key for line in table.lines][:5] == [
        "cheating combined", "tf_idf combined", "tf_idf citations", "tf_idf search", "identity combined",
    ]  # fmt: skip
    corpus_name, articles, perplexity, rouge, alone, *paper = found["tf_idf combined"].cells
    assert articles == corpus.SYSTEMS[0]["articles"]
    assert (corpus_name, perplexity, paper) == ("combined", "2.500 (2.400 to 2.600)", ["2.46645", "34.2"])
    assert (rouge.score.mean, alone.score.mean) == (0.34, 0.15)
    assert found["text_rank combined"].cells[2:4] == [None, None]
    assert found["identity combined"].cells == ["combined", None, None, None, None, "4.80215", "4.0"]


def test_table_4_has_for_each_architecture_the_length_that_is_best_on_validation():
    table = lines(scores.architectures(cells().values(), corpus.MODELS))
    assert {name: line.cells[0] for name, line in table.items()} == {
        "seq2seq": 500, "t_ed": 500, "t_d": None, "t_dmca": 4000, "t_dmca_moe": None, "t_dmca_moe_256": None,
    }  # fmt: skip
    assert table["t_dmca"].cells[1] == corpus.SYSTEMS[0]["articles"]
    assert table["t_dmca"].cells[4:] == [11000, "2.05159", "36.2"]
    worse = [
        {**report, "best": 9.0} if report["model"].endswith("-4000") else report for report in corpus.MODELS
    ]
    assert lines(scores.architectures(cells().values(), worse))["t_dmca"].cells[0] == 500


def test_figure_3_has_only_tf_idf_over_both_corpora():
    points = scores.figure_3(cells().values())
    ours = [
        (point["architecture"], point["length"], point["mean"]) for point in points if point["of"] == "ours"
    ]
    assert ours == [
        ("seq2seq-attention", 500, 5.0), ("T-DMCA", 500, 2.4), ("T-DMCA", 4000, 2.1), ("T-ED", 100, 3.1),
        ("T-ED", 500, 2.5),
    ]  # fmt: skip
    assert {"architecture": "T-D", "length": 4000, "mean": 2.22216, "of": "the paper"} in points


def test_figure_2_has_extraction_alone_then_the_chosen_model_and_the_papers_best():
    bars = scores.figure_2(cells().values())
    assert [(bar["name"], round(bar["mean"], 6)) for bar in bars] == [
        ("cheating, combined", 20.0), ("tf-idf, combined", 15.0), ("TextRank, combined", 14.0),
        ("T-DMCA, L = 4000, tf-idf, combined", 38.0), ("the paper: T-DMCA, MoE-256, L = 7500", 38.8),
    ]  # fmt: skip
    assert [bar["kind"] for bar in bars[-2:]] == ["the chosen model", "the paper"]
    assert scores.figure_2([]) == []


def test_a_category_without_an_article_has_no_scores_and_the_papers_are_below():
    table = scores.categories(scores.read(corpus.EVALUATION)[0])
    found = lines(table)
    assert found["American Actors"].cells == [0, None, None, None]
    assert isinstance(found["Diseases"].cells[1], Bar)
    assert table.lines[-1].name == "American Actors, Sauper and Barzilay"


def test_table_5_stars_the_systems_that_differ_from_the_first():
    table = lines(scores.quality(corpus.rated(), cells()))
    ours, theirs, gone, *paper = table["structure"].cells
    assert ours == "4.50 (4.20 to 4.80)"
    assert theirs == "3.00* (2.70 to 3.30), p < 0.001"
    assert (gone, paper) == (None, ["4.2", "2.7*", "2.3*"])
    assert table["focus"].cells[1] == "3.00 (2.70 to 3.30)"  # the test has no value


def test_table_6_shows_what_rouge_and_raters_prefer():
    first, second, *paper = scores.preference(
        corpus.rated(), cells(), scores.read(corpus.EVALUATION)[0]
    ).lines
    assert (first.name, first.cells[0]) == (
        "T-ED, L = 100, tf-idf, combined",
        "T-ED, L = 500, tf-idf, combined",
    )
    assert (first.cells[1].score.mean, first.cells[3], first.cells[4]) == (0.30, "4.25", "12, 12, 51")
    assert (second.name, second.cells[1], second.cells[3]) == ("gone (x)", None, "nobody prefers A")
    assert [line.cells[3] for line in paper] == ["4.25", "1.5"]


def test_the_page_shows_all_tables_and_figures(text):
    found = text(**corpus.ALL)
    for said in (
        "2.46645",
        "Table 3",
        "By category",
        "Linguistic quality",
        "Side by side",
        "Learning curves",
    ):
        assert said in found
    assert "Few articles" not in found


def test_a_small_number_of_articles_is_pointed_out(text):
    systems = [{**system, "articles": 3} for system in corpus.SYSTEMS]
    assert "fewer than 6" in text(evaluation={**corpus.EVALUATION, "systems": systems, "tests": []})


def test_without_a_model_only_extraction_is_shown(text):
    systems = [system for system in corpus.SYSTEMS if system["length"] is None]
    content = {"metrics": [], "systems": systems, "tests": [], "categories": []}
    found = text(evaluation=content)
    assert "No model reads" in found
    assert "No model is chosen" in found
    assert scores.extractors(cells(content).values()).groups[1] == ("models", 2)


@pytest.mark.parametrize(
    "name", [name for name, link in site.SYSTEM.pictures.items() if link.startswith("leads.html")]
)
def test_every_dataset_links_to_an_existing_section_of_the_page(text, name):
    anchor = site.SYSTEM.pictures[name].partition("#")[2]
    assert not anchor or f'id="{anchor}"' in text()
