"""The evidence of candidates: the sense of a connective, shared content, and bits of what is new."""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.discofuse.dataset.byte_model import LONGEST, ByteModel
from silverloom.ops.discofuse.dataset.evidence import disfluencies, shared_content, with_evidence
from silverloom.ops.discofuse.dataset.examples import (
    ExampleParams,
    covered_shares,
    disfluency_bits,
    log_odds_of_entailment,
    supported_shares,
)
from silverloom.ops.discofuse.schemas import CANDIDATES
from silverloom.ops.filters.test_sets import TEST_SETS
from silverloom.ops.text.words import STOP_WORDS
from tests.ops.discofuse.example_cases import candidate, made_of
from tests.parts import parts

TEXTS = [
    "The old mill stands on a dam. The miller left the town.",
    "The miller was old, and he sold the mill. The dam broke.",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    rows = [{"id": f"test-{number}", "text": text} for number, text in enumerate(TEXTS)]
    return ByteModel.learnt(parts(folder, TEST_SETS.kept, rows), folder / "model")


@pytest.mark.parametrize(
    ("text", "split", "connective", "shares"),
    [
        ("It rained , but they walked home .", "It rained . They walked home .", ", but", (1, 1)),
        ("It rained ; however , they walked .", "It rained . They walked .", "however ,", (1, 1)),
        ("Ann sang and danced .", "Ann sang . Ann danced .", "and", (1, 3 / 4)),
        ("Ann sang loudly and danced .", "Ann sang . Ann danced .", "and", (3 / 4, 3 / 4)),
        ("He is .", "He was .", "", (1, 1)),
        ("A snake_case word .", "A case snake's word .", "", (1, 1)),
        ("The mill\u2019s Café_noir .", "The café noir, mill .", "", (1, 1)),
    ],
)
def test_shared_content_by_hand(text, split, connective, shares):
    assert shared_content(text, split, connective) == shares


WORDS = st.lists(st.sampled_from(["mill", "dam", "the", "and", "town", "old"]), max_size=8)


@given(WORDS, WORDS)
def test_shared_content_is_recall_and_precision_of_content_words(text, split):
    of_text, of_split = (Counter(word for word in words if word not in STOP_WORDS) for words in (text, split))
    both = sum(min(of_text[word], of_split[word]) for word in of_text)
    covered, supported = shared_content(" ".join(text), " ".join(split))
    assert covered == (both / sum(of_text.values()) if of_text else 1)
    assert supported == (both / sum(of_split.values()) if of_split else 1)


SENTENCE = st.lists(st.sampled_from(["The", "mill", "é", "old.", "dam"]), max_size=9).map(" ".join)


@settings(max_examples=40)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), max_size=3))
def test_disfluency_is_the_surprise_of_each_run_that_the_text_has_not(model, pairs):
    expected = []
    for text, split in pairs:
        data, bits = split.encode(), []
        for at in range(len(data) - LONGEST + 1):
            run = data[at : at + LONGEST]
            if run not in text.encode():
                bits += list(model.bits(np.frombuffer(run, np.uint8).reshape(1, LONGEST)))
        expected.append(round(math.fsum(bits), 2))
    assert disfluencies(pairs, model) == pytest.approx(expected, abs=0.011)


def test_a_copy_has_no_disfluency_and_a_torn_sentence_more_than_a_whole_one(model):
    text = "The old mill stands, and the miller left the town."
    whole, torn = "The old mill stands. The miller left the town.", "The old mill stands. Xq miller the zw."
    assert disfluencies([(text, text)], model) == [0.0]
    fluent, broken = disfluencies([(text, whole), (text, torn)], model)
    assert 0 < fluent < broken


def test_the_sense_of_a_connective_is_that_of_the_penn_discourse_treebank(model):
    rows = [
        candidate("a", connective_string=name)
        for name in (", but", "however ,", "because", "obviously ,", "")
    ]
    evidence = with_evidence(rows, model)
    assert [row["sense"] for row in evidence] == ["comparison", "comparison", "contingency", None, None]
    assert all(row["disfluency"] == 0 and row["covered"] == row["supported"] == 1 for row in evidence)
    assert with_evidence(rows)[0]["disfluency"] is None


def test_a_model_of_nothing_gives_no_disfluency(tmp_path):
    nothing = ByteModel.learnt(parts(tmp_path, TEST_SETS.kept, []), tmp_path / "model")
    assert disfluencies([("a text", "another")], nothing) == [None]


EVIDENCE = {
    "covered": (0.9, "uncovered"),
    "supported": (0.8, "unsupported"),
    "disfluency": (30.0, "disfluent"),
    "entailed": (0.5, "not_entailed"),
}
SCORES = {
    "covered": covered_shares,
    "supported": supported_shares,
    "disfluency": disfluency_bits,
    "entailed": log_odds_of_entailment,
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_a_bound_of_evidence_drops_what_is_beyond_it_and_what_if_counts_the_same(tmp_path, name):
    bound, reason = EVIDENCE[name]
    worse = bound + 1 if name == "disfluency" else bound - 0.1
    column = "backward" if name == "entailed" else name
    rows = [
        candidate(
            str(n), discourse_type="SINGLE_S_COORD", **{"disfluency": 1.0, "forward": 2.0, column: score}
        )
        for n, score in enumerate((bound, worse))
    ]
    table = pa.Table.from_pylist(rows, CANDIDATES.kept)
    made = made_of(table, ExampleParams(**{name: bound}))
    assert made.kept["source_ids"].to_pylist() == [["0"]]
    assert made.dropped.select(["id", "reason", "score"]).to_pylist() == [
        {"id": "1", "reason": reason, "score": worse}
    ]
    assert len(made_of(table, ExampleParams()).kept) == 2
    [scored] = SCORES[name](parts(tmp_path, CANDIDATES.kept, rows), ExampleParams(**{name: bound}))
    assert scored["score"].to_pylist() == [bound, worse]


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("disfluency", r"texts in sources\.reference_texts"),
        ("entailed", r"a model in discofuse\.evidence\.nli"),
    ],
)
def test_a_bound_of_an_unknown_score_is_an_error_that_says_what_to_do(name, way_out):
    table = pa.Table.from_pylist([candidate("a")], CANDIDATES.kept)
    with pytest.raises(ValueError, match=f"candidate a has none: name {way_out}"):
        made_of(table, ExampleParams(**{name: 20}))


def test_without_reference_texts_the_model_is_trained_on_the_documents(tmp_path):
    texts = [" ".join(text.split()) for text in TEXTS]
    words = [text.replace(".", " .").split(" ") for text in texts]
    spaces = [[at + 1 < len(row) and row[at + 1] != "." for at in range(len(row))] for row in words]
    columns = pa.schema([("words", pa.list_(pa.string())), ("spaces", pa.list_(pa.bool_()))])
    rows = [{"words": row, "spaces": blanks} for row, blanks in zip(words, spaces, strict=True)]
    own = ByteModel.learnt(parts(tmp_path / "own", columns, rows), tmp_path / "own model")
    rows = [{"id": f"test-{number}", "text": text} for number, text in enumerate(texts)]
    named = ByteModel.learnt(parts(tmp_path / "named", TEST_SETS.kept, rows), tmp_path / "named model")
    pairs = [("The old mill stands on a dam.", "The old mill stood. It is on a dam.")]
    assert disfluencies(pairs, own) == disfluencies(pairs, named) != [0.0]


def test_the_log_odds_of_entailment_come_from_the_named_model(model):
    class Both:
        """Knows which texts it is asked about, as `NliModel` does."""

        def predict(self, firsts, seconds):
            return np.array(
                [[len(first), -len(second)] for first, second in zip(firsts, seconds, strict=True)]
            )

    rows = [candidate("a", fused_detokenised="It rained.", unfused_detokenised="It did.")]
    [row] = with_evidence(rows, model, Both())
    assert (row["forward"], row["backward"]) == (10, -7)
    [row] = with_evidence(rows, model)
    assert row["forward"] is row["backward"] is None
    assert with_evidence([], model, Both()) == []
