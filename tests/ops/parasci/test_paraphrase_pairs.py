"""External pairs, read from tables, lines and groups, and generators that learn from them."""

import gzip
import json
import re
from collections import defaultdict

import pytest

from silverloom.ops.parasci.dataset.scored import ScoredParams
from silverloom.ops.parasci.evaluation.scores import TABLE, EvaluationParams, evaluation
from silverloom.ops.parasci.generation.generated import GENERATED, GeneratedParams, generated
from silverloom.ops.parasci.generation.generator import (
    EXTERNAL_GENERATORS,
    MODELS,
    ExternalParams,
    external_generators,
    external_pairs,
)
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PARAPHRASES
from silverloom.ops.parasci.sources import PAIR_FORMATS, parse_paraphrase_pairs
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, Source
from tests.checkpoints import Memory
from tests.ops.parasci.generation_cases import UNITS, artifact_of, made, params_of
from tests.parts import dealt, parts
from tests.projects import ROOT

MSCOCO = {"images": [], "annotations": [
    {"image_id": 5, "id": 2, "caption": "A dog."}, {"image_id": 5, "id": 1, "caption": "One dog."},
]}  # fmt: skip


def read(folder, kind, name="quora", **more):
    source = Source(kind=kind, path=str(folder), month=MonthRule(constant="2018-06"), licence="MIT", **more)
    records = [
        Record(record_id(name, raw), name, kind, "MIT", "2018-06", raw)
        for raw in PAIR_FORMATS[kind].split(folder, source)
    ]
    outcome = parse_paraphrase_pairs(records)
    assert sorted(outcome.units.to_pylist()) == sorted(record.id for record in records)
    return outcome


def pairs_of(outcome):
    return [(row["split"], row["first"], row["second"]) for row in outcome.kept.to_pylist()]


def test_questions_of_quora_are_pairs_if_their_label_says_so(tmp_path):
    (tmp_path / "questions.tsv").write_text(
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
        "0\t1\t2\tHow do I  sail?\tHow to sail?\t1\n"
        "1\t3\t4\tWhat is salt?\tWho is Salt?\t0\n"
        "2\t5\t6\tIs it so?\t\t1\n"
    )
    fields = {"first": "question1", "second": "question2", "label": "is_duplicate"}
    outcome = read(tmp_path, "paraphrase_pairs", fields=fields)
    assert pairs_of(outcome) == [(None, "How do I sail?", "How to sail?")]
    assert outcome.dropped["reason"].to_pylist() == ["not_paraphrases"]
    assert [row["error"] for row in outcome.rejected.to_pylist()] == [
        "quora/questions.tsv, line 4: the second text is empty"
    ]
    assert outcome.kept["corpus"].to_pylist() == ["quora"]


def test_a_split_is_named_by_the_row_or_else_by_the_file(tmp_path):
    for name, more in (
        ("train-1", {}),
        ("pairs.dev", {}),
        ("any", {"split": "test"}),
        ("test", {"split": "odd"}),
    ):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"first": name, "second": "b", **more}) + "\n")
    outcome = read(tmp_path, "paraphrase_pairs")
    assert sorted(pairs_of(outcome)) == [
        ("test", "any", "b"), ("train", "train-1", "b"), ("validation", "pairs.dev", "b"),
    ]  # fmt: skip
    [rejected] = outcome.rejected.to_pylist()
    assert "the split 'odd' is not one of train, " in rejected["error"]


def test_aligned_lines_of_two_files_are_pairs_as_in_parasci(tmp_path):
    (tmp_path / "arxiv.val.src").write_text("we use parser 1 .\nwe use 2 .\nwe are longer .\n")
    (tmp_path / "arxiv.val.tgt.gz").write_bytes(gzip.compress(b"parser 1 is used .\n2 is used .\n"))
    (tmp_path / "alone.test.src").write_text("nothing beside it\n")
    outcome = read(tmp_path, "paraphrase_lines")
    assert pairs_of(outcome) == [
        ("validation", "we use parser 1 .", "parser 1 is used ."),
        ("validation", "we use 2 .", "2 is used ."),
    ]
    assert sorted(row["error"] for row in outcome.rejected.to_pylist()) == [
        "quora/alone.test.src: there is no alone.test.tgt next to it",
        "quora/arxiv.val.src, line 3: its line 3 is in no line of its .tgt",
    ]


def test_captions_are_paired_within_their_group_once_each(tmp_path):
    groups = [["a", "b", "c", "d", "e"], ["one"], ["x", "y"]]
    lines = [json.dumps({"id": number, "captions": texts}) for number, texts in enumerate(groups)]
    (tmp_path / "train.jsonl").write_text("\n".join([*lines, '{"id": 9, "captions": "no list"}']) + "\n")
    outcome = read(tmp_path, "caption_groups")
    assert pairs_of(outcome) == [("train", "a", "b"), ("train", "c", "d"), ("train", "x", "y")]
    assert outcome.dropped["reason"].to_pylist() == ["one_caption"]
    assert "captions: expected a list of texts" in outcome.rejected["error"].to_pylist()[0]


def test_the_file_of_mscoco_becomes_groups_by_the_query_in_the_docs(tmp_path, monkeypatch):
    page = (ROOT / "docs/reference/formats/pairs.md").read_text()
    [query] = [
        block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "captions_val2014.json" in block
    ]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "captions_val2014.json").write_text(json.dumps(MSCOCO))
    exec(query)
    outcome = read(tmp_path, "caption_groups", fields={"id": "image_id"})
    assert pairs_of(outcome) == [("validation", "One dog.", "A dog.")]
    assert outcome.kept["document"].to_pylist() == ["5"]


def external(number, corpus, split):
    return {
        "id": f"{corpus}-{number}", "document": str(number), "month": "2018-06", "corpus": corpus, "split": split,
        "first": f"How can I sail boat {number}?", "second": f"What is a way to sail boat {number}?",
    }  # fmt: skip


@pytest.mark.long
def test_generators_learn_from_external_pairs_and_every_model_is_tested_on_every_test_set(tmp_path):
    splits = ["train", "train", "validation", "test", "test"]
    others = [
        external(number, corpus, split) for corpus in ("quora", "coco") for number, split in enumerate(splits)
    ]
    others += [external(9, "left_out", "train")]
    stored = dealt(tmp_path / "others", PARAPHRASE_PAIRS.kept, others)
    asked = ExternalParams(corpora=["quora", "coco"])
    [outcome] = external_generators(stored, params_of(), asked, Memory(), True)
    assert outcome.kept.schema == EXTERNAL_GENERATORS.kept
    assert sorted(outcome.kept["pair_id"].to_pylist()) == sorted(row["id"] for row in others[:-1])
    [dropped] = outcome.dropped.to_pylist()
    assert (dropped["id"], dropped["reason"], dropped["split"]) == ("left_out-9", "other_corpus", "train")
    reports = json.loads(outcome.files[MODELS])
    assert [(report["model"], report["set"], report["examples"]) for report in reports] == [
        ("transformer-coco", "coco", 2), ("transformer-quora", "quora", 2),
    ]  # fmt: skip

    ours = artifact_of(tmp_path / "ours", made(tmp_path / "pairs", UNITS))
    theirs = artifact_of(tmp_path / "theirs", outcome)
    outcomes = list(
        generated(
            parts(tmp_path / "all", PARAPHRASES.kept, UNITS),
            ours,
            theirs,
            stored,
            GeneratedParams(pairs=1),
            asked,
            True,
        )
    )
    rows = [row for found in outcomes for row in found.kept.to_pylist()]
    systems = {None, "transformer", "transformer-coco", "transformer-quora"}
    for test_set in ("paraphrases", "quora", "coco"):
        assert [row["model"] in systems for row in rows if row["test_set"] == test_set] == [True] * 4
        assert {row["model"] for row in rows if row["test_set"] == test_set} == systems
    assert outcomes[-1].combinations == {"quora: not_drawn": 1, "coco: not_drawn": 1}

    stored = parts(tmp_path / "generated", GENERATED.kept, rows)
    [scores] = evaluation(stored, EvaluationParams(resamples=50), ScoredParams(), True)
    table = json.loads(scores.files[TABLE])
    assert {system["model"] for system in table["systems"]} == systems
    assert {name: len(found["systems"]) for name, found in table["external"].items()} == {
        "coco": 4,
        "quora": 4,
    }
    counted = [row for row in scores.kept.to_pylist() if row["by_model"]]
    assert {(row["model"], row["test_set"]) for row in counted} == {("transformer", "paraphrases")}


def test_pairs_without_a_split_are_split_by_their_first_text(tmp_path):
    rows = [external(number, "quora", None) for number in range(200)]
    [outcome] = external_generators(
        dealt(tmp_path, PARAPHRASE_PAIRS.kept, rows),
        params_of(),
        ExternalParams(validation=0.3, test=0.3),
        Memory(),
        True,
    )
    counts = {
        split: outcome.kept["split"].to_pylist().count(split) for split in ("train", "validation", "test")
    }
    assert sum(counts.values()) == 200 and all(30 < count < 110 for count in counts.values())


def test_captions_of_a_picture_and_pairs_that_share_a_text_are_in_one_split(tmp_path):
    rows = [
        *(
            {"document": f"picture-{n}", "first": f"a {n} {k}", "second": f"b {n} {k}"}
            for n in range(40)
            for k in range(2)
        ),
        *({"document": f"row-{n}", "first": f"q {n}", "second": f"q {n + n % 2}"} for n in range(80)),
    ]
    table = [
        {
            **dict.fromkeys(PARAPHRASE_PAIRS.kept.names),
            "id": str(at),
            "source_ids": [str(at)],
            "licence": "MIT",
            "corpus": "x",
            **row,
        }
        for at, row in enumerate(rows)
    ]
    pairs_of_others = external_pairs(
        parts(tmp_path / "pairs", PARAPHRASE_PAIRS.kept, table),
        ExternalParams(validation=0.3, test=0.3),
        tmp_path / "external",
    )
    found = list(pairs_of_others.rows())
    assert {row["split"] for row in found} == {"train", "validation", "test"}
    for shared in ("document", "first", "second"):
        splits = defaultdict(set)
        for row in found:
            splits[row[shared]].add(row["split"])
        assert {len(of) for of in splits.values()} == {1}
    texts = defaultdict(set)
    for row in found:
        texts[row["first"]].add(row["split"])
        texts[row["second"]].add(row["split"])
    assert {len(of) for of in texts.values()} == {1}
