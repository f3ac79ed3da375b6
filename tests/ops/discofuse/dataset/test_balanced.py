"""Down-sampling: the caps hold, nothing is dropped needlessly, and the draw is the same in any order."""

from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.sampling import place_of
from silverloom.ops.discofuse.dataset.balanced import BalancedParams, Caps, balanced, most
from silverloom.ops.discofuse.schemas import EXAMPLES
from tests.ops.discofuse.example_cases import example
from tests.parts import parts

KINDS = {
    "none": ("PAIR_NONE", ""),
    "and": ("SINGLE_S_COORD", ", and"),
    "but": ("SINGLE_VP_COORD", "but"),
    "he": ("PAIR_ANAPHORA", ""),
    "and he": ("SINGLE_S_COORD_ANAPHORA", "and"),
    "but he": ("PAIR_CONN_ANAPHORA", "but"),
    "although": ("SINGLE_CONN_START", "although"),
}


def rows(counts, **more):
    return [
        example(
            f"{more.get('domain', 'sports')}-{more.get('split', 'train')}-{kind}-{n}",
            discourse_type=KINDS[kind][0], connective_string=KINDS[kind][1], **more,
        )
        for kind, count in counts.items()
        for n in range(count)
    ]  # fmt: skip


def run(folder, params, *tables):
    outcomes = list(balanced(parts(folder, EXAMPLES.kept, *tables), params))
    kept = pa.concat_tables([one.kept for one in outcomes])
    dropped = pa.concat_tables([one.dropped for one in outcomes])
    return kept, dropped, outcomes


def kinds(table):
    return Counter(name.split("-")[2] for [name] in table["source_ids"].to_pylist())


def obvious(examples, caps, seed):
    """The greatest n for which n stay if the caps are shares of n, by trying every n."""
    order = sorted(examples, key=lambda row: (place_of(seed, row["id"]), row["id"]))
    for total in range(len(order), -1, -1):
        left = order
        chosen = [row for row in left if row["discourse_type"] == "PAIR_NONE"][: most(total, caps.control)]
        left = [row for row in left if row["discourse_type"] != "PAIR_NONE" or row in chosen]
        for name, share in (("and", caps.and_), ("but", caps.but)):
            chosen = [row for row in left if row["connective_string"].strip(", ") == name][
                : most(total, share)
            ]
            left = [row for row in left if row["connective_string"].strip(", ") != name or row in chosen]
        chosen = [row for row in left if "ANAPHORA" in row["discourse_type"]][: most(total, caps.anaphora)]
        left = [row for row in left if "ANAPHORA" not in row["discourse_type"] or row in chosen]
        if len(left) == total:
            return {row["id"] for row in left}
    raise AssertionError("nothing always stays nothing")


shares = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


@given(
    st.dictionaries(st.sampled_from(sorted(KINDS)), st.integers(0, 9)),
    shares,
    shares,
    shares,
    shares,
    st.integers(0, 3),
)
def test_caps_hold_and_no_more_is_dropped_than_they_require(
    tmp_path_factory, counts, one, two, three, four, seed
):
    caps = Caps(**{"and": one, "but": two, "anaphora": three, "control": four})
    given_rows = rows(counts)
    folder = tmp_path_factory.mktemp("balanced")
    kept, dropped, _ = run(folder, BalancedParams(caps=caps, domains={}, seed=seed), given_rows)
    assert {name for [name] in kept["source_ids"].to_pylist()} == obvious(given_rows, caps, seed)
    total = kept.num_rows
    connectives = [name.strip(", ") for name in kept["connective_string"].to_pylist()]
    assert connectives.count("and") <= one * total + 1e-9 and connectives.count("but") <= two * total + 1e-9
    assert sum("ANAPHORA" in name for name in kept["discourse_type"].to_pylist()) <= three * total + 1e-9
    assert kept["discourse_type"].to_pylist().count("PAIR_NONE") <= four * total + 1e-9
    assert total + dropped.num_rows == len(given_rows)


def test_each_dropped_example_names_the_cap_that_dropped_it(tmp_path):
    caps = Caps(**{"and": 0.2, "but": 0.2, "anaphora": 0.2, "control": 0.3})
    kept, dropped, _ = run(
        tmp_path,
        BalancedParams(caps=caps, domains={}),
        rows({"none": 60, "and": 50, "but": 50, "he": 50, "although": 10}),
    )
    assert kept.num_rows == 100 and kinds(kept) == {
        "none": 30,
        "although": 10,
        "and": 20,
        "but": 20,
        "he": 20,
    }
    assert Counter(dropped["reason"].to_pylist()) == {
        "capped_control": 30,
        "capped_and": 30,
        "capped_but": 30,
        "capped_anaphora": 30,
    }
    numbers = [place_of(0, name) for [name] in kept["source_ids"].to_pylist() if "-and-" in name]
    lost = [row["score"] for row in dropped.to_pylist() if row["reason"] == "capped_and"]
    assert max(numbers) < min(lost)


def test_caps_apply_to_each_domain_and_split_and_a_domain_may_have_its_own(tmp_path):
    given_rows = [
        *rows({"none": 30, "and": 30}),
        *rows({"none": 30, "and": 30}, split="test"),
        *rows({"none": 30, "and": 30}, domain="encyclopedia"),
    ]
    params = BalancedParams(
        caps=Caps(**{"and": 0.25, "control": 1.0}),
        domains={"encyclopedia": Caps(**{"and": 1.0, "control": 1.0})},
    )
    kept, _, _ = run(tmp_path, params, given_rows)
    counted = Counter((row["domain"], row["split"], row["connective_string"]) for row in kept.to_pylist())
    assert counted == {
        ("sports", "train", ""): 30, ("sports", "train", ", and"): 10,
        ("sports", "test", ""): 30, ("sports", "test", ", and"): 10,
        ("encyclopedia", "train", ""): 30, ("encyclopedia", "train", ", and"): 30,
    }  # fmt: skip


def test_the_mixture_has_equal_numbers_of_the_two_largest_domains_in_each_split(tmp_path):
    given_rows = [
        *rows({"although": 20}), *rows({"although": 7}, split="test"), *rows({"although": 2}, split="validation"),
        *rows({"although": 12}, domain="encyclopedia"), *rows({"although": 9}, domain="encyclopedia", split="test"),
        *rows({"although": 5}, domain="law"),
    ]  # fmt: skip
    kept, _, _ = run(tmp_path, BalancedParams(), given_rows)
    mixed = Counter((row["domain"], row["split"]) for row in kept.to_pylist() if row["mixture"])
    assert mixed == {
        ("sports", "train"): 12, ("encyclopedia", "train"): 12, ("sports", "test"): 7, ("encyclopedia", "test"): 7
    }  # fmt: skip
    one, _, _ = run(tmp_path / "one", BalancedParams(), rows({"although": 5}))
    assert not any(one["mixture"].to_pylist())


def test_the_fate_of_an_example_does_not_depend_on_parts_or_memory(tmp_path, monkeypatch):
    given_rows = [
        row
        for domain in ("law", "sports", "news")
        for split in ("train", "test")
        for row in rows(dict.fromkeys(KINDS, 50), domain=domain, split=split)
    ]
    fates = []
    for number, (several, memory) in enumerate([(1, "2GB"), (7, "2GB"), (7, "16MB")]):
        monkeypatch.setattr("silverloom.ops.core.database.MEMORY", memory)
        tables = [given_rows[start::several] for start in range(several)]
        kept, dropped, _ = run(tmp_path / str(number), BalancedParams(), *tables)
        fates.append(
            [
                sorted((name, row["mixture"]) for row in kept.to_pylist() for name in row["source_ids"]),
                sorted((row["id"], row["reason"], row["score"]) for row in dropped.to_pylist()),
            ]
        )
    assert fates[0] == fates[1] == fates[2] and all(fates[0])
