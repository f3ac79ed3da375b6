import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.parts import Artifact
from silverloom.ops.core.sampling import place_of
from silverloom.ops.evaluation.table import read_table
from silverloom.ops.metrics.bertscore import bertscore
from silverloom.ops.models.encoder import ENCODER, embedder
from silverloom.ops.parasci.candidates.pairs import length_rate
from silverloom.ops.parasci.dataset.filtered import FilterParams, Limits
from silverloom.ops.parasci.dataset.scored import ScoredParams
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.partial.extractions import (
    EXTRACTIONS,
    TABLE,
    TABLE_3,
    ExtractionParams,
    best_clauses,
    clauses,
    extractions,
    runs,
)
from silverloom.ops.parasci.partial.partial import (
    PARTIAL,
    PartialParams,
    SeenParams,
    by_length,
    is_whole,
    partial,
    seen,
)
from silverloom.ops.parasci.partial.pdbert import MODELS, PDBERT, PdbertParams, pdbert, texts_of
from silverloom.ops.parasci.partial.pseudo import (
    PseudoParams,
    pseudo_examples,
    put_together,
    without_end,
)
from silverloom.ops.parasci.schemas import CANDIDATES, SENTENCES
from silverloom.ops.parasci.sentences import StatementParams
from silverloom.ops.parasci.well_formed import well_formed
from tests.checkpoints import Memory, StoppedError
from tests.ops.parasci.parasci_cases import candidate, statement, unit
from tests.parts import dealt, parts

#: The paper's own example, 4.1.1.
SHORT = "rationales are never given during training."
LONG = (
    "in other words, target rationales are never provided during training; the intermediate step of rationale "
    "generation is guided only by the two desiderata discussed above."
)
PART = "target rationales are never provided during training"


@pytest.mark.parametrize(
    ("there", "text"),
    [
        ((True, True, True), "We parse trees We find the sense It is late."),
        ((True, True, False), "We parse trees We find the sense"),
        ((False, True, True), "We find the sense It is late."),
        ((False, True, False), "We find the sense"),
        ((True, False, True), "We parse trees It is late."),
        ((False, False, True), "It is late."),
        ((False, False, False), ""),
    ],
)
def test_c_b_and_d_are_joined_without_the_punctuation_at_the_ends_of_c_and_b(there, text):
    sentences = ("We parse trees.", "We find the sense !?", "It is late.")
    made, span = put_together(
        *(sentence if is_there else None for sentence, is_there in zip(sentences, there, strict=True))
    )
    assert made == text
    assert (span and made[slice(*span)]) == ("We find the sense" if there[1] else None)


sentence = st.text("ab .,!", min_size=1, max_size=12).map(lambda text: f"a{' '.join(text.split())}")


@given(*[st.none() | sentence] * 3)
def test_the_span_equals_that_of_b_in_a_plain_concatenation(before, paraphrase, behind):
    ended = [before and without_end(before), paraphrase and without_end(paraphrase), behind]
    text, span = put_together(before, paraphrase, behind)
    assert text == " ".join(part for part in ended if part)
    assert (None if span is None else text[slice(*span)]) == ended[1]
    if paraphrase and before:
        assert span[0] == len(ended[0]) + 1


POOL = [f"Sentence {number} of the pool." for number in range(50)]
PAIR = ("We find the sense of a word.", "The sense of a word is found.")


def test_sentences_are_included_as_often_as_the_paper_says():
    params = PseudoParams(draws=4000)
    found = dict(pseudo_examples("pair", PAIR, POOL, params))
    counts = np.zeros(3)
    for example in found.values():
        its = [text for text in POOL if without_end(text) in example.second]
        before = [
            text for text in its if example.second.startswith(without_end(text)) and example.second != text
        ]
        behind = [text for text in its if example.second.endswith(text)]
        counts += [bool(before), example.span is not None, bool(behind)]
    # without any sentence it is no example: one in fifty
    assert len(found) == pytest.approx(0.98 * 4000, rel=0.01)
    assert counts / 4000 == pytest.approx([0.8, 0.5, 0.8], abs=0.03)
    assert {example.first for example in found.values()} == set(PAIR), "both are sentence A at times"
    for example in found.values():
        other = PAIR[1 - PAIR.index(example.first)]
        assert example.span is None or example.second[slice(*example.span)] == without_end(other)


def test_examples_depend_only_on_seed_and_pair_and_never_include_the_pair_itself():
    params = PseudoParams(draws=30)
    assert list(pseudo_examples("p", PAIR, POOL, params)) == list(pseudo_examples("p", PAIR, POOL, params))
    assert list(pseudo_examples("p", PAIR, POOL, params)) != list(pseudo_examples("q", PAIR, POOL, params))
    for _, example in pseudo_examples("p", PAIR, PAIR, params):
        assert example.span == (0, len(example.second)), "the pool has nothing else"
    assert place_of(0, "p", 0, "order") != place_of(0, "p", 1, "order")


def test_clauses_are_the_text_between_punctuation_marks():
    found = [LONG[start:end] for start, end in clauses(LONG)]
    assert found == ["in other words", PART, LONG[LONG.index("the intermediate") : -1]]
    text = "A 3.5, well-known model (of ours) works - well"
    assert [text[start:end] for start, end in clauses(text)] == [
        "A 3.5", "well-known model", "of ours", "works", "well"
    ]  # fmt: skip
    assert clauses(",;.") == []


@given(st.lists(st.sampled_from(["a", "bb", "c d"]), min_size=1, max_size=7))
def test_the_runs_are_all_neighbouring_clauses_except_all_together(names):
    text = ", ".join(names)
    expected = [", ".join(names[i:j]) for i in range(len(names)) for j in range(i + 1, len(names) + 1)
                if j - i < len(names)]  # fmt: skip
    assert list(runs(text)) == expected


def test_the_best_clause_is_the_run_most_similar_to_the_short_sentence():
    vectors = {
        "short": [1, 0],
        "a": [0, 1],
        "b": [0.9, 0.1],
        "c": [0, 1],
        "a, b": [0.5, 0.5],
        "b, c": [0.6, 0.4],
    }

    def embed(texts):
        return np.array([vectors[text] for text in texts], np.float32)

    assert best_clauses([("short", "a, b, c."), ("short", "one clause")], embed) == ["b", None]
    assert best_clauses([], embed) == []


def pair(name, first, second, cosine=0.7, ids=None, key="paper"):
    row = candidate(name, first, second, key=key, cosine=cosine)
    return row if ids is None else {**row, "first_id": ids[0], "second_id": ids[1]}


def words(number):
    return " ".join(["word"] * number)


def slow_seen(rows, params):
    """Take the most similar pair whose sentences are unused, again and again."""
    left = [row for row in rows if params.floor <= row["cosine"] < params.ceiling
            and length_rate(len(row["first"].split()), len(row["second"].split())) >= params.length_rate]  # fmt: skip
    taken = []
    while left:
        best = min(left, key=lambda row: (-row["cosine"], row["id"]))
        left.remove(best)
        busy = [side for row in taken for side in (row["first_id"], row["second_id"])]
        if all(busy.count(best[side]) < params.most for side in ("first_id", "second_id")):
            taken.append(best)
    return {row["id"] for row in taken}


@given(
    st.lists(st.tuples(st.sampled_from([0.5, 0.6, 0.7, 0.79, 0.9]), st.integers(1, 4), st.integers(1, 4), st.integers(0, 3), st.integers(4, 7)), max_size=9),
    st.integers(1, 2),
)  # fmt: skip
def test_pairs_are_selected_by_cosine_and_lengths_with_the_most_similar_first(drawn_rows, most):
    rows = [pair(str(number), words(a), words(b), cosine, (str(i), str(j)))
            for number, (cosine, a, b, i, j) in enumerate(drawn_rows)]  # fmt: skip
    params = SeenParams(most=most)
    pairs, lost = seen(rows, params)
    assert {its.row["id"] for its in pairs} == slow_seen(rows, params)
    assert {its.row["id"] for its in pairs} | lost.keys() == {row["id"] for row in rows}
    assert all(len(its.short.split()) < len(its.long.split()) for its in pairs)
    assert {reason for reason, _ in lost.values()} <= {"cosine", "equal_lengths", "not_chosen"}


def test_a_pair_of_equal_lengths_keeps_its_order():
    assert by_length(pair("a", "x y", "y z"))[1:] == ("x y", "y z")


@pytest.mark.parametrize(("span", "whole"), [((0, 5), True), ((1, 4), True), ((1, 2), False)])
def test_a_span_is_whole_if_only_punctuation_is_outside(span, whole):
    assert is_whole("(a b)", span) is whole


SENTENCES_ROWS = [statement(str(n), text, unit(1, n)) for n, text in enumerate([*POOL, *PAIR, SHORT, LONG])]
TRAINING = {"epochs": 1, "batch_size": 2, "checkpoint_every": 1, "learning_rate": 0.001}


def params_of(**more):
    size = {"model": {"trained_layers": 0, "longest": 96}, "training": TRAINING}
    return PdbertParams(
        **{"enabled": True, "size": "tiny", "sizes": {"tiny": size}, "pseudo": {"draws": 3}, **more}
    )


GOOD = [pair(f"good{number}", f"We find sense {number} of a word.", f"Sense {number} of a word is found by us.", 0.9, key=f"p{number}")
        for number in range(5)]  # fmt: skip
BAND = [
    pair("band", SHORT, LONG, 0.7, ("s", "l")),
    pair("same", "We x it.", "we X it.", 0.95),
    pair("low", SHORT, LONG, 0.55),
]


def run_pdbert(folder, rows, checkpoints=None, **more):
    intra = dealt(folder / "intra", CANDIDATES.kept, rows)
    sentences = parts(folder / "sentences", SENTENCES.kept, SENTENCES_ROWS)
    outcomes = list(pdbert(intra, sentences, params_of(**more), checkpoints or Memory(), True))
    assert all(outcome.kept.schema == PDBERT.kept for outcome in outcomes)
    return intra, outcomes


def run_partial(intra, artifact, folder):
    sentences = parts(
        folder / "stored", SENTENCES.kept, [statement("s", SHORT, embedder(ENCODER)([SHORT])[0])]
    )
    return list(partial(intra, sentences, artifact, PartialParams(), ENCODER, True))


def rows_of(outcomes, table="kept"):
    return [row for outcome in outcomes for row in getattr(outcome, table).to_pylist()]


def artifact_of(folder, outcomes):
    for outcome in outcomes:
        for name, content in outcome.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return Artifact(None, folder)


def test_from_pairs_to_a_model_to_parts_to_table_3(tmp_path):
    intra, outcomes = run_pdbert(tmp_path, [*GOOD, *BAND])
    assert {(row["id"], row["reason"]) for row in rows_of(outcomes, "dropped")} == {
        ("band", "cosine"), ("low", "cosine"), ("same", "identical"),
    }  # fmt: skip
    split = {row["pair_id"]: row["split"] for row in rows_of(outcomes)}
    assert sorted(split.values()) == ["train"] * 4 + ["validation"]
    for row in rows_of(outcomes):
        assert (row["start"] is None) == (row["end"] is None)
    [report] = json.loads(outcomes[-1].files[MODELS])
    assert (report["metric"], report["judged_on"], report["steps"]) == ("overlap", "validation split", 6)

    found = run_partial(intra, artifact_of(tmp_path / "model", outcomes), tmp_path)
    reasons = {row["id"]: row["reason"] for row in rows_of(found, "dropped")}
    assert reasons.keys() | {row["source_ids"][0] for row in rows_of(found)} == {
        row["id"] for row in [*GOOD, *BAND]
    }
    assert reasons["good0"] == reasons["low"] == reasons["same"] == "cosine"
    for row in rows_of(found):
        assert (row["first"], row["whole"]) == (SHORT, LONG)
        assert row["second"] == LONG[row["start"] : row["end"]] != LONG
        assert (row["second_printed"], row["second_well_formed"]) == (None, well_formed(row["second"]))
        assert (row["first_id"], row["second_id"], row["key"]) == ("s", "l", "paper")
        first, second = embedder(ENCODER)([row["first"], row["second"]]).astype(float)
        assert row["cosine"] == pytest.approx(float(first @ second), abs=1e-4), (
            "the embedding of the part, not of the whole"
        )

    def extracted(confidence, enabled=True):
        part = {**pair("x", SHORT, PART), "source_ids": ["band"], "whole": LONG, "confidence": confidence}
        told = parts(tmp_path / f"partial {confidence}", PARTIAL.kept, [part])
        stored = parts(tmp_path / f"stored {confidence}", SENTENCES.kept, [])
        return list(extractions(intra, stored, told, ExtractionParams(resamples=50), PdbertParams(enabled=enabled), PartialParams(),
                                StatementParams(), ScoredParams(confidence=0.5), ScorerParams(), FilterParams(origins={"partial": Limits(consistency=2.0)}), True))  # fmt: skip

    outcomes = extracted(0.5)
    assert all(outcome.kept.schema == EXTRACTIONS.kept for outcome in outcomes)
    rows = {row["system"]: row for row in rows_of(outcomes)}
    assert rows["pdbert"]["part"] == rows["best_clause"]["part"] == PART
    assert rows["pdbert"]["f1"] == pytest.approx(
        float(bertscore([PART], [SHORT], layer=ScoredParams().layer).f1[0]), abs=1e-4
    )
    assert rows["pdbert"]["valuable"] == 1.0
    table = json.loads(outcomes[-1].files[TABLE])
    assert [(row["system"], row["valuable"], row["pairs"]) for row in table["systems"]] == [
        ("best_clause", 1, 1), ("pdbert", 1, 1),
    ]  # fmt: skip
    valuable = {row["system"]: row["valuable"] for row in rows_of(extracted(0.49))}
    assert valuable == {"best_clause": 1.0, "pdbert": 0.0}, "`scored` has no part of so little confidence"
    assert read_table(table, "pairs").tests[0].seen_from("pdbert").second == "best_clause"
    assert table["published"] == list(TABLE_3) and table["tests"][0]["scores"]["f1"]["difference"] == 0
    assert sorted(unit for outcome in outcomes for unit in outcome.units.to_pylist()) == sorted(
        row["id"] for row in [*GOOD, *BAND]
    )
    off = extracted(0.5, enabled=False)
    assert rows_of(off) == [] and {row["reason"] for row in rows_of(off, "dropped")} == {"not_enabled"}
    assert len(rows_of(off, "dropped")) == len([*GOOD, *BAND])
    assert json.loads(off[-1].files[TABLE])["systems"] == []


@pytest.mark.parametrize("cosine", [0.9, pytest.param(0.5, marks=pytest.mark.long)])
def test_whole_or_known_parts_are_dropped_with_their_reason(tmp_path, monkeypatch, cosine):
    """The model's answers are given here; another test checks that it finds any."""
    from silverloom.ops.parasci.partial import partial as module
    from silverloom.ops.parasci.spans.spans import FoundSpan

    longs = {
        "whole": f"{words(9)} end one.",
        "known": f"so {PART}, {words(9)} two.",
        "kept": f"so {PART}, three {words(9)}",
    }
    rows = [
        pair(name, f"short one {name}", long, 0.7, (name, f"long {name}")) for name, long in longs.items()
    ]
    rows.append(pair("there", "Short one known!", f"{PART.upper()}.", cosine))
    rows.append(pair("long", "short one long", f"{words(300)} four", 0.7, ("a", "b")))

    class Told:
        longest = 96

        def tokens(self, wanted, texts):
            return [range(len(text.split())) for text in texts]

        def predict(self, tokens):
            starts = [(0, len(longs["whole"]) - 1), (3, 3 + len(PART)), (3, 3 + len(PART))]
            return [FoundSpan(*ends, 0.12345) for ends in starts] * (len(tokens) // len(starts))

    monkeypatch.setattr(module, "trained", lambda artifact, strict: Told())
    (tmp_path / "pdbert").mkdir()
    intra = parts(tmp_path / "intra", CANDIDATES.kept, rows)
    [outcome] = run_partial(intra, Artifact(None, tmp_path), tmp_path)
    assert {row["id"]: (row["reason"], row["score"]) for row in outcome.dropped.to_pylist()} == {
        "whole": ("whole", 0.1235), "known": ("known", 0.1235), "long": ("long", 301.0), "there": ("cosine", cosine),
    }  # fmt: skip
    [row] = outcome.kept.to_pylist()
    assert (row["second"], row["confidence"]) == (PART, 0.1235)
    another = [{**row, "id": f"{row['id']} again", "key": "another paper"} for row in rows]
    in_one = run_partial(
        parts(tmp_path / "one", CANDIDATES.kept, [*rows, *another]), Artifact(None, tmp_path), tmp_path / "a"
    )
    in_two = run_partial(
        parts(tmp_path / "two", CANDIDATES.kept, rows, another), Artifact(None, tmp_path), tmp_path / "b"
    )
    assert rows_of(in_one) == rows_of(in_two) and rows_of(in_one, "dropped") == rows_of(in_two, "dropped")


def test_pdbert_that_is_off_learns_nothing_and_finds_nothing(tmp_path):
    assert not PdbertParams().enabled
    intra, outcomes = run_pdbert(tmp_path, [*GOOD, *BAND], enabled=False)
    assert {row["reason"] for row in rows_of(outcomes, "dropped")} == {"not_enabled"}
    assert not rows_of(outcomes) and json.loads(outcomes[-1].files[MODELS]) == []
    found = run_partial(intra, artifact_of(tmp_path / "model", outcomes), tmp_path)
    assert not rows_of(found)
    assert {row["id"]: row["reason"] for row in rows_of(found, "dropped")}["band"] == "no_model"


def test_without_a_training_pair_there_is_no_model_and_no_part(tmp_path):
    intra, outcomes = run_pdbert(tmp_path, BAND)
    assert outcomes[-1].files == {MODELS: b"[]"}
    found = run_partial(intra, artifact_of(tmp_path / "model", outcomes), tmp_path)
    assert {row["id"]: row["reason"] for row in rows_of(found, "dropped")} == {
        "band": "no_model", "same": "cosine", "low": "cosine",
    }  # fmt: skip


@pytest.mark.long
def test_an_interrupted_training_resumes_to_the_same_bytes(tmp_path):
    _, whole = run_pdbert(tmp_path / "whole", GOOD)
    broken = Memory(2)
    with pytest.raises(StoppedError):
        run_pdbert(tmp_path / "broken", GOOD, broken)
    _, resumed = run_pdbert(tmp_path / "resumed", GOOD, broken)
    assert resumed[-1].files == whole[-1].files


def test_examples_that_are_too_long_or_empty_are_counted_and_a_pair_without_any_is_dropped(tmp_path):
    endless = pair("endless", words(90), f"{words(89)} end", 0.9, key="p9")
    _, outcomes = run_pdbert(tmp_path, [*GOOD, endless], pseudo={"draws": 8})
    assert {row["id"]: row["reason"] for row in rows_of(outcomes, "dropped")} == {"endless": "long"}
    counts = outcomes[-1].combinations
    assert counts["drawn"] == 8 * 6 and counts["long"] > 0
    assert counts["drawn"] == len(rows_of(outcomes)) + counts["long"] + counts["empty"]


def test_sentences_are_read_by_number_from_disk(tmp_path):
    texts = [["one", "zwei é"], [], ["three"]]
    rows = [[statement(text, text, unit(1, 0)) for text in several] for several in texts]
    pool = texts_of(parts(tmp_path / "sentences", SENTENCES.kept, *rows), tmp_path)
    assert [pool[number] for number in range(len(pool))] == ["one", "zwei é", "three"]
    assert len(texts_of(parts(tmp_path / "no sentences", SENTENCES.kept), tmp_path)) == 0
