import json

import pytest
import torch
import yaml

from silverloom.assets.declare.params_file import section
from silverloom.ops.metrics.rouge import rouge
from silverloom.ops.models.training import TrainingError
from silverloom.ops.wikisum.long_sequences.model import make
from silverloom.ops.wikisum.long_sequences.sizes import SubwordVocabulary
from silverloom.ops.wikisum.long_sequences.texts import KIND
from silverloom.ops.wikisum.models.learning_sets import JUDGED_ON, SubWords, learning_set
from silverloom.ops.wikisum.models.summaries import SUMMARIES, SummaryParams, summaries
from silverloom.ops.wikisum.models.summarizer import (
    MODELS,
    SummarizerParams,
    trained_model,
    trained_reports,
)
from silverloom.ops.wikisum.models.summarizer_training import vocabulary_of
from tests.checkpoints import Memory, StoppedError
from tests.ops.wikisum.models.summarizer_cases import (
    ARCHITECTURES,
    artifact_of,
    example,
    examples,
    made,
    params,
    rows_of,
    tokenizer,
)
from tests.projects import ROOT

ONE = {"t_d": ARCHITECTURES["t_d"]}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    rows = [*rows_of(folder), *rows_of(folder, "other", 6)]
    outcomes = made(folder, rows, params(sets=["tiny"]))
    return rows, outcomes, artifact_of(folder / "models", outcomes), examples(folder / "again", rows)


def test_every_architecture_is_trained_on_the_set_and_one_is_chosen(trained):
    rows, outcomes, artifact, _ = trained
    reports = json.loads((artifact.folder / MODELS).read_text())
    assert [report["model"] for report in reports] == ["tiny-seq2seq", "tiny-t_d", "tiny-t_dmca", "tiny-t_ed"]
    assert all(
        (report["metric"], report["judged_on"]) == ("log_perplexity", JUDGED_ON[1]) for report in reports
    )
    assert [report["best"] for report in reports if report["chosen"]] == [
        min(report["best"] for report in reports)
    ]
    assert sorted(unit for outcome in outcomes for unit in outcome.units.to_pylist()) == sorted(
        row["id"] for row in rows
    )
    dropped = {row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist()}
    assert dropped == {"other_set"}
    assert sum(len(outcome.kept) for outcome in outcomes) == 18


def test_a_model_has_its_tokenizer_and_card_and_answers_texts_without_the_project(trained):
    _, _, artifact, _ = trained
    files = artifact.files("tiny-t_dmca")
    assert {
        "README.md",
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "params.json",
        "tokenizer.json",
    } <= files.keys()
    assert "Licences of the texts: CC-BY-SA-4.0." in files["README.md"].decode()
    [answer] = KIND.answer(KIND.load(files), [{"source": "ann ann sings ."}], {"beam": 1})
    assert isinstance(answer["prediction"], str)


def test_summaries_have_the_likelihood_of_the_lead_and_rouge(trained):
    rows, _, artifact, parts = trained
    found = list(summaries(parts, artifact, SummaryParams(examples=2)))
    assert all(outcome.kept.schema == SUMMARIES.kept for outcome in found)
    kept = [row for outcome in found for row in outcome.kept.to_pylist()]
    assert len(kept) == 2 * 4 and len({row["id"] for row in kept}) == 8
    reasons = {row["reason"] for outcome in found for row in outcome.dropped.to_pylist()}
    assert reasons == {"split_train", "split_validation", "not_drawn", "no_model"}
    targets = {row["id"]: row for row in rows}
    for row in kept:
        assert row["tokens"] == len(targets[row["example_id"]]["target_tokens"])
        assert row["rougeL_f"] == rouge(row["prediction"], row["target"])["rougeL"].f
        assert row["nats"] > 0
    for report in trained_reports(artifact):
        model = trained_model(artifact, report["model"])
        own = [row for row in kept if row["model"] == report["model"]]
        perplexity = sum(row["nats"] for row in own) / sum(row["tokens"] for row in own)
        assert 0 < perplexity < 2 * len(vocabulary_of(model.tokenizer))


def test_targets_that_a_model_truncates_are_counted_and_reported(tmp_path):
    rows = rows_of(tmp_path, count=12)
    most = max(len(row["target_tokens"]) for row in rows) - 1  # without the end
    for row in (rows[0], rows[4]):  # from the splits train and test
        row["target_tokens"] = [*row["target_tokens"][:-1], *row["target_tokens"]]
    cutting = {"t_d": {**ARCHITECTURES["t_d"], "longest_target": most}}
    models = artifact_of(tmp_path / "models", made(tmp_path, rows, params(cutting)))
    assert [report["cut_targets"] for report in trained_reports(models)] == [1]
    written = summaries(examples(tmp_path / "again", rows), models, SummaryParams())
    kept = [row for outcome in written for row in outcome.kept.to_pylist()]
    told = {row["example_id"]: (row["cut"], row["tokens"]) for row in kept}
    whole = len(rows[10]["target_tokens"])
    assert told == {rows[4]["id"]: (True, most + 1), rows[10]["id"]: (False, whole)}


def test_a_model_writes_up_to_the_length_of_its_set(tmp_path):
    rows = [{**row, "longest_target": 5} for row in rows_of(tmp_path, count=12)]
    models = artifact_of(tmp_path / "models", made(tmp_path, rows, params(ONE)))
    [report] = trained_reports(models)
    assert report["config"]["longest_target"] == 5
    assert report["cut_targets"] == sum(row["split"] == "train" for row in rows)


#: tensor2tensor's lstm_attention (basic_params1, lstm_seq2seq) and transformer_base_v1, and section 5.2.
OF_ALL = {
    "epochs": 100, "steps": 1_000_000, "batch_size": 64, "accumulation": 1, "weight_decay": 0.0, "decay": 0.98,
    "decay_every": 1000, "precision": "bfloat16", "gradient_checkpointing": True, "validate_every": 5000,
    "checkpoint_every": 1000, "metric": "log_perplexity", "direction": "min", "tie": None, "patience": None,
    "seed": 0,
}  # fmt: skip
LSTM = {
    **OF_ALL, "batch_cost": 1024, "beta_1": 0.85, "beta_2": 0.997, "epsilon": 1e-6, "clip": 2.0,
    "learning_rate": 0.1 / 500, "schedule": "constant", "warmup": 100 / 1_000_000,
}  # fmt: skip
TRANSFORMER = {
    **OF_ALL, "batch_cost": 4096, "beta_2": 0.98, "epsilon": 1e-9, "clip": None,
    "learning_rate": pytest.approx(512**-0.5 * 4000**-0.5, rel=1e-5), "schedule": "inverse_sqrt",
    "warmup": 4000 / 1_000_000,
}  # fmt: skip
DECODING = {
    "longest_source": 500,
    "longest_target": 16384,
    "beam": 4,
    "length_penalty": 0.6,
    "label_smoothing": 0.1,
}
WIDE = {**DECODING, "dropout": 0.1, "width": 512, "filter": 2048, "heads": 8}
DMCA = {
    **WIDE, "architecture": "decoder", "layers": "LMLML", "block": 256, "look_back": False, "compression": 3,
    "experts": 0, "expert_filter": 2048, "balance": 0.01,
}  # fmt: skip
PAPER = {
    "seq2seq": {**DECODING, "architecture": "lstm", "hidden": 128, "layers": 2, "dropout": 0.2},
    "t_ed": {**WIDE, "architecture": "transformer_ed", "layers": 6},
    "t_d": {**DMCA, "layers": "FFFFFF"},
    "t_dmca": DMCA,
    "t_dmca_moe": {**DMCA, "experts": 128},
    "t_dmca_moe_256": {**DMCA, "experts": 256},
}


def test_the_size_paper_is_the_recipe_of_the_paper():
    content = yaml.safe_load((ROOT / "params.yaml").read_text())["wikisum"]["summarizer"]
    given = SummarizerParams.model_validate({**content, "size": "paper"})
    size = given.sizes["paper"]
    assert {name: found.model_dump() for name, found in size.architectures.items()} == PAPER
    for name in PAPER:
        assert given.training_of(name).model_dump() == (LSTM if name == "seq2seq" else TRANSFORMER)


def test_an_architecture_is_trained_with_its_own_params(tmp_path):
    two = {name: ARCHITECTURES[name] for name in ("seq2seq", "t_d")}
    given = params(two, trainings={"seq2seq": {"beta_1": 0.5, "epochs": 1}})
    models = artifact_of(tmp_path / "models", made(tmp_path, rows_of(tmp_path), given))
    reports = {report["architecture"]: report["training"] for report in trained_reports(models)}
    assert (reports["lstm"]["beta_1"], reports["lstm"]["epochs"]) == (0.5, 1)
    assert "beta_1" not in reports["decoder"] and reports["decoder"]["epochs"] == 2


@pytest.mark.parametrize(
    ("trainings", "cause"),
    [
        ({"t_x": {}}, "trainings names t_x: there are t_d"),
        ({"t_d": {"metric": "loss"}}, "metric is the same in every training"),
        ({"t_d": {"beta_3": 0.5}}, "beta_3"),
    ],
)
def test_a_training_with_an_unknown_architecture_or_param_is_refused(trainings, cause):
    with pytest.raises(ValueError, match=cause):
        params(ONE, trainings=trainings)


def test_the_same_examples_give_the_same_files_in_any_parts(tmp_path):
    rows = rows_of(tmp_path)
    first = made(tmp_path / "first", rows, params(ONE))
    second = made(tmp_path / "second", rows, params(ONE))
    assert first[0].files == second[0].files


def test_an_interrupted_training_resumes_to_the_same_files(tmp_path):
    rows, short = rows_of(tmp_path), params(ONE)
    whole = made(tmp_path / "whole", rows, short)[0].files
    checkpoints = Memory(last=1)
    size = short.sizes["tiny"]
    often = params(ONE).model_copy(
        update={
            "sizes": {
                "tiny": size.model_copy(
                    update={"training": size.training.model_copy(update={"checkpoint_every": 2})}
                )
            }
        }
    )
    with pytest.raises(StoppedError):
        made(tmp_path / "broken", rows, often, checkpoints)
    checkpoints.last = None
    again = made(tmp_path / "again", rows, often, checkpoints)[0].files
    assert again["tiny-t_d/model.safetensors"] == whole["tiny-t_d/model.safetensors"]


def test_without_a_validation_split_the_training_set_is_used_for_validation_and_the_report_says_so(tmp_path):
    rows = rows_of(tmp_path, count=4, split="train")
    [report] = json.loads(made(tmp_path, rows, params(ONE))[0].files[MODELS])
    assert report["judged_on"] == JUDGED_ON[0]
    assert (report["examples"], report["validation_examples"]) == (4, 4)


def test_validation_examples_are_drawn_up_to_the_configured_number(tmp_path):
    _, found = tokenizer(tmp_path / "tokenizer")
    rows = [example(number, found, split="train" if number < 2 else "validation") for number in range(9)]
    learnt = learning_set(examples(tmp_path / "examples", rows), "tiny", SubWords(found), 3, 0)
    again = learning_set(examples(tmp_path / "backwards", rows[::-1]), "tiny", SubWords(found), 3, 0)
    assert len(learnt.judges) == 3
    assert sorted(learnt.judges.names) == sorted(again.judges.names)
    assert all(name >= "tiny-002" for name in learnt.judges.names)
    assert learnt.learnt[0].target[-1] != 1  # the model adds the end itself


@pytest.mark.parametrize(
    ("split", "sets", "message"),
    [
        ("test", None, "the set 'tiny' has no example in the split train"),
        (None, ["tiny", "large"], "names large, but wikisum/examples has tiny"),
    ],
)
def test_a_set_without_training_examples_is_refused_by_name(tmp_path, split, sets, message):
    with pytest.raises(TrainingError, match=message):
        made(tmp_path, rows_of(tmp_path, split=split), params(ONE, sets=sets))


def test_a_size_that_contradicts_the_common_params_is_refused():
    size = {"architectures": ONE, "training": {"metric": "loss"}}
    with pytest.raises(ValueError, match=r"sizes\.tiny\.training\.metric is 'loss'"):
        params(ONE, sizes={"tiny": size})


def weights(architecture):
    """Return the number of weights of the network of some params, without allocating them."""
    with torch.device("meta"):
        network = make(architecture, SubwordVocabulary(32_000, 0, 1, 2)).network
    return sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)


def test_the_sizes_of_params_yaml_are_those_of_the_paper():
    sizes = section(SummarizerParams).sizes
    assert sizes.keys() == {"tiny", "base", "paper"}
    for size in sizes.values():
        assert all(weights(architecture) > 0 for architecture in size.architectures.values())
    paper = {name: weights(architecture) for name, architecture in sizes["paper"].architectures.items()}
    embeddings = 32_000 * 512
    # Section 4.2.3: dropping the encoder almost halves the parameters, embeddings aside.
    assert 0.4 < (paper["t_d"] - embeddings) / (paper["t_ed"] - embeddings) < 0.5
    assert paper["t_dmca_moe"] - paper["t_dmca"] > 128 * 2 * 512 * 2048 * 0.98
