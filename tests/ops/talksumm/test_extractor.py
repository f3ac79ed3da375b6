import json

import pytest

from silverloom.ops.core.parts import Artifact
from silverloom.ops.metrics.rouge import rouge_of_references
from silverloom.ops.models.training import TrainingError
from silverloom.ops.rank.choose import only
from silverloom.ops.talksumm.evaluation.gold_papers import GOLD_PAPERS
from silverloom.ops.talksumm.learning_sets import paper_of
from silverloom.ops.talksumm.models import EXTRACTOR, MODELS, ExtractorParams, extractor, trained
from silverloom.ops.talksumm.schemas import TRAINING_SETS
from tests.checkpoints import Memory, StoppedError
from tests.ops.talksumm.summary_cases import embed, example, extractor_params, gold, text
from tests.parts import parts

UNITS = [
    example("a"), example("b"), example("bare", labels=()), example("c", split="validation"),
    example("d", "long", labels=(0, 1, 2, 3)), example("seen", "long", paper_id="paper of tested"),
]  # fmt: skip
GOLD = [gold("learnt", "train"), gold("judge"), gold("judge two"), gold("tested", "test")]
FOUR = ["pointer/long", "pointer/short", "transformer/long", "transformer/short"]


@pytest.fixture(autouse=True)
def no_encoder(monkeypatch):
    monkeypatch.setattr("silverloom.ops.talksumm.models.embedder", lambda name, strict=True: embed)


def outcome(folder, units, golden, params, checkpoints=None):
    tables = parts(folder, TRAINING_SETS.kept, units), parts(folder, GOLD_PAPERS.kept, golden)
    [made] = extractor(*tables, params, checkpoints or Memory(), True)
    assert made.kept.schema == EXTRACTOR.kept
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Everything that one training produces from the corpus above."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("silverloom.ops.talksumm.models.embedder", lambda name, strict=True: embed)
        return outcome(folder, UNITS, GOLD, extractor_params(folder))


def models_of(outcome):
    return json.loads(outcome.files[MODELS])


def artifact_of(folder, outcome):
    for name, content in outcome.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return Artifact(None, folder)


def test_every_example_has_a_row_for_every_model_of_its_set_or_is_dropped(made):
    assert sorted(made.units.to_pylist()) == sorted(unit["id"] for unit in UNITS)
    rows = made.kept.to_pylist()
    assert sorted((row["architecture"], row["set"], row["example_id"], row["split"]) for row in rows) == [
        (architecture, *one)
        for architecture in ("pointer", "transformer")
        for one in (
            ("long", "d", "train"), ("long", "seen", "test"), ("oracle", "learnt", "train"),
            ("short", "a", "train"), ("short", "b", "train"), ("short", "c", "validation"),
        )
    ]  # fmt: skip
    assert all(row["source_ids"] == [row["example_id"]] for row in rows)
    assert [(one["id"], one["reason"]) for one in made.dropped.to_pylist()] == [("bare", "no_label")]
    assert made.rejected.num_rows == 0


def test_a_row_shows_how_far_the_model_agrees_with_the_labels(made):
    for row in made.kept.to_pylist():
        shared = len(set(row["positions"]) & set(row["labels"]))
        assert row["agreement"] == pytest.approx(
            2 * shared / (len(row["positions"]) + len(row["labels"])), abs=1e-6
        )
        assert row["sentences"] == 6 and row["positions"]
    assert {row["agreement"] for row in made.kept.to_pylist()} != {0.0}


def test_the_models_are_files_and_one_file_describes_them_all(made):
    models = models_of(made)
    names = [one["model"] for one in models]
    assert sorted(names) == sorted([*FOUR, "pointer/oracle", "transformer/oracle"])
    assert set(made.files) == {
        MODELS, *(f"{name}/{file}" for name in names for file in ("config.json", "weights.safetensors"))
    }  # fmt: skip
    told = {one["model"]: (one["examples"], one["validation_examples"], one["judged_on"]) for one in models}
    people = "summaries by people"
    assert told["pointer/short"] == (2, 2, people) and told["transformer/long"] == (1, 2, people)
    assert all(one["sets_comparable"] for one in models)
    assert all(one["steps"] == one["examples"] * 2 and one["reason"] == "epochs" for one in models)
    assert {point["name"] for one in models for point in one["curve"]} == {"train/loss", "loss", "rouge2_f"}


def test_a_trained_model_has_its_reported_validation_score_and_the_best_is_chosen(made, tmp_path):
    found = {}
    for name, chosen, model in trained(artifact_of(tmp_path, made)):
        scores = []
        for judge in GOLD[1:3]:
            order = model.extract(paper_of(judge), 12).indices
            summary = only(judge["sentences"], order, 12, cut=True).sentences
            references = [one["sentences"] for one in judge["references"]]
            scores.append(rouge_of_references(summary, references, words=12)["rouge2"].f)
        found[name] = (sum(scores) / 2, chosen)
    told = {one["model"]: (one["best"], one["chosen"]) for one in models_of(made)}
    assert found.keys() == told.keys()
    for name, (score, chosen) in found.items():
        assert (pytest.approx(score, abs=1e-6), chosen) == told[name]
    [best] = [score for score, chosen in found.values() if chosen]
    assert best == max(score for name, (score, _) in found.items() if not name.endswith("/oracle"))
    chosen = {f"{row['architecture']}/{row['set']}" for row in made.kept.to_pylist() if row["chosen"]}
    assert chosen == {name for name, (_, is_chosen) in told.items() if is_chosen}


@pytest.mark.parametrize("last", [3, pytest.param(1, marks=pytest.mark.long)])
def test_an_interrupted_training_resumes_to_the_same_bytes(tmp_path, last):
    params = extractor_params(tmp_path)
    unbroken, broken = Memory(), Memory(last)
    whole = outcome(tmp_path, UNITS[:2], [], params, unbroken)
    assert len(unbroken.writes) == 8
    with pytest.raises(StoppedError):
        outcome(tmp_path, UNITS[:2], [], params, broken)
    resumed = outcome(tmp_path, UNITS[:2], [], params, broken)
    assert len(broken.writes) == len(unbroken.writes)
    assert resumed.files == whole.files and resumed.kept.equals(whole.kept)


def test_validation_papers_are_not_learnt_from(tmp_path):
    params = extractor_params(tmp_path, "transformer")
    leaking = example("leak", paper_id="paper of judge")
    with_it, without = (outcome(tmp_path, units, GOLD, params) for units in ([*UNITS, leaking], UNITS))
    assert with_it.files == without.files
    assert with_it.kept.num_rows == without.kept.num_rows + 1


def test_a_model_validated_on_its_training_set_is_chosen_only_if_there_is_no_other(tmp_path):
    # Any model summarises a paper of one sentence perfectly.
    units = [*UNITS[:4], example("easy", "long", sentences=text(1, 3), labels=(0,))]
    made = outcome(tmp_path, units, [], extractor_params(tmp_path, "transformer"))
    told = {one["set"]: one for one in models_of(made)}
    assert (told["long"]["judged_on"], told["long"]["best"]) == ("training set", 1.0)
    assert (told["short"]["judged_on"], told["short"]["chosen"]) == ("validation split", True)
    assert told["short"]["best"] < 1 and not told["long"]["chosen"]
    assert not any(one["sets_comparable"] for one in told.values())


@pytest.mark.parametrize("asked", [False, True])
def test_a_model_taught_by_human_summaries_is_chosen_only_if_asked(tmp_path, asked):
    params = extractor_params(tmp_path, "transformer", choose_oracle=asked)
    [told] = models_of(outcome(tmp_path, [], GOLD, params))
    assert (told["model"], told["chosen"]) == ("transformer/oracle", asked)


def test_without_training_sets_there_is_no_model_and_no_row(tmp_path):
    made = outcome(tmp_path, [], [gold("tested", "test")], ExtractorParams())
    assert (made.files, made.units.to_pylist(), made.kept.num_rows) == ({MODELS: b"[]"}, [], 0)
    assert list(trained(artifact_of(tmp_path, made))) == []


def test_a_set_with_nothing_to_learn_from_stops_before_any_training(tmp_path):
    units, checkpoints = [*UNITS, example("x", "zero", "validation")], Memory()
    with pytest.raises(TrainingError, match="training set zero: of its 1 examples"):
        outcome(tmp_path, units, GOLD, extractor_params(tmp_path), checkpoints)
    assert checkpoints.writes == []


def test_a_paper_of_one_sentence_and_a_summary_longer_than_its_paper_are_learnt_from(tmp_path):
    units = [
        example("one", sentences=["w1 w2."], labels=(0,)),
        example("all", sentences=text(2, 0), labels=(0, 1)),
    ]
    made = outcome(tmp_path, units, [gold("judge", references=[text(50, 1)])], extractor_params(tmp_path))
    rows = [row for row in made.kept.to_pylist() if row["example_id"] == "one"]
    assert [row["positions"] for row in rows] == [[0], [0]]
    assert [row["agreement"] for row in rows] == [1.0, 1.0]


def test_an_unknown_size_is_refused_with_the_known_sizes():
    with pytest.raises(ValueError, match="size 'huge' is not among the sizes tiny"):
        ExtractorParams(size="huge")


def test_the_params_name_the_models_of_every_size_and_weights_are_kept_by_the_score(tmp_path):
    params = extractor_params(tmp_path, encoder="other-encoder")
    assert params.config("pointer").vectors == str(tmp_path / "vectors.txt")
    assert params.config("transformer").encoder == "other-encoder"
    assert {str(name) for name in params.models()} == {str(tmp_path / "vectors.txt"), "other-encoder"}
    training = params.training("transformer")
    assert (training.metric, training.direction, training.epochs) == ("score", "max", 2)


@pytest.mark.parametrize(
    ("part", "given", "message"),
    [
        ("pointer", {"vectors": "mine"}, "sizes.big.pointer.vectors is 'mine', but it is 'ours' in every"),
        ("transformer", {"encoder": "mine"}, "sizes.big.transformer.encoder is 'mine', but it is 'e5'"),
        ("pointer_training", {"metric": "loss"}, "sizes.big.pointer_training.metric is 'loss'"),
        ("transformer_training", {"direction": "min"}, "sizes.big.transformer_training.direction is 'min'"),
    ],
)
def test_a_size_that_contradicts_the_common_params_is_refused(part, given, message):
    same = {"vectors": "ours", "encoder": "e5", "metric": "score", "direction": "max"}
    whole = {"size": "big", "vectors": "ours", "encoder": "e5"}
    ExtractorParams(**whole, sizes={"big": {part: {key: same[key] for key in given}}})
    with pytest.raises(ValueError, match=message):
        ExtractorParams(**whole, sizes={"big": {part: given}})


def test_interrupted_embeddings_resume_from_the_stored_slices(tmp_path, monkeypatch, capsys):
    """The bytes are the same as from all embeddings at once."""
    asked = []

    def counted(texts):
        asked.extend(texts)
        return embed(texts)

    params = extractor_params(tmp_path)
    whole = outcome(tmp_path / "whole", UNITS, GOLD, params)
    monkeypatch.setattr("silverloom.ops.talksumm.models.embedder", lambda name, strict=True: counted)
    monkeypatch.setattr("silverloom.ops.models.embedded.SLICE", 5)
    checkpoints = Memory(last=2)
    with pytest.raises(StoppedError):
        outcome(tmp_path / "cut", UNITS, GOLD, params, checkpoints)
    assert len(asked) == 10 and "embeddings  5/" in capsys.readouterr().err
    checkpoints.last = None
    again = outcome(tmp_path / "again", UNITS, GOLD, params, checkpoints)
    embedded = [text for text in asked if text]  # each network embeds "" for its width
    assert len(embedded) == len(set(embedded))
    assert again.files == whole.files and again.kept.equals(whole.kept)
