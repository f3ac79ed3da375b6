"""The page of the evaluation: systems, tests, people, trainings and papers, and bounds on its size."""

import json
import math
import re
from types import SimpleNamespace

import pytest

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import Counted
from silverloom.ops.core.parts import FILES
from silverloom.ops.evaluation.human_evaluation import Judged
from silverloom.ops.talksumm.evaluation.human_evaluation import HumanEvaluationParams, tables
from silverloom.pages import evaluation as renderer
from silverloom.pages.systems.talksumm import scores, site
from silverloom.pages.systems.talksumm.site import SYSTEM
from tests.browser import evaluation_corpus as corpus
from tests.browser.evaluation_corpus import (
    CHOSEN,
    against,
    agreed,
    considered,
    quality,
    rated,
    scored,
    summary,
    trained,
)

ONLY = f"only ({CHOSEN})"
OTHER = "pointer/oracle"
NO_RATINGS = {
    **tables(Judged([], None, None, None), HumanEvaluationParams()),
    "agreement": [],
    "pairs": [],
}


@pytest.fixture
def pages(tmp_path):
    def pages(numbers=None, **given):
        return dict(site.evaluation_pages(corpus.corpus(tmp_path, **given), numbers or {}))

    return pages


@pytest.fixture
def text(pages):
    def text(numbers=None, **given):
        return " ".join(pages(numbers, **given)["evaluation.html"].decode().split())

    return text


def embedded(page):
    return json.loads(page.decode().partition('type="application/json">')[2].partition("</script>")[0])


def script(content):
    return json.loads(content.decode().removeprefix("silverloom.paper(").removesuffix(");\n"))


def test_the_chosen_extractor_comes_first_then_baselines_then_other_extractors():
    table = corpus.table(
        [
            scored("zebra", 0.1),
            scored("oracle", 0.5),
            scored("lead", 0.1),
            scored("hybrid", 0.2, model=OTHER, chosen=False),
            scored("only", 0.2, model=OTHER, chosen=False),
            scored("hybrid", 0.2, model=CHOSEN),
            scored("only", 0.3, model=CHOSEN),
        ]
    )
    assert [line.key for grid in scores.grids(scores.read(table)) for line in grid.lines] == [
        ONLY, f"hybrid ({CHOSEN})", "lead", "oracle", "zebra", f"only ({OTHER})", f"hybrid ({OTHER})",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("random", "best"),
    [(0.1, [("lead", True), ("random", False)]), (0.2, [("lead", False), ("random", False)])],
)
def test_the_best_system_is_one_that_does_not_know_the_summaries_unless_all_are_equal(random, best):
    table = corpus.table([scored("oracle", 0.5), scored("lead", 0.2), scored("random", random)])
    found, _ = scores.grids(scores.read(table))
    assert [(line.key, line.cells[0].best) for line in found.lines] == [*best, ("oracle", False)]


def test_scores_of_zero_have_a_scale():
    found, _ = scores.grids(scores.read(corpus.table([scored("lead", 0, half=0)])))
    cell = found.lines[0].cells[0]
    assert (cell.score, cell.top) == ((0, 0, 0), 1)


def test_a_test_is_turned_so_that_the_extractor_comes_first():
    table = corpus.table(
        [scored("only", 0.3, model=CHOSEN), scored("lead", 0.2), scored("oracle", 0.5)],
        [against("lead", ONLY, -0.1, 0.001), against(ONLY, "oracle", -0.2, 0.001)],
    )
    found = scores.tests(scores.read(table))
    ends = [
        (name, *(round(getattr(test.scores["rouge2_f"], end), 6) for end in ("difference", "low", "high")))
        for name, test in found
    ]
    assert ends == [("Lead", 0.1, 0.08, 0.11), ("Oracle", -0.2, -0.21, -0.18)]
    assert [test.verdict("rouge2_f") for _, test in found] == ["above", "below"]


def test_a_zero_difference_has_no_sign():
    table = corpus.table(
        [scored("only", 0.3, model=CHOSEN), scored("lead", 0.3)], [against("lead", ONLY, 0.0, 1.0)]
    )
    [(_, test)] = scores.tests(scores.read(table))
    assert math.copysign(1, test.scores["rouge2_f"].difference) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rouge2_f", "ROUGE-2 F"),
        ("rougeSU4_recall", "ROUGE-SU4 recall"),
        ("rougeL_precision", "ROUGE-L precision"),
        ("loss", "loss"),
    ],
)
def test_metrics_have_the_names_used_in_papers(name, said):
    assert scores.metric(name) == said


def test_the_verdict_of_the_page_follows_the_tests(text):
    table = corpus.table(
        [
            scored("only", 0.3, model=CHOSEN),
            scored("lead", 0.2),
            scored("random", 0.1),
            scored("oracle", 0.5),
        ],
        [
            against(ONLY, "lead", 0.1, 0.001),
            against(ONLY, "random", 0.1, 0.001),
            against(ONLY, "oracle", -0.1, 0.6),
        ],
    )
    said = text(rows=[], table=table)
    assert re.search(r"above</b> Lead, Random;.*no metric.*</b> Oracle\.", said)
    assert 'class="few"' not in said


def test_disagreeing_metrics_are_reported():
    test = against(ONLY, "lead", 0.1, 0.001)
    test["scores"] = {**test["scores"], "rouge3_f": {"difference": 0.1, "low": -0.1, "high": 0.2, "p": 0.3}}
    table = scores.read(corpus.table([scored("only", 0.3, model=CHOSEN), scored("lead", 0.2)], [test]))
    found = scores.verdicts(scores.tests(table), table.metrics)
    assert found == [("only some metrics show a significant difference from", ["Lead"])]


@pytest.mark.parametrize(
    ("papers", "said"),
    [
        (1, "is a point"),
        (5, "fewer than 6"),
        (29, "29 papers"),
    ],
)
def test_a_small_number_of_papers_is_pointed_out(text, papers, said):
    table = corpus.table([scored("only", 0.3, model=CHOSEN, papers=papers)])
    assert re.search(f'class="few".*{said}', text(rows=[], table=table))


def test_without_an_extractor_nothing_is_tested(text):
    said = text(rows=[], table=corpus.table([scored("lead", 0.2)]))
    assert "No extractor" in said and "nothing is tested" in said


def test_left_out_papers_are_named_if_no_system_is_scored(text):
    dataset = SimpleNamespace(values={})
    counted = Counted(dataset, {}, {"": {"empty": 2}}, 0)
    said = text({"talksumm/evaluation": counted, "talksumm/extractor": Counted(dataset, {}, {"": {"no_label": 3}}, 0)},
                rows=[], table=corpus.table([]), models=[])  # fmt: skip
    assert "empty 2" in said and "no label 3" in said


def test_the_scoring_is_described_from_the_params(text):
    params = {"references": "average", "words": 150, "stem": False, "stop_words": False, "resamples": 1000}
    counted = Counted(SimpleNamespace(values={"talksumm.evaluation": params}), {}, {}, 0)
    said = text({"talksumm/evaluation": counted}, rows=[], table=corpus.table([scored("lead", 0.2)]))
    assert all(words in said for words in ("150 words", "without stemming", "with stop words", "the average"))


def test_without_the_datasets_the_page_says_what_to_do():
    ((_, content),) = site.evaluation_pages(Everything(), {})
    for said in (
        b"No systems are scored.",
        b"human_summaries:",
        b"No extractor is trained.",
    ):
        assert said in content
    assert b"evaluation.js" not in content


def test_a_file_that_is_not_json_is_named(tmp_path):
    everything = corpus.corpus(tmp_path, models=[])
    path = everything["talksumm/extractor"][""] / FILES / "models.json"
    path.write_text("[")
    with pytest.raises(
        ValueError, match=rf"{path} cannot be read as JSON: .*; make talksumm/extractor again"
    ):
        dict(site.evaluation_pages(everything, {}))


def test_the_same_data_give_the_same_bytes_for_any_order_of_rows(tmp_path):
    rows = [summary(f"gold-{at}", system, "a b", "a b") for at in range(5) for system in ("lead", "oracle")]
    found = [
        dict(site.evaluation_pages(corpus.corpus(tmp_path / str(at), some), {}))
        for at, some in enumerate((rows, rows[::-1]))
    ]
    assert found[0] == found[1] and list(found[0]) == list(found[1]) and len(found[0]) == 6


def test_a_large_test_set_keeps_papers_by_the_hash_of_their_ids(pages, monkeypatch):
    monkeypatch.setattr(site, "MOST_PAPERS", 3)
    made = pages(rows=[summary(f"gold-{at}") for at in range(9)])
    listed = [paper["id"] for paper in embedded(made["evaluation.html"])["papers"]]
    assert sorted(made) == sorted(["evaluation.html", *(f"evaluation/{one}.js" for one in listed)])
    assert len(listed) == 3 and "3 of 9 papers are here" in " ".join(made["evaluation.html"].decode().split())


def test_long_texts_and_titles_are_cut(pages):
    long = "x" * (site.LONGEST_TEXT + 1)
    made = pages(rows=[summary("gold-a", text=long, reference=long, title="t" * 400)])
    paper = script(made["evaluation/gold-a.js"])
    for whole in (paper["reference"], paper["summaries"][0]["text"]):
        assert len(whole["start"]) == site.LONGEST_TEXT and whole["characters"] == len(long)
    [listed] = embedded(made["evaluation.html"])["papers"]
    assert len(listed["title"]) == site.LONGEST_TITLE + 1


def test_papers_without_a_title_come_last(pages):
    made = pages(
        rows=[summary("gold-a", title=None), summary("gold-b", title="b"), summary("gold-c", title="A")]
    )
    assert [one["id"] for one in embedded(made["evaluation.html"])["papers"]] == [
        "gold-c",
        "gold-b",
        "gold-a",
    ]


def test_source_texts_are_never_markup(pages):
    odd = "</script><script>alert(1)</script>"
    made = pages(
        rows=[summary("gold-a", text=odd, reference=odd, title=odd)],
        table=corpus.table([scored(odd, 0.1)]),
        models=[trained(odd, {odd: [1]})],
    )
    assert all(b"<script>alert" not in content for content in made.values())


def test_the_metric_that_chose_a_model_has_the_first_chart_under_its_own_name():
    [model] = renderer.with_curves(
        [trained(CHOSEN, {"train/loss": [2, 1], "loss": [3, 2], "rouge2_f": [0.1, 0.2]})]
    )
    assert [chart["metric"] for chart in model["charts"]] == ["rouge2_f", "loss"]
    assert model["charts"][1]["points"] == [
        [10, 0, 2, "training"], [20, 1, 1, "training"], [10, 0, 3, "validation"], [20, 1, 2, "validation"],
    ]  # fmt: skip


def test_values_that_are_not_finite_are_counted_and_left_out():
    [model] = renderer.with_curves([trained(CHOSEN, {"loss": [1, math.nan, math.inf]}, best=math.nan)])
    assert model["left_out"] == 2 and model["best"] is None
    assert model["charts"] == [{"metric": "loss", "points": [[10, 0, 1, "validation"]]}]


def test_a_long_curve_keeps_its_best_and_its_last_point(monkeypatch):
    monkeypatch.setattr(renderer, "MOST_POINTS", 10)
    [model] = renderer.with_curves([trained(CHOSEN, {"loss": range(1005)}, best_step=30)])
    steps = [step for step, *_ in model["charts"][0]["points"]]
    assert 30 in steps and steps[-1] == 10_050 and len(steps) <= 11


def test_the_chosen_model_comes_first():
    found = renderer.with_curves([trained("a/b", {}), trained("z/z", {}, chosen=True), trained("c/d", {})])
    assert [one["model"] for one in found] == ["z/z", "a/b", "c/d"]


def test_ratings_have_positions_on_the_scale_of_their_question(text):
    said = text(people=rated([considered(), quality()]))
    assert "<span>0 %</span><span>100 %</span>" in said
    assert "<span>1 (very bad)</span><span>5 (excellent)</span>" in said
    places = re.findall(
        r'<i style="left:(.+?)%;width:(.+?)%"></i><b style="left:min\((.+?)%.*?min\((.+?)%', said
    )
    assert places == [("60.00", "20.00", "72.00", "73.00"), ("25.00", "50.00", "62.50", "68.25")]


def test_ratings_are_next_to_the_numbers_of_the_paper(text):
    said = text(people=rated([considered(), quality()]))
    assert "<b>72.0 %</b> yes" in said and "95 % interval 60.0 % to 80.0 %" in said
    assert "<b>3.50</b>" in said and "95 % interval 2.00 to 4.00" in said
    assert "The paper: <b>73 %</b></p>" in said and "The paper: <b>3.73</b> ± 0.725</p>" in said
    assert "<dt>ties</dt><dd>8</dd>" in said and said.count("<dt>deviation</dt>") == 1


@pytest.mark.parametrize(
    ("papers", "said"),
    [(1, "is a point"), (5, "fewer than 6"), (6, None)],
)
def test_ratings_of_few_papers_are_pointed_out(text, papers, said):
    found = text(people=rated([quality(papers=papers)]))
    assert re.search(f'class="few".*{said}', found) if said else 'class="few"' not in found


def test_one_rating_has_no_deviation(text):
    assert "<dt>deviation</dt><dd>none: one rating" in text(people=rated([quality(deviation=None)]))


def test_a_question_without_answers_says_so_next_to_an_answered_one(text):
    none = dict.fromkeys(("mean", "low", "high", "deviation")) | dict.fromkeys(
        ("papers", "rows", "raters", "ratings", "ties"), 0
    )
    said = text(people=rated([considered(), quality(**none, values=[])]))
    assert "Nobody has answered" in said and "<b>3.73</b>" in said
    assert "<b>72.0 %</b> yes" in said


def test_kappa_without_a_value_says_why(text):
    rows = [agreed("ann", -0.25), agreed("bob", None), agreed("chi", None, rows=0, observed=None)]
    said = text(people=rated([considered()], rows))
    assert "−0.250" in said and "none: one answer only" in said and "none: no row to compare" in said


def test_the_raters_with_the_most_rows_behind_their_agreement_are_shown(text, monkeypatch):
    monkeypatch.setattr(renderer, "MOST_RATERS", 2)
    rows = [
        agreed(name, 0.5, rows=count) for name, count in (("ann", 1), ("bob", 9), ("chi", 9), ("dan", 10))
    ]
    found = renderer.agreement({"agreement": rows})["agreement"]["grid"]
    assert [line.name for line in found.lines] == ["bob", "dan"]
    assert "The 2 of 4 with the most rows are shown" in text(people=rated([considered()], rows))


@pytest.mark.parametrize(
    ("pairs", "folded"),
    [([], 0), ([agreed("ann", 0.6, other="bob")], 1)],
)
def test_two_raters_are_compared_if_there_are_two(text, pairs, folded):
    said = text(people=rated([considered()], [agreed("ann", 0.5)], pairs))
    assert said.count("<details><summary>Each pair of raters: 1 row</summary>") == folded
    assert said.count("ann, bob") == folded


def test_without_a_filled_sheet_the_page_shows_how_to_get_one(text):
    said = text(people=NO_RATINGS)
    for wanted in (
        "No ratings yet.",
        "make run SELECT=talksumm/rating_sheets",
        "make run SELECT=talksumm/human_evaluation",
        "docs/how-to/human-evaluation.md",
        "kind: rating_sheets",
    ):
        assert wanted in said


def test_answers_that_do_not_count_are_named(text):
    counted = Counted(SimpleNamespace(values={}), {"": {"rejected": 2}}, {"": {"no_answer": 3}}, 0)
    numbers = {site.PEOPLE: counted}
    said = text(numbers, people=NO_RATINGS)
    assert "<b>No answers count.</b> Left out: no answer 3, rejected 2" in said


def test_names_of_raters_are_never_markup(text):
    odd = "<script>alert(1)</script>"
    rows = [agreed(odd, 0.5)], [agreed(odd, 0.5, other=odd)]
    said = text(people=rated([considered()], *rows))
    assert "<script>alert" not in said and "&lt;script&gt;alert" in said


def test_pages_of_datasets_link_to_sections_of_the_page(text):
    said = text(people=rated([considered()]))
    pictures = SYSTEM.pictures.items()
    links = {name: link.partition("#")[2] for name, link in pictures if link.startswith("evaluation")}
    assert links["talksumm/human_evaluation"] == links["talksumm/rating_sheets"] == "people"
    assert all(f'id="{place}"' in said for place in links.values() if place)


def test_architectures_are_compared_by_training_set_with_the_second_one_first(text):
    systems_found = [
        scored("only", 0.3, model=CHOSEN),
        scored("only", 0.2, model="pointer/oracle", chosen=False),
    ]
    table = corpus.table(systems_found)
    table["architectures"] = [against("only (pointer/oracle)", "only (transformer/oracle)", -0.1, 0.01)]
    [(name, test)] = scores.architectures(table)
    assert name == "transformer against pointer, both of oracle" and test.verdict("rouge2_f") == "above"
    assert test.scores["rouge2_f"].difference == pytest.approx(0.1)
    shown = text(table=table)
    assert ": 1 training set<" in shown and name in shown
