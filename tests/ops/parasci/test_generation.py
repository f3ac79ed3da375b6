import json
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import corpus_bleu
from sacrebleu.metrics.bleu import BLEU

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.evaluation.table import read_table
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.metrics.bleu import self_bleu
from silverloom.ops.models.seq2seq.pretrained import FOLDER
from silverloom.ops.parasci.dataset.release import released_form
from silverloom.ops.parasci.dataset.scored import ScoredParams
from silverloom.ops.parasci.evaluation.scores import (
    EVALUATION,
    TABLE,
    TABLE_6,
    EvaluationParams,
    evaluation,
    numbers,
    scored,
    table_6,
)
from silverloom.ops.parasci.generation.generated import GENERATED, GeneratedParams, generated
from silverloom.ops.parasci.generation.generator import (
    MODELS,
    ExternalParams,
    texts_of,
    trained_models,
)
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PARAPHRASES
from tests.checkpoints import Memory, StoppedError
from tests.held import bytes_per_row
from tests.ops.models.seq2seq.pretrained_cases import write_pretrained
from tests.ops.parasci.generation_cases import UNITS, artifact_of, made, pair
from tests.parts import parts

SCORER = BertScorer()


def generated_by(folder, units, artifact, params=None):
    """Return what is generated without external pairs."""
    nothing = Artifact(None, folder / "external")
    nothing.folder.mkdir(parents=True, exist_ok=True)
    (nothing.folder / MODELS).write_text("[]")
    others = parts(folder / "others", PARAPHRASE_PAIRS.kept)
    ours = parts(folder / "ours", PARAPHRASES.kept, units)
    return list(
        generated(ours, artifact, nothing, others, params or GeneratedParams(), ExternalParams(), True)
    )


def test_from_pairs_to_a_model_to_sentences_to_table_6(tmp_path):
    outcome = made(tmp_path / "pairs", UNITS)
    [dropped] = outcome.dropped.to_pylist()
    assert (dropped["id"], dropped["reason"]) == ("pair-10", "long") and dropped["score"] > 60
    assert sorted(outcome.kept["pair_id"].to_pylist()) == sorted(unit["id"] for unit in UNITS[:10])
    [report] = json.loads(outcome.files[MODELS])
    assert (report["examples"], report["validation_examples"]) == (6, 2)
    assert (report["metric"], report["chosen"], report["architecture"]) == ("bleu", True, "transformer")
    artifact = artifact_of(tmp_path / "model", outcome)

    outcomes = generated_by(tmp_path / "all", UNITS, artifact, GeneratedParams())
    rows = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    tests = [unit for unit in UNITS if unit["split"] == "test"]
    assert {(row["pair_id"], row["system"]) for row in rows} == {
        (unit["id"], system) for unit in tests for system in ("copy", "model")
    }
    model = trained_models(artifact)["transformer"].model
    for row in rows:
        source, target = texts_of(next(unit for unit in tests if unit["id"] == row["pair_id"]))
        written = source if row["system"] == "copy" else released_form(model.generate([source])[0])
        assert (row["source"], row["target"], row["prediction"]) == (source, target, written)
        assert not row["truncated"], "only its target is long"
    reasons = [row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()]
    assert {name: reasons.count(name) for name in reasons} == {"split_train": 6, "split_validation": 2}

    long = {**pair(11, "test"), "first": f"We use it{' today' * 60}."}
    *_, of_long = generated_by(tmp_path / "long", [long], artifact)
    assert dict(zip(*(of_long.kept[name].to_pylist() for name in ("system", "truncated")), strict=True)) == {
        "copy": False, "model": True,
    }  # fmt: skip

    stored = parts(tmp_path / "generated", GENERATED.kept, rows)
    [scores] = evaluation(stored, EvaluationParams(resamples=50), ScoredParams(), True)
    assert scores.kept.schema == EVALUATION.kept
    table = json.loads(scores.files[TABLE])
    assert [(row["system"], row["model"], row["pairs"]) for row in table["systems"]] == [
        ("copy", None, 3), ("model", "transformer", 3),
    ]  # fmt: skip
    copy = table["systems"][0]["scores"]
    assert copy["self_bleu"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert (copy["bertscore"]["mean"], copy["bert_ibleu"]["mean"]) == (1, 0)
    assert copy["ibleu"]["mean"] == pytest.approx(0.8 * copy["bleu"]["mean"] - 0.2, abs=1e-6)
    assert [
        tuple(row[name] for name in ("training", "test", "bleu", "words")) for row in table["published"]
    ] == [*TABLE_6]
    assert "tok:none" in table["signature"]
    assert [system.name for system in read_table(table, "pairs").systems] == ["copy", "model (transformer)"]
    [test] = table["tests"]
    assert (test["first"]["system"], test["second"]["model"], test["pairs"]) == ("copy", "transformer", 3)


def test_the_configured_number_of_test_pairs_is_drawn(tmp_path):
    artifact = artifact_of(tmp_path / "model", made(tmp_path / "pairs", [pair(3), pair(4)]))
    assert json.loads((artifact.folder / MODELS).read_text()) == [], "no model without training pairs"
    tests = [pair(number, "test") for number in range(6)]
    outcomes = generated_by(tmp_path / "t", tests, artifact, GeneratedParams(pairs=4))
    assert outcomes[-1].kept["system"].to_pylist() == ["copy"] * 4
    assert outcomes[-1].dropped["reason"].to_pylist() == ["not_drawn"] * 2
    assert sorted(outcomes[-1].units.to_pylist()) == [unit["id"] for unit in tests]


def test_the_vocabulary_is_learnt_from_the_training_split_only(tmp_path):
    training = [unit for unit in UNITS if unit["split"] == "train"]
    secret = {**pair(4), "first": "xylophone " * 9}
    files = [made(tmp_path / str(len(units)), units).files for units in (training, [*training, secret])]
    assert files[0]["transformer/tokenizer.json"] == files[1]["transformer/tokenizer.json"]


@pytest.mark.long
def test_an_interrupted_training_resumes_to_the_same_bytes(tmp_path):
    broken = Memory(2)
    with pytest.raises(StoppedError):
        made(tmp_path / "a", UNITS, broken)
    assert made(tmp_path / "b", UNITS, broken).files == made(tmp_path / "c", UNITS).files


def test_a_pretrained_model_is_fine_tuned(tmp_path):
    folder = write_pretrained(tmp_path / "small")
    outcome = made(tmp_path / "pairs", UNITS, pretrained=str(folder))
    [report] = json.loads(outcome.files[MODELS])
    assert (report["model"], report["architecture"]) == ("pretrained", "pretrained")
    artifact = artifact_of(tmp_path / "model", outcome)
    before = (folder / "model.safetensors").read_bytes()
    assert (artifact.folder / "pretrained" / FOLDER / "model.safetensors").read_bytes() != before
    outcomes = generated_by(tmp_path / "all", UNITS, artifact, GeneratedParams())
    assert {row["model"] for row in outcomes[-1].kept.to_pylist()} == {None, "pretrained"}


def sentences():
    return st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(" ".join)


@given(
    st.lists(st.tuples(sentences(), sentences(), sentences()), min_size=1, max_size=4),
    st.sampled_from([0.5, 0.8]),
)
def test_scores_of_a_system_equal_those_of_sacrebleu_over_its_corpus(texts, alpha):
    rows = [
        {"id": f"g{n}", "pair_id": f"p{n}", "system": "model", "model": "m", "origin": "intra",
         "licence": "MIT", "test_set": "paraphrases", "corpus": "acl", "source": source, "target": target,
         "prediction": prediction}
        for n, (source, target, prediction) in enumerate(texts)
    ]  # fmt: skip
    sources, targets, predictions = zip(*texts, strict=True)
    params = EvaluationParams(alpha=alpha, resamples=2)
    kept = list(scored(rows, params, SCORER))
    [system] = table_6(numbers(pa.Table.from_pylist(kept, EVALUATION.kept)), params)["systems"]
    found = {name: score["mean"] for name, score in system["scores"].items()}
    ours, copied = (
        corpus_bleu(predictions, [side], tokenize="none", force=True).score / 100
        for side in (targets, sources)
    )
    assert found["bleu"] == pytest.approx(ours, abs=1e-6)
    assert found["ibleu"] == pytest.approx(alpha * ours - (1 - alpha) * copied, abs=1e-6)
    assert found["self_bleu"] == pytest.approx(self_bleu(sources, predictions) / 100, abs=1e-5)
    assert found["words"] == pytest.approx(
        math.fsum(len(text.split()) for text in predictions) / len(texts), abs=1e-6
    )
    by_id = {row["pair_id"]: row for row in kept}
    single = BLEU(tokenize="none", effective_order=True, force=True)
    expected = single.sentence_score(predictions[0], [targets[0]]).score / 100
    assert by_id["p0"]["bleu"] == pytest.approx(expected, abs=1e-6)


def test_table_6_has_the_test_pairs_of_each_source_if_there_are_several():
    rows = [
        {"id": f"g{n}", "pair_id": f"p{n}", "system": "copy", "model": None, "origin": "intra", "licence": "MIT",
         "test_set": "paraphrases", "corpus": corpus, "source": "a b c d", "target": target, "prediction": "a b c d"}
        for n, (corpus, target) in enumerate([("acl", "a b c d"), ("arxiv", "e f g h"), (None, "a b e f")])
    ]  # fmt: skip
    kept = list(scored(rows, EvaluationParams(resamples=2), SCORER))

    def table(*chosen):
        return table_6(
            numbers(pa.Table.from_pylist([*chosen], EVALUATION.kept)), EvaluationParams(resamples=2)
        )

    of_sources = table(*kept)["sources"]
    assert {name: found["systems"][0]["pairs"] for name, found in of_sources.items()} == {
        "acl": 1,
        "arxiv": 1,
    }
    bleu = {name: found["systems"][0]["scores"]["bleu"]["mean"] for name, found in of_sources.items()}
    assert bleu["acl"] == 1 and bleu["arxiv"] < 0.1
    assert table(kept[0])["sources"] == {} == table()["sources"]


def test_without_generated_sentences_the_table_is_empty(tmp_path):
    [outcome] = evaluation(parts(tmp_path, GENERATED.kept, []), EvaluationParams(), ScoredParams(), True)
    table = json.loads(outcome.files[TABLE])
    assert (table["systems"], table["tests"], outcome.kept.num_rows) == ([], [], 0)


def test_the_table_takes_little_memory_for_each_sentence():
    rows = [
        {"id": f"g{n}{system}", "pair_id": f"p{n}", "system": system, "model": None, "origin": "intra",
         "licence": "MIT", "test_set": "paraphrases", "corpus": "acl", "source": f"a {n}", "target": "b c", "prediction": "a b"}
        for n in range(25) for system in ("copy", "model")
    ]  # fmt: skip
    params = EvaluationParams(resamples=1)
    outcome = Outcome.of(EVALUATION, [], list(scored(rows, params, SCORER)))

    def outcomes(engine):
        return evaluation(Parts(GENERATED.kept, (), engine), params, ScoredParams(), True)

    assert bytes_per_row(outcome, outcomes) < 700
