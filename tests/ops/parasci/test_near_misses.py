"""Which pairs are near misses, in what they differ, and in which split they are."""

import json
from collections import Counter

import pytest
from datasets import load_dataset
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from silverloom.ops.core.parts import FilesFolder, temporary_folder
from silverloom.ops.parasci.dataset.agreement import agreement
from silverloom.ops.parasci.dataset.filtered import FilterParams, Limits
from silverloom.ops.parasci.dataset.near_misses import NearMissParams, difference, near_misses
from silverloom.ops.parasci.dataset.paraphrases import ParaphraseParams, links_of
from silverloom.ops.parasci.dataset.release import released
from silverloom.ops.parasci.schemas import NEAR_MISSES, PARAPHRASES, SCORED
from tests.ops.parasci.parasci_cases import scored_pair
from tests.parts import dealt

FILTERING = FilterParams(
    origins={
        "intra": Limits(consistency=3.5, length_rate=1.0),
        "definitions": Limits(consistency=3.0, length_rate=2.0),
    }
)


def paraphrase(name, split, **more):
    return {**scored_pair(name, **more), "origin": "intra", "surplus": 0.1, "cluster": "c", "split": split, "set": "s"}  # fmt: skip


def found(folder, rows, ours=(), splitting=None, **params):
    """Return the kept rows by the id of their pair, and the reason of every other pair."""
    outcomes = list(
        near_misses(
            dealt(folder / "scored", SCORED.kept, rows, 2),
            dealt(folder / "ours", PARAPHRASES.kept, list(ours)),
            NearMissParams(**params),
            FILTERING,
            splitting or ParaphraseParams(),
        )
    )
    assert all(outcome.kept.schema == NEAR_MISSES.kept for outcome in outcomes)
    kept = {row["source_ids"][0]: row for outcome in outcomes for row in outcome.kept.to_pylist()}
    lost = {row["id"]: row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()}
    assert sorted(unit for outcome in outcomes for unit in outcome.units.to_pylist()) == sorted(
        row["id"] for row in rows
    )
    return kept, lost


def pair(name, consistency, **more):
    return scored_pair(
        name, f"First {name}.", f"Second {name}.", consistency, **{"keys": [f"intra:{name}"], **more}
    )


def test_near_misses_are_somewhat_below_the_lowest_threshold_of_their_origins(tmp_path):
    rows = [
        pair("passes", 3.6),
        pair("near", 3.21),
        pair("first", 3.2),
        pair("last", 2.5),
        pair("far", 2.49),
        pair("both", 2.7, origins=["definitions", "intra"]),
        pair("both near", 2.8, origins=["definitions", "intra"]),
        pair("long", 3.0, length_rate=1.0),
        pair("long definition", 2.6, length_rate=1.9, origins=["definitions"]),
        pair("torn", 3.0, well_formed=0.79),
    ]
    kept, lost = found(tmp_path, rows)
    assert {name: (row["origin"], row["shortfall"]) for name, row in kept.items()} == {
        "first": ("intra", 0.3), "last": ("intra", 1.0), "both": ("definitions", 0.3),
        "long definition": ("definitions", 0.4),
    }  # fmt: skip
    assert lost == {
        "passes": "near", "near": "near", "far": "far", "both near": "near", "long": "length_rate", "torn": "well_formed",
    }  # fmt: skip
    assert set(found(tmp_path / "off", rows, enabled=False)[1].values()) == {"not_enabled"}


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ValidationError, match=r"nearest .* is above farthest"):
        NearMissParams(nearest=0.5, farthest=0.4)


def test_a_sentence_is_in_no_more_near_misses_than_in_paraphrases(tmp_path):
    rows = [scored_pair(str(n), "One sentence.", f"Other {n}.", 3.0, keys=["intra:p"]) for n in range(5)]
    kept, lost = found(tmp_path, rows)
    assert len(kept) == 2 and list(lost.values()) == ["repeated"] * 3


def test_a_near_miss_is_in_the_split_of_the_paraphrases_that_it_belongs_with(tmp_path):
    ours = [
        paraphrase("a", "test", first="A tree.", second="A bush.", keys=["intra:p"]),
        paraphrase("b", "validation", first="A river.", second="A brook.", keys=["intra:q"]),
    ]
    rows = [
        pair("by its paper", 3.0, keys=["intra:p"]),
        scored_pair("by a sentence", "The river!", "Some lake.", 3.0, keys=["intra:r"]),
        scored_pair("of two", "The tree?", "A stone.", 3.0, keys=["intra:q"]),
    ]
    kept, lost = found(tmp_path, rows, ours)
    assert {name: row["split"] for name, row in kept.items()} == {
        "by its paper": "test",
        "by a sentence": "validation",
    }
    assert lost == {"of two": "two_splits"}


NAMES = st.sampled_from("abcdef")


@given(
    st.lists(st.tuples(NAMES, NAMES, st.sampled_from("pqrs")), max_size=12),
    st.lists(
        st.tuples(NAMES, NAMES, st.sampled_from("pqrs"), st.sampled_from(["train", "test"])), max_size=3
    ),
)
def test_no_link_is_in_two_splits(pairs, of_ours):
    ours, taken = [], {}
    for number, (first, second, key, split) in enumerate(of_ours):
        row = paraphrase(str(number), split, first=first, second=second, keys=[f"intra:{key}"])
        if all(taken.setdefault(link, split) == split for link in links_of(row)):
            ours.append(row)
    taken = {link: row["split"] for row in ours for link in links_of(row)}
    rows = [
        scored_pair(str(number), first, second, 3.0, keys=[f"intra:{key}"])
        for number, (first, second, key) in enumerate(pairs)
    ]
    with temporary_folder() as folder:
        kept, lost = found(folder, rows, ours, ParaphraseParams(validation=0.3, test=0.3))
    assert len(kept) + len(lost) == len(rows)
    for row in kept.values():
        assert all(taken.setdefault(link, row["split"]) == row["split"] for link in links_of(row))
    uses = Counter(row[side] for row in kept.values() for side in ("first", "second"))
    assert max(uses.values(), default=0) <= 4


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("The error falls to 3 points.", "The error falls to 4 points.", "conflict"),
        ("The model reads 3 books.", "The model reads the books.", "topic"),
        ("The parser is fast.", "The parser is not fast.", "conflict"),
        ("Recall is higher with it.", "Recall is lower with it.", "conflict"),
        (
            "We train a parser.",
            "We train a parser on news and reach the best accuracy of all systems.",
            "one_sided",
        ),
        ("We train the parser on news.", "We test the parser on speech.", "topic"),
    ],
)
def test_the_difference_is_a_conflict_more_on_one_side_or_the_topic(first, second, kind):
    assert difference(first, second, agreement(first, second)._asdict()) == kind
    assert difference(second, first, agreement(second, first)._asdict()) == kind


def test_near_misses_are_a_configuration_of_the_release_with_label_0(tmp_path):
    ours = dealt(tmp_path / "ours", PARAPHRASES.kept, [paraphrase("a", "train", first="A.", second="B.")])
    kept, _ = found(tmp_path, [pair("x", 3.0, keys=["intra:p"]), pair("y", 2.0)], ours.read().to_pylist())
    stored = dealt(tmp_path / "near", NEAR_MISSES.kept, list(kept.values()))
    [outcome] = released(ours, stored, FilesFolder(tmp_path / "out"))
    loaded = load_dataset(str(tmp_path / "out"), "near-misses", cache_dir=str(tmp_path / "cache"))
    assert {split: rows.num_rows for split, rows in loaded.items()} == {"train": 1}
    row = loaded["train"][0]
    assert (row["source"], row["target"], row["label"]) == ("First x.", "Second x.", 0)
    assert (row["difference"], row["consistency"], row["shortfall"]) == (kept["x"]["difference"], 3.0, 0.5)
    positives = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines()]
    assert [line["label"] for line in positives] == [1]
    assert outcome.kept["pairs"].to_pylist() == [1]
