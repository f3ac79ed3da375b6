"""The page of the evaluation in a real browser: scores, tests, people, curves, and summaries next to human ones."""

import re
from itertools import pairwise
from random import Random

import pytest
from playwright.sync_api import expect

from silverloom.ops.metrics.rouge import rouge_tokens
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
from tests.browser.fixtures import VIEWS

ODD = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>'
REFERENCE = "We align talks, and train a neural model on Silver-labels; the model is good. It works."
BASELINES = ("abstract", "lead", "random", "textrank", "sumbasic", "oracle")
ROWS = [
    *[
        summary(f"gold-{at:02d}", system, f"The {system} of paper {at}.", REFERENCE, title=f"On matter {at:02d}")
        for at in range(2, 40)
        for system in BASELINES
    ],
    summary("gold-00", "only", "Here we train a neural  model! On silver labels, the model is bad.", REFERENCE,
            model=CHOSEN, title="A first paper", references=3, score=0.3142),
    summary("gold-00", "lead", f"Nothing shared {ODD}", REFERENCE, title="A first paper"),
    summary("gold-00", "only", "Other silver labels.", REFERENCE, model="pointer/oracle", chosen=False,
            title="A first paper"),
    summary("gold-01", "lead", "words " * 3_000, "The words words of a human.", title=None),
]  # fmt: skip
ONLY = f"only ({CHOSEN})"
TABLE = corpus.table(
    [
        *[scored(name, 0.1 + at / 50) for at, name in enumerate(BASELINES)],
        scored("only", 0.21, model=CHOSEN),
        scored("hybrid", 0.25, model=CHOSEN),
        scored("only", 0.19, model="pointer/oracle", chosen=False),
    ],
    [
        against("lead", ONLY, -0.09, 0.0004),
        against("abstract", ONLY, 0.002, 0.6),
        against(ONLY, "oracle", -0.1, 0.002),
        against("lead", "random", 0.1, 0.002),
    ],
)
CURVES = {"train/loss": [3, 2.5, 2.2, 2.1], "loss": [3.1, 2.7, 2.8, 2.9], "rouge2_f": [0.1, 0.25, 0.2, 0.22]}
MODELS = [trained("pointer/oracle", CURVES), trained(CHOSEN, CURVES, chosen=True)]
PEOPLE = rated(
    [considered(), quality()],
    [
        agreed("ann", 0.768),
        agreed("bob", -0.1),
        agreed("ann", 0.0, question="quality", rows=3),
        agreed(ODD, None, question="quality", rows=1),
    ],
    [
        agreed("ann", 0.72, other="bob"),
        agreed("ann", None, other=ODD, question="quality", rows=0, observed=None),
    ],
)
ALL = {"rows": ROWS, "table": TABLE, "models": MODELS, "people": PEOPLE}


@pytest.fixture
def page(visit, tmp_path):
    def page(hash="", given=ALL, **how):
        everything = corpus.corpus(tmp_path, **given)
        opened = visit(corpus.site(tmp_path, everything).as_uri() + hash, **how)
        if given.get("rows"):
            opened.page.locator("#viewer .sides").first.wait_for()
        return opened

    return page


def assert_marks(opened, side, words):
    expect(opened.page.locator("#viewer .summary").nth(side).locator("mark")).to_have_text(words)


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_is_readable_and_accessible(page, width, scheme):
    opened = page(width=width, scheme=scheme)
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    opened.page.locator(".chart svg").nth(3).wait_for()
    opened.assert_fine()


def test_the_chosen_extractor_comes_first_and_other_extractors_after_a_line(page):
    opened = page()
    rows = opened.page.locator("#scores-title ~ .scroll tbody tr")
    expect(rows).to_have_count(2 + len(BASELINES))
    for at, name in enumerate([ONLY, f"hybrid ({CHOSEN})", *BASELINES]):
        expect(rows.nth(at)).to_have_attribute("data-row", name)
    other = opened.page.get_by_text("pointer/oracle", exact=True).first
    expect(other).to_be_hidden()
    opened.page.get_by_text("Other extractors: 1 more row").click()
    expect(other).to_be_visible()


def test_a_difference_is_relative_to_the_extractor_whichever_system_came_first(page):
    expect(page().page.locator("#tests tbody td:nth-of-type(1)")).to_have_text(
        [
            "no significant difference\n−0.20 (−2.20 to +0.80)\np = 0.600",
            "above\n+9.00 (+7.00 to +10.00)\np < 0.001",
            "below\n−10.00 (−11.00 to −8.00)\np = 0.002",
        ],
        use_inner_text=True,
    )


def test_the_curves_of_the_chosen_model_are_drawn_and_others_when_they_are_opened(page):
    opened = page()
    charts = opened.page.locator(".chart svg")
    charts.nth(1).wait_for()
    expect(opened.page.locator("details.model").first.locator("h3")).to_have_text(["ROUGE-2 F", "loss"])
    expect(charts).to_have_count(2)
    opened.page.locator("details.model > summary").nth(1).click()
    charts.nth(3).wait_for()
    assert min(chart.bounding_box()["width"] for chart in charts.all()) > 200


def test_the_share_of_each_answer_is_a_bar(page):
    bars = page().page.locator("[data-question=quality] .answers .bar")
    shares = [bar.locator("i").bounding_box()["width"] / bar.bounding_box()["width"] for bar in bars.all()]
    assert shares == pytest.approx([0, 0.1, 0.4, 0.4, 0.1], abs=0.01)
    assert bars.first.bounding_box()["width"] > 50


def test_agreement_of_raters_is_open_and_that_of_pairs_is_folded(page):
    opened = page()
    rows = opened.page.locator("#agreement + .scroll tbody tr")
    for at, cells in {
        1: ["bob", "considered", "−0.100", "90.0 %", "85", "5"],
        3: [ODD, "quality", "none: one answer only", "90.0 %", "1", "5"],
    }.items():
        expect(rows.nth(at).locator("th, td")).to_have_text(cells)
    pair = opened.page.get_by_text("ann, bob")
    expect(pair).to_be_hidden()
    opened.page.get_by_text("Each pair of raters: 2 rows").press("Enter")
    expect(pair).to_be_visible()


def test_shared_words_are_marked_on_both_sides_ignoring_case_and_punctuation(page):
    opened = page()
    assert_marks(opened, 0, ["train a neural model! On silver labels, the model is"])
    assert_marks(opened, 1, ["train a neural model on Silver-labels; the model is"])
    opened.assert_text("10 words", "77 %", "31.42")


def test_texts_are_shown_and_never_run(page):
    opened = page("#paper=gold-00&system=lead")
    opened.assert_text(ODD)
    opened.assert_sound()
    expect(opened.page).to_have_title(re.compile("^Evaluation"))


def test_paper_and_system_are_chosen_and_are_in_the_address(page):
    opened = page()
    opened.page.get_by_role("searchbox").fill("matter 17")
    opened.assert_text("1 of 1 found", "The abstract of paper 17.")
    opened.page.locator("#system").select_option("textrank")
    opened.assert_text("The textrank of paper 17.")
    expect(opened.page).to_have_url(re.compile("paper=gold-17.*system=textrank"))
    opened.page.reload()
    opened.assert_text("The textrank of paper 17.")
    opened.page.get_by_role("button", name="Next paper").click()
    opened.assert_text("The textrank of paper 18.")
    opened.page.get_by_role("searchbox").fill("no such paper")
    opened.assert_text("0 of 40 papers")
    expect(opened.page.locator("#paper")).to_be_disabled()


def test_an_address_with_a_paper_leads_to_its_summaries(page):
    opened = page("#paper=gold-05&system=lead")
    opened.assert_text("The lead of paper 5.")
    assert_near_top(opened, "summaries")


def assert_near_top(opened, name):
    """An element is moved to the first screen."""
    opened.page.wait_for_function(
        "name => document.getElementById(name).getBoundingClientRect().top < 600", arg=name
    )


def test_an_address_of_something_that_does_not_exist_says_so(page):
    opened = page("#paper=gold-99")
    opened.assert_text("gold-99", "Here we train a")
    opened.page.evaluate("location.hash = 'paper=gold-05&system=only'")
    opened.assert_text("The abstract of paper 5.")


def test_a_chosen_run_is_shown_in_both_texts(page):
    opened = page()
    button = opened.page.get_by_role("button", name="train a neural model on silver labels the model is")
    button.press("Enter")
    expect(opened.page.locator("mark.on")).to_have_count(2)
    button.press("Enter")
    expect(opened.page.locator("mark.on")).to_have_count(0)


@pytest.mark.parametrize(
    "given", [{}, {"rows": [], "table": corpus.table([])}, {"models": []}, {"people": rated([])}]
)
def test_missing_data_is_reported_with_what_to_do(page, given):
    opened = page(given=given)
    opened.assert_text("cl_scisumm_summaries")
    opened.assert_seen("#no-models")
    opened.assert_text("make run SELECT=talksumm/rating_sheets")
    opened.assert_fine()


def test_rows_without_their_table_are_still_shown(page):
    opened = page(given={"rows": ROWS})
    opened.assert_text("table.json", "train a neural model! On silver")
    opened.assert_fine()


def test_shared_runs_are_the_longest_and_may_overlap(page):
    opened = page()
    for ours, theirs, runs in (
        ("a b c d", "a b x c d", [[0, 1], [2, 3]]),
        ("a b c d", "a b c x b c d", [[0, 2], [1, 3]]),
        ("a a a", "a a", [[0, 1], [1, 2]]),
        ("a b c", "c b a", []),
        ("a b", "", []),
        ("", "a b", []),
    ):
        script = "([ours, theirs]) => silverloom.sharedRuns(ours, theirs)"
        assert opened.page.evaluate(script, [ours.split(), theirs.split()]) == runs, (ours, theirs)


def test_exactly_the_words_of_shared_bigrams_are_marked(page):
    opened = page()
    script = "([ours, theirs]) => silverloom.sharedRuns(ours, theirs)"
    random = Random(0)
    for _ in range(200):
        ours, theirs = ([random.choice("abcd") for _ in range(random.randrange(12))] for _ in range(2))
        shared = set(pairwise(ours)) & set(pairwise(theirs))
        wanted = {at + off for at, pair in enumerate(pairwise(ours)) if pair in shared for off in (0, 1)}
        runs = opened.page.evaluate(script, [ours, theirs])
        assert {at for first, last in runs for at in range(first, last + 1)} == wanted, (ours, theirs)
        for first, last in runs:
            assert "".join(ours[first : last + 1]) in "".join(theirs)


def test_words_are_those_that_rouge_counts(page):
    text = "Naïve BERT-base's 3.14, İstanbul\u2014ＡＢＣ \u212aelvin x_y <b>RÖSTI</b>"
    found = page().page.evaluate("(text) => silverloom.rougeWords(text).map(([token]) => token)", text)
    assert found == rouge_tokens(text).running
