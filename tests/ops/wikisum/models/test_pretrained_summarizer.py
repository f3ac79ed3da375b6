"""A pretrained encoder-decoder among the architectures: its input, its scores, its files."""

import json

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, BertConfig

from silverloom.ops.metrics.rouge import rouge
from silverloom.ops.models.installed import ModelNotInstalledError, installed_digest
from silverloom.ops.models.seq2seq.pretrained import FOLDER
from silverloom.ops.models.training import TrainingError
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum.long_sequences.texts import KIND
from silverloom.ops.wikisum.models.grid import GRID, GridParams, grid
from silverloom.ops.wikisum.models.learning_sets import reader_of
from silverloom.ops.wikisum.models.summaries import SummaryParams, summaries
from silverloom.ops.wikisum.models.summarizer import (
    MODELS,
    SummarizerParams,
    summarizer,
    trained_model,
    trained_reports,
)
from silverloom.ops.wikisum.tokenizer import END, TITLE_END
from tests.checkpoints import Memory
from tests.ops.wikisum.long_sequences.pretrained_cases import write_led
from tests.ops.wikisum.models.summarizer_cases import (
    ARCHITECTURES,
    artifact_of,
    example,
    examples,
    params,
    tokenizer,
)


def rows_of(folder, name="tiny", count=18):
    _, found = tokenizer(folder / "tokenizer")
    rows = [example(number, found, name) for number in range(count)]
    for row in rows:
        row["source"] = f"{row['title']} {TITLE_END} {row['source']}"
        row["id"] = f"{name}-{row['id']}"
    return rows


def pretrained(folder, **more):
    led = write_led(folder, ["she sings every day"], positions=256, answers=128)
    return {"architecture": "pretrained", "model": str(led), "longest_target": 100, "beam": 2, **more}


def made(folder, rows, given):
    artifact, _ = tokenizer(folder / "tokenizer")
    outcomes = list(summarizer(examples(folder / "examples", rows), artifact, given, Memory(), True))
    return artifact_of(folder / "models", outcomes)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pretrained")
    rows = rows_of(folder)
    architectures = {"t_d": ARCHITECTURES["t_d"], "led": pretrained(folder / "led")}
    models = made(folder, rows, params(architectures))
    return folder, rows, models


def written(folder, rows, models):
    kept = [
        row
        for outcome in summaries(examples(folder, rows), models, SummaryParams())
        for row in outcome.kept.to_pylist()
    ]
    return {name: [row for row in kept if row["model"] == name] for name in ("tiny-led", "tiny-t_d")}


def test_a_pretrained_model_is_trained_with_the_others_and_saved_in_hugging_faces_format(trained):
    folder, _, models = trained
    reports = {report["model"]: report for report in trained_reports(models)}
    assert reports.keys() == {"tiny-led", "tiny-t_d"}
    report = reports["tiny-led"]
    assert (report["architecture"], report["metric"]) == ("pretrained", "log_perplexity")
    assert (report["cut_targets"], report["cut_sources"]) == (0, 0)
    place = models.folder / "tiny-led" / FOLDER
    before = (folder / "led" / "model.safetensors").read_bytes()
    assert (place / "model.safetensors").read_bytes() != before
    network, own = AutoModelForSeq2SeqLM.from_pretrained(place), AutoTokenizer.from_pretrained(place)
    assert TITLE_END in own.get_vocab() and network.config.model_type == "led"
    assert (network.generation_config.num_beams, network.generation_config.max_new_tokens) == (2, 101)
    card = (models.folder / "tiny-led" / "README.md").read_text()
    assert f'AutoModelForSeq2SeqLM.from_pretrained("FOLDER/{FOLDER}")' in card


def test_a_pretrained_model_reads_the_texts_of_an_example(trained):
    _, rows, models = trained
    model = trained_model(models, "tiny-led")
    found = reader_of(model).example(rows[0])
    own = model.model.tokenizer
    assert (
        own.decode([*found.source], skip_special_tokens=True).split()
        == rows[0]["source"].replace(TITLE_END, " ").split()
    )
    assert own.convert_tokens_to_ids(TITLE_END) in found.source
    assert own.decode([*found.target], skip_special_tokens=True).strip() == rows[0]["target"]


def test_a_model_of_natural_text_reads_and_writes_the_texts_of_the_pages(tmp_path):
    rows = rows_of(tmp_path)
    for row in rows:
        row["source_text"] = f"{row['title'].title()}\n\nShe sings, every day."
        row["target_text"] = row["target"].replace(" .", ".").capitalize()
    models = made(tmp_path, rows, params({"led": pretrained(tmp_path / "led", text="natural")}))
    model = trained_model(models, "tiny-led")
    own, found = model.model.tokenizer, reader_of(model).example(rows[0])
    assert own.decode([*found.source], skip_special_tokens=True).strip() == rows[0]["source_text"]
    assert own.decode([*found.target], skip_special_tokens=True).strip() == rows[0]["target_text"]
    assert TITLE_END not in own.get_vocab()
    assert "cased" in (models.folder / "tiny-led" / "README.md").read_text()
    by_id = {row["id"]: row for row in rows}
    for row in written(tmp_path / "again", rows, models)["tiny-led"]:
        assert row["target"] == by_id[row["example_id"]]["target_text"]
        assert row["tokens"] == len(by_id[row["example_id"]]["target_tokens"])


def test_rouge_of_natural_text_is_that_of_the_normalised_text(tmp_path):
    """A blank line of a natural text would otherwise begin a sentence of ROUGE-L."""
    rows = rows_of(tmp_path)
    for row in rows:
        row["source_text"], row["target_text"] = row["source"], f"{row['target'].capitalize()}\n\nMore."
    models = made(tmp_path, rows, params({"led": pretrained(tmp_path / "led", text="natural")}))
    by_id = {row["id"]: row for row in rows}
    for row in written(tmp_path / "again", rows, models)["tiny-led"]:
        scores = rouge(normalised(row["prediction"]), by_id[row["example_id"]]["target"])
        assert row["rougeL_f"] == scores["rougeL"].f


def test_a_truncated_natural_target_counts_sub_words_of_its_normalised_text(tmp_path):
    rows = rows_of(tmp_path)
    for row in rows:
        row["source_text"], row["target_text"] = row["source"], row["target"].upper()
    given = params({"led": pretrained(tmp_path / "led", text="natural", longest_target=6)})
    models = made(tmp_path, rows, given)
    _, found = tokenizer(tmp_path / "tokenizer")
    model, by_id = trained_model(models, "tiny-led").model, {row["id"]: row for row in rows}
    for row in written(tmp_path / "again", rows, models)["tiny-led"]:
        learnt = model.learnt_text(by_id[row["example_id"]]["target_text"])
        assert row["cut"] and learnt.isupper() and row["target"].startswith(learnt)
        assert row["tokens"] == len(found.encode(learnt.lower().strip(), add_special_tokens=False).ids)


def test_its_log_perplexity_is_over_the_same_sub_words_as_the_others(trained, tmp_path):
    _, rows, models = trained
    by_model = written(tmp_path, rows, models)
    led, other = ({row["example_id"]: row for row in by_model[name]} for name in ("tiny-led", "tiny-t_d"))
    assert led.keys() == other.keys() == {row["id"] for row in rows if row["split"] == "test"}
    targets = {row["id"]: len(row["target_tokens"]) for row in rows}
    assert {name: row["tokens"] for name, row in led.items()} == {name: targets[name] for name in led}
    model = trained_model(models, "tiny-led")
    own = {
        row["id"]: len(model.model.example("", row["target"]).target) + 1 for row in rows if row["id"] in led
    }
    assert all(own[name] != targets[name] for name in own), "both tokenizers split alike"
    [report] = [report for report in trained_reports(models) if report["model"] == "tiny-led"]
    judges = [row for row in rows if row["split"] == "validation"]
    with torch.no_grad():
        nats = [float(model.model.losses([reader_of(model).example(row)]).output) for row in judges]
    assert report["best"] == pytest.approx(sum(nats) / sum(targets[row["id"]] for row in judges), abs=1e-5)


def test_for_a_truncated_target_only_scored_sub_words_are_counted(tmp_path):
    rows = rows_of(tmp_path)
    given = params({"led": pretrained(tmp_path / "led", longest_target=4, longest_source=6)})
    models = made(tmp_path, rows, given)
    [report] = trained_reports(models)
    assert report["cut_targets"] == report["cut_sources"] == report["examples"]
    _, found = tokenizer(tmp_path / "tokenizer")
    model = trained_model(models, "tiny-led").model
    for row in written(tmp_path / "again", rows, models)["tiny-led"]:
        learnt = model.learnt_text(row["target"])
        assert row["cut"] and learnt and row["target"].startswith(learnt) and learnt != row["target"]
        assert row["tokens"] == len(found.encode(learnt, add_special_tokens=False).ids)


def test_a_pretrained_model_answers_texts_without_the_project(trained, tmp_path):
    _, rows, models = trained
    tests = [row for row in rows if row["split"] == "test"]
    summaries_of = {
        row["example_id"]: row["prediction"] for row in written(tmp_path, rows, models)["tiny-led"]
    }
    model = KIND.load(models.files("tiny-led"))
    answers = KIND.answer(model, [{"source": row["source"]} for row in tests], {"beam": 0})
    assert [answer["prediction"] for answer in answers] == [summaries_of[row["id"]] for row in tests]


def test_cells_of_the_grid_may_be_pretrained(tmp_path):
    sizes = params({"t_d": ARCHITECTURES["t_d"], "led": pretrained(tmp_path / "led")}).sizes
    given = GridParams(
        size="tiny", sizes=sizes, slices={"all": {"lengths": [8], "architectures": ["t_d", "led"]}}, resamples=9
    )  # fmt: skip
    artifact, _ = tokenizer(tmp_path / "tokenizer")
    rows = rows_of(tmp_path, "tf_idf-combined-8")
    outcomes = list(grid(examples(tmp_path / "examples", rows), artifact, given, Memory(), True))
    assert all(outcome.kept.schema == GRID.kept for outcome in outcomes)
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    assert {row["model"] for row in kept} == {"t_d-tf_idf-combined-8", "led-tf_idf-combined-8"}
    counts = {(row["example_id"], row["tokens"]) for row in kept}
    assert len(counts) == len(kept) / 2
    [content] = [outcome.files[MODELS] for outcome in outcomes if MODELS in outcome.files]
    reports = json.loads(content)
    assert {report["architecture"] for report in reports} == {"t_d", "led"}
    assert all(report["test_log_perplexity"] > 0 for report in reports)


def test_changed_weights_change_the_key_of_the_datasets_that_train_them(tmp_path):
    """The key of a dataset contains the digests of the models that its section names."""
    led = pretrained(tmp_path / "led")
    given = params({"t_d": ARCHITECTURES["t_d"], "led": led})
    assert given.models() == [led["model"]]
    before = installed_digest(led["model"])
    write_led(tmp_path / "led", ["he sings"], positions=256)
    assert installed_digest(led["model"]) != before
    of_grid = GridParams(size="tiny", sizes=given.sizes, slices={"a": {"architectures": ["t_d"]}})
    assert of_grid.models() == []
    unused = {"tiny": given.sizes["tiny"], "small": {"architectures": {"t_d": ARCHITECTURES["t_d"]}}}
    assert SummarizerParams(size="small", sizes=unused).models() == []


def test_a_model_that_cannot_be_trained_is_refused_by_name(tmp_path):
    rows = rows_of(tmp_path)
    BertConfig().save_pretrained(tmp_path / "bert")
    for model, error, cause in (
        (tmp_path / "bert", TrainingError, r"tiny-led: .*bert is a bert: no encoder-decoder"),
        (tmp_path / "nowhere", ModelNotInstalledError, "nowhere': there is no such file"),
    ):
        given = params({"led": {"architecture": "pretrained", "model": str(model)}})
        with pytest.raises(error, match=cause):
            made(tmp_path, rows, given)


def test_the_tokenizers_of_these_tests_are_different(trained):
    folder, _, models = trained
    _, found = tokenizer(folder / "tokenizer")
    assert found.token_to_id(END) is not None
    assert found.get_vocab() != trained_model(models, "tiny-led").model.tokenizer.get_vocab()
