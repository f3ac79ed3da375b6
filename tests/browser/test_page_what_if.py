"""The what-if page about other thresholds, with few scores, many, none, and malicious texts."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import expect

from silverloom.assets.declare.declaration import Knob, Threshold
from silverloom.assets.declare.graph import Everything
from silverloom.ops.core.thresholds import at_least, at_most, scored
from silverloom.ops.talksumm.pairing import PairParams
from silverloom.orchestration.definitions import workspace
from silverloom.pages import what_if
from silverloom.pages.html import embedded, render
from tests.browser.fixtures import VIEWS
from tests.browser.written import write_site

HARM = "<script>window.harmed = true</script><b>bold</b> \u202e\x07" + "long " * 200_000


def content(units, rule=at_least, value=0.5, name="threshold"):
    """The content of the page for a threshold over some units, by the page's own function."""
    parts = [units[start : start + 5_000] for start in range(0, max(len(units), 1), 5_000)]
    return content_of(parts, rule, value, name)


def content_of(parts, rule=at_least, value=0.5, name="threshold"):
    def scores(params):
        yield from map(scored, parts)

    threshold = Threshold(PairParams, name, rule, scores, (0.2, 0.8), "how near it is", "talks")
    knob = Knob(f"talksumm.pairs.{name}", "", value)
    dataset = workspace().datasets["talksumm/pairs"]
    return what_if.what_if(Everything({dataset.name: {"": None}}), dataset, threshold, knob)


@pytest.fixture
def opened(visit, tmp_path):
    def opened(*contents, fragment="", **how):
        listed = [{key: one[key] for key in what_if.LISTED} for one in contents]
        page = render("what-if.html", "what_if.html", "What if", data=listed, thresholds=listed)
        scripts = [(one["script"], f"silverloom.whatIf({embedded(one)});".encode()) for one in contents]
        site = write_site(tmp_path, [page, *scripts])
        return visit((site / "what-if.html").as_uri() + fragment, **how)

    return opened


UNITS = [(f"talk-{n}", n / 100, f"Talk {n}") for n in range(100)] + [("none", None, "never kept")]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_works_at_every_width(opened, width, scheme):
    page = opened(content(UNITS), content([], name="margin", value=0.05), width=width, scheme=scheme)
    page.assert_text("50 of 101 talks")
    page.assert_fine()


def test_another_value_counts_shows_the_rows_next_to_it_and_can_be_linked_to(opened):
    page = opened(content(UNITS))
    page.page.fill("#value", "0.305")
    page.assert_text("69 of 101 talks", "+19", "dvc exp run -S ++talksumm.pairs.threshold=0.305")
    kept, lost = (
        page.page.locator(f"section[aria-label^='{name}'] tbody tr") for name in ("Kept", "Dropped")
    )
    for rows, nearest in ((kept, ["0.31", "Talk 31"]), (lost, ["0.3", "Talk 30"])):
        expect(rows).to_have_count(10)
        expect(rows.first.locator("th, td")).to_have_text(nearest)
    page.assert_address("#talksumm/pairs/talksumm.pairs.threshold=0.305")
    opened(content(UNITS), fragment="#talksumm/pairs/talksumm.pairs.threshold=0.305").assert_text(
        "69 of 101 talks"
    )


def test_the_slider_moves_by_keyboard_and_the_table_links_to_other_values(opened):
    page = opened(content(UNITS), content(UNITS, at_most, 0.05, "margin"))
    page.page.focus("#slider")
    page.page.keyboard.press("Home")
    page.assert_text("100 of 101 talks")
    page.page.click("a[href='#talksumm/pairs/talksumm.pairs.margin=0.2']")
    page.assert_text("21 of 101 talks", "+15", "how near it is ≤")
    page.assert_sound()


def test_texts_are_shown_and_never_run_and_long_ones_are_cut(opened):
    page = opened(content([("talk-1", 0.6, HARM), ("talk-2", 0.4, HARM)]))
    page.assert_text("<script>window.harmed")
    assert page.page.evaluate("window.harmed") is None
    shown = page.page.locator("section[aria-label^='Kept'] tbody")
    expect(shown).to_have_text(re.compile(r"^[\s\S]{1,400}$"), use_inner_text=True)
    page.assert_fine()


def test_missing_scores_are_reported(opened):
    page = opened(content([]))
    page.assert_text("0 of 0 talks", "none")
    page.assert_fine()


def test_many_scores_are_bounded_and_the_count_states_its_error(opened):
    units = [(f"talk-{n}", n / 30_000, f"Talk {n}") for n in range(30_000)]
    one = content(units)
    assert len(json.dumps(one)) < 400_000 and not one["exact"]
    assert dict(one["tried"]) == {0.2: 24_000, 0.5: 15_000, 0.8: 6_000}
    page = opened(one)
    page.page.fill("#value", "0.31234")
    expect(page.page.locator(".summary")).to_contain_text("0.31234")
    said = page.page.locator(".summary").inner_text().replace("\u202f", "")
    counted, off = (int(said.split(mark)[1].split()[0].strip(").")) for mark in ("about ", "off by at most "))
    assert abs(counted - sum(score >= 0.31234 for _, score, _ in units)) <= off < 30
    page.assert_text(f"{len(one['rows']):,}".replace(",", "\u202f"))


def test_the_chosen_rows_do_not_depend_on_their_parts():
    units = [(f"talk-{n}", (n * 7919 % 9001) / 9001, f"Talk {n}") for n in range(9_001)]
    parts = [units[start : start + 100] for start in range(0, len(units), 100)]
    found, again = (content_of(parts)["rows"] for parts in (parts, [units[::-1]]))
    assert found == again
    nearest = sorted(units, key=lambda unit: abs(unit[1] - 0.5))[:10]
    assert {unit[0] for unit in nearest} <= {name for _, name, _ in found}


def test_scores_of_another_rule_are_refused():
    with pytest.raises(
        ValueError, match=r"threshold: by their scores 50 talks would be kept at 0.5, but .* has 49"
    ):
        what_if.check_kept(content(UNITS), 49)


def test_a_threshold_may_be_counted_from_the_rows_of_its_own_dataset(tmp_path):
    dataset = workspace().datasets["talksumm/pairs"]
    for part, ids in (("kept-00000", ["a", "b"]), ("__dropped/dropped-00000", ["c"])):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": ids}), tmp_path / f"{part}.parquet")

    def scores(kept, dropped):
        for parts, score in ((kept, 0.7), (dropped, 0.3)):
            for part in parts.parts:
                yield scored((name, score, name) for name in part.read(["id"])["id"].to_pylist())

    threshold = Threshold(PairParams, "margin", at_least, scores, (0.2, 0.8), "how near it is", "talks")
    threshold.check(dataset.name, [], [PairParams])
    knob = Knob("talksumm.pairs.margin", "", 0.5)
    content = what_if.what_if(Everything({dataset.name: {"": tmp_path}}), dataset, threshold, knob)
    assert content["tried"] == [[0.2, 3], [0.5, 2], [0.8, 0]]
    assert what_if.kept_count({"": tmp_path}, threshold, knob) == 2


def test_the_threshold_of_two_datasets_is_told_apart(opened):
    first = content(UNITS)
    second = {**content(UNITS[:70]), "dataset": "two/pairs", "key": "two/pairs/talksumm.pairs.threshold"}
    second["script"] = "what-if/second.js"
    page = opened(first, second, fragment="#two/pairs/talksumm.pairs.threshold=0.5")
    page.assert_text("20 of 70 talks")
    page.page.click("a[href='#talksumm/pairs/talksumm.pairs.threshold=0.5']")
    page.assert_text("50 of 101 talks")


def test_an_unknown_threshold_of_a_dataset_is_refused():
    def scores(talks):
        yield pa.table({})

    def threshold(param, rule=at_least):
        return Threshold(PairParams, param, rule, scores, (), "", "")

    with pytest.raises(LookupError, match=r"has no param talksumm\.pairs\.limit"):
        threshold("limit").check("one/two", ["talks"], [PairParams])
    with pytest.raises(LookupError, match="ask for 'talks', which it does not read"):
        threshold("margin").check("one/two", ["papers"], [PairParams])
    with pytest.raises(TypeError, match="is not one of those"):
        threshold("margin", max).check("one/two", ["talks"], [PairParams])
