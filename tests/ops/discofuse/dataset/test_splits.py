"""Examples read the other way: sentences with all their splits."""

import pyarrow as pa

from silverloom.ops.discofuse.dataset.splits import splits
from silverloom.ops.discofuse.schemas import EXAMPLES, SENTENCE_SPLITS
from tests.ops.discofuse.example_cases import example


def single(name, sentence, **more):
    told = {
        "discourse_type": "SINGLE_S_COORD", "connective_string": ", and", "coherent_second_sentence": "",
        "document_id": "d", "sentence": sentence, "fused_detokenised": f"Sentence {sentence}, and more.",
        "unfused_detokenised": f"Split {name}. More.",
    }  # fmt: skip
    return example(name, **{**told, **more})


def made(*rows):
    return splits(pa.Table.from_pylist(list(rows), EXAMPLES.kept))


def test_each_sentence_has_all_its_splits_in_the_order_of_the_rules():
    other = {"discourse_type": "SINGLE_VP_COORD", "connective_string": "and"}
    outcome = made(single("a", 3), single("b", 4), single("c", 3, **other), single("e", 3, document_id="f"))
    assert outcome.kept.schema == SENTENCE_SPLITS.kept
    first, *others = outcome.kept.to_pylist()
    assert first["source_ids"] == ["a", "c"] and first["text"] == "Sentence 3, and more."
    assert first["splits"] == ["Split a. More.", "Split c. More."]
    assert first["discourse_types"] == ["SINGLE_S_COORD", "SINGLE_VP_COORD"]
    assert first["connectives"] == [", and", "and"]
    assert [row["source_ids"] for row in others] == [["b"], ["e"]]
    assert (first["split"], first["domain"], first["licence"]) == ("train", "sports", "MIT")


def test_pairs_are_dropped_and_controls_among_them_are_named():
    outcome = made(example("a"), example("b", discourse_type="PAIR_CONN"), single("c", 0))
    assert outcome.dropped.select(["id", "reason", "detail"]).to_pylist() == [
        {"id": "a", "reason": "control", "detail": "PAIR_NONE"},
        {"id": "b", "reason": "pair", "detail": "PAIR_CONN"},
    ]
    assert outcome.units.to_pylist() == ["a", "b", "c"]
