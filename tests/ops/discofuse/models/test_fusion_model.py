import json

import pytest

from silverloom.ops.core.parts import Artifact
from silverloom.ops.discofuse.models.fusion_model import FUSION_MODEL, FusionModelParams, fusion_model
from silverloom.ops.discofuse.models.fusions import FUSIONS, FusionParams, fusions
from silverloom.ops.discofuse.models.training_sets import copied, judged, source_of, target_of
from silverloom.ops.discofuse.schemas import BALANCED, EXAMPLES
from silverloom.ops.models.seq2seq.config import Pairs
from silverloom.ops.models.seq2seq.pretrained import FOLDER
from silverloom.ops.models.seq2seq.training import MODELS, trained_model, trained_names
from silverloom.ops.models.training import CheckpointError, TrainingError
from tests.checkpoints import Memory, StoppedError
from tests.ops.discofuse.fusion_cases import example, model_params
from tests.ops.models.seq2seq.pretrained_cases import write_pretrained
from tests.parts import parts

SPLITS = ["train", "train", "train", "validation", "test"]
SPORTS = [example(number, split=SPLITS[number % 5], mixture=number < 5) for number in range(8)]
WIKI = [example(number, "wiki", SPLITS[number], mixture=True) for number in range(5)]
LONG = example(8, longer=40)
UNITS = [*SPORTS, LONG, *WIKI]


def outcome(folder, units, params=None, checkpoints=None):
    [made] = fusion_model(
        parts(folder, BALANCED.kept, units), params or model_params(), checkpoints or Memory(), True
    )
    assert made.kept.schema == FUSION_MODEL.kept
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return outcome(tmp_path_factory.mktemp("made"), UNITS)


def models_of(outcome):
    return json.loads(outcome.files[MODELS])


def artifact_of(folder, outcome):
    for name, content in outcome.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return Artifact(None, folder)


def test_every_set_has_a_model_and_a_row_for_each_of_its_examples_that_is_not_too_long(made):
    assert sorted(made.units.to_pylist()) == sorted(unit["id"] for unit in UNITS)
    rows = made.kept.to_pylist()
    expected = [("sports", one) for one in SPORTS] + [("wiki", one) for one in WIKI]
    expected += [("mixture", one) for one in [*SPORTS[:5], *WIKI]]
    assert sorted((row["set"], row["example_id"], row["split"]) for row in rows) == sorted(
        (name, one["id"], one["split"]) for name, one in expected
    )
    assert all(row["source_ids"] == [row["example_id"]] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    first = next(row for row in rows if row["example_id"] == "sports-0" and row["set"] == "sports")
    assert "".join(first["source_tokens"]) == "ĠAnnĠsingsĠ.ĠAnnĠrunsĠ."
    assert "".join(first["target_tokens"]) == "ĠAnnĠsingsĠandĠrunsĠ."
    [dropped] = made.dropped.to_pylist()
    assert (dropped["id"], dropped["reason"]) == (LONG["id"], "long") and dropped["score"] > 40


def test_the_models_are_files_and_one_file_describes_all(made):
    told = {one["model"]: one for one in models_of(made)}
    assert list(told) == ["mixture", "sports", "wiki"]
    assert set(made.files) == {
        MODELS, *(f"{name}/{file}" for name in told for file in ("config.json", "weights.safetensors", "tokenizer.json"))
    }  # fmt: skip
    assert [(one["examples"], one["validation_examples"]) for one in told.values()] == [
        (6, 2),
        (6, 1),
        (3, 1),
    ]
    for one in told.values():
        assert (one["metric"], one["judged_on"], one["chosen"]) == ("exact", "validation split", True)
        assert {point["name"] for point in one["curve"]} == {"train/loss", "loss", "exact", "sari"}
    pieces = {made.files[f"{name}/tokenizer.json"] for name in told}
    assert len(pieces) == 1, "one vocabulary for all"


def test_the_vocabulary_is_learnt_from_the_training_split_only(tmp_path):
    secret = [
        example(number, split=split, coherent_first_sentence="Xylophones " * 8)
        for number, split in enumerate(["validation", "test"], 20)
    ]
    units = [unit for unit in SPORTS if unit["split"] == "train"]
    with_it, without = (outcome(tmp_path, some) for some in ([*units, *secret], units))
    assert with_it.files["sports/tokenizer.json"] == without.files["sports/tokenizer.json"]


def test_a_set_without_validation_examples_is_validated_on_its_training_examples(tmp_path):
    units = [{**unit, "mixture": False} for unit in WIKI if unit["split"] == "train"]
    [one] = models_of(outcome(tmp_path, units))
    assert (one["judged_on"], one["validation_examples"]) == ("training set", 2)


@pytest.mark.parametrize("last", [3, pytest.param(1, marks=pytest.mark.long)])
def test_an_interrupted_training_resumes_to_the_same_bytes(tmp_path, last):
    units = SPORTS[:4]
    unbroken, broken = Memory(), Memory(last)
    units = [{**unit, "mixture": False} for unit in units] + [{**WIKI[0], "mixture": False}]
    whole = outcome(tmp_path, units, None, unbroken)
    assert unbroken.writes == ["sports", "sports", "wiki"]
    with pytest.raises(StoppedError):
        outcome(tmp_path, units, None, broken)
    resumed = outcome(tmp_path, units, None, broken)
    assert resumed.files == whole.files and resumed.kept.equals(whole.kept)


def test_a_set_without_a_training_example_stops_before_any_training(tmp_path):
    checkpoints = Memory()
    units = [*SPORTS, example(1, "wiki", "test"), example(2, "wiki", "train", longer=40)]
    message = (
        "training set wiki: it has 2 examples, 1 of them in the split train, and 0 of these are short enough"
    )
    with pytest.raises(TrainingError, match=message):
        outcome(tmp_path, units, None, checkpoints)
    assert checkpoints.writes == []


def test_a_domain_with_the_name_of_the_mixture_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="example mixture-1: its domain is called 'mixture'"):
        outcome(tmp_path, [example(1, "mixture")])


def test_without_examples_there_is_no_model_and_no_row(tmp_path):
    untrained = outcome(tmp_path, [])
    assert (untrained.files, untrained.kept.num_rows) == ({MODELS: b"[]"}, 0)
    assert trained_names(artifact_of(tmp_path, untrained)) == []


def test_a_checkpoint_with_another_config_is_refused_naming_set_and_param(tmp_path):
    checkpoints, units = Memory(), SPORTS[:2]
    units = [{**unit, "mixture": False} for unit in units]
    outcome(tmp_path, units, None, checkpoints)
    with pytest.raises(CheckpointError, match=r"^sports: .*training.learning_rate was 0.01, is 0.5\."):
        outcome(tmp_path, units, model_params({"learning_rate": 0.5}), checkpoints)
    with pytest.raises(CheckpointError, match=r"^sports: .*task.model.filter was 8, is 9"):
        outcome(tmp_path, units, model_params(model={"filter": 9}), checkpoints)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": "huge"}, "size 'huge' is not among the sizes tiny"),
        (
            {"training": {"metric": "loss"}},
            "sizes.tiny.training.metric is 'loss', but it is 'exact' in every size",
        ),
        ({"training": {"tie": "sari"}}, "sizes.tiny.training.tie is 'sari', but it is 'loss'"),
    ],
)
def test_contradictory_params_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        model_params(**given)
    assert FusionModelParams().training.metric == "exact"


def test_every_set_has_a_fine_tuned_pretrained_model(tmp_path):
    folder = write_pretrained(tmp_path / "small")
    training = outcome(tmp_path, UNITS, model_params(pretrained=str(folder)))
    told = models_of(training)
    assert [(one["model"], one["architecture"]) for one in told] == [
        (name, "pretrained") for name in ("mixture", "sports", "wiki")
    ]
    before = (folder / "model.safetensors").read_bytes()
    trained = {training.files[f"{one['model']}/{FOLDER}/model.safetensors"] for one in told}
    assert len(trained) == 3 and before not in trained
    row = next(row for row in training.kept.to_pylist() if row["example_id"] == "sports-0")
    assert row["source_tokens"] == source_of(SPORTS[0]).split(), "the pieces of its own vocabulary"
    rows = [row for each in fused(tmp_path, training, SPORTS) for row in each.kept.to_pylist()]
    assert {row["model"] for row in rows} == {None, "mixture", "sports", "wiki"}


def test_a_source_is_the_two_sentences_and_a_target_the_text(made):
    row = {
        "incoherent_first_sentence": "a .", "incoherent_second_sentence": "b .",
        "coherent_first_sentence": "a .", "coherent_second_sentence": "However , b .",
    }  # fmt: skip
    assert (source_of(row), target_of(row)) == ("a . b .", "a . However , b .")
    assert target_of({**row, "coherent_second_sentence": ""}) == copied("a .") == "a ."


def test_the_scorer_returns_the_means_of_exact_and_sari():
    pairs = Pairs(["1", "2"], ["a . a .", "b . b ."], ["a and a .", "b and b ."])
    means = judged(pairs, ["a and a .", "b . b ."])
    assert means["exact"] == 0.5 and 0.5 < means["sari"] < 1


def fused(folder, made, rows, params=None, balanced=()):
    (folder / "model").mkdir()
    artifact = artifact_of(folder / "model", made)
    (folder / "tables").mkdir()
    tables = parts(folder / "tables", EXAMPLES.kept, rows[:6], rows[6:])
    thinned = [{**row, "id": f"balanced-{row['id']}", "source_ids": [row["id"]]} for row in balanced]
    down = parts(folder / "tables", BALANCED.kept, thinned)
    return list(fusions(tables, down, artifact, params or FusionParams(), True))


def test_every_test_example_is_fused_by_copy_and_by_every_model(made, tmp_path):
    rows = [*SPORTS, *WIKI]
    fusions = fused(tmp_path, made, rows, balanced=SPORTS)
    assert sorted(one for each in fusions for one in each.units.to_pylist()) == sorted(
        row["id"] for row in rows
    )
    kept = [row for each in fusions for row in each.kept.to_pylist()]
    assert all(each.kept.schema == FUSIONS.kept for each in fusions)
    assert sorted((row["example_id"], row["model"] or row["system"]) for row in kept) == sorted(
        (row["id"], name)
        for row in rows
        if row["split"] == "test"
        for name in ("copy", "mixture", "sports", "wiki")
    )
    artifact = artifact_of(tmp_path, made)
    models = {name: trained_model(artifact, name) for name in trained_names(artifact)}
    for row in kept:
        expected = (
            row["source"] if row["system"] == "copy" else models[row["model"]].generate([row["source"]])[0]
        )
        assert row["prediction"] == expected
        assert row["balanced"] == (row["domain"] == "sports")
        assert (row["system"], row["target"][-2:]) == ("model" if row["model"] else "copy", " .")
    reasons = {(row["id"], row["reason"]) for each in fusions for row in each.dropped.to_pylist()}
    assert reasons == {(row["id"], f"split_{row['split']}") for row in rows if row["split"] != "test"}


def test_validation_examples_are_fused_if_params_say_so(made, tmp_path):
    rows = [example(number, "sports", split) for number, split in enumerate(["validation", "test", "train"])]
    fusions = fused(tmp_path, made, rows, FusionParams(split="validation"))
    kept = [row for each in fusions for row in each.kept.to_pylist()]
    assert {(row["example_id"], row["split"]) for row in kept} == {(rows[0]["id"], "validation")}
    reasons = {row["id"]: row["reason"] for each in fusions for row in each.dropped.to_pylist()}
    assert reasons == {rows[1]["id"]: "split_test", rows[2]["id"]: "split_train"}


def test_the_configured_number_of_examples_of_each_domain_is_drawn_and_the_rest_is_dropped(made, tmp_path):
    rows = [example(number, domain, "test") for domain in ("sports", "wiki") for number in range(5)]
    fusions = fused(tmp_path, made, rows, FusionParams(examples=2, seed=3))
    kept = {row["example_id"] for each in fusions for row in each.kept.to_pylist()}
    assert len(kept) == 4 and sum(name.startswith("wiki") for name in kept) == 2
    left = {row["id"] for each in fusions for row in each.dropped.to_pylist() if row["reason"] == "not_drawn"}
    assert left == {row["id"] for row in rows} - kept


def test_a_fusion_has_the_other_texts_with_its_input_as_references_even_those_of_other_splits(made, tmp_path):
    one = example(0, split="test")
    fused_otherwise = one["fused"].replace("and", "but")
    other = one | {"id": "other", "split": "train", "fused": fused_otherwise, "document_id": "another"}
    fusions = fused(tmp_path, made, [one, example(1, split="test"), other])
    references = {row["example_id"]: row["references"] for each in fusions for row in each.kept.to_pylist()}
    assert references == {
        "sports-0": [one["fused"], fused_otherwise], "sports-1": [example(1)["fused"]]
    }  # fmt: skip
