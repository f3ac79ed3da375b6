"""Partitions whose metrics are written."""

import csv
import dataclasses
import json

from silverloom.ops.core.counts import counts
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcome, drop, reject
from silverloom.ops.talksumm.schemas import GOLD_ALIGNMENTS
from silverloom.orchestration.dvc import metrics
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.state.freshness import Manifest

MONTHS = ("2018-06", "2018-07", "2018-08")


def row(name, words):
    return {
        "id": name,
        "source_ids": ["file"],
        "licence": "CC0-1.0",
        "document": "talk",
        "month": "2018-06",
        "first_word": 0,
        "last_word": words,
        "sentence": "x" * words,
        "encoding": None,
    }


def record_of(name):
    return {"id": name, "source_ids": [name], "licence": "CC0", "path": name, "row": None, "content": b""}


class Project:
    """Partitions of one dataset in a workspace, and the metrics made of them; also serves as a View."""

    def __init__(self, workspace, dataset):
        self.workspace, self.dataset = workspace, dataset

    def put(self, month, kept=(), dropped=(), rejected=()):
        place = self.workspace.folder(self.dataset, month)
        place.mkdir(parents=True, exist_ok=True)
        lost = [drop(record_of(f"{reason}-{n}"), reason) for n, reason in enumerate(dropped)]
        broken = [reject(record_of(name), "broken") for name in rejected]
        made = [row(f"{month}-{n}", words) for n, words in enumerate(kept)]
        units = [one["id"] for one in (*made, *lost, *broken)]
        write_outcomes(place, [Outcome.of(GOLD_ALIGNMENTS, units, made, lost, broken)], GOLD_ALIGNMENTS)

    def finished(self, dataset, month):
        place = self.workspace.folder(self.dataset, month)
        return Manifest({}, folder_hashes(place), counts(place))

    known = finished

    def write(self):
        metrics.write([self.dataset], self)

    def file(self, suffix):
        return self.workspace.root / "metrics" / f"sources{suffix}"

    def table(self, kind):
        with self.file(f".{kind}.csv").open(newline="") as file:
            return [line[1:] for line in map(tuple, csv.reader(file)) if line[0] == "gold_alignments"]

    @property
    def numbers(self):
        return json.loads(self.file(".json").read_text())["gold_alignments"]


def measured(tmp_workspace):
    dataset = dataclasses.replace(
        tmp_workspace.datasets["sources/gold_alignments"],
        measures=("last_word", "sentence.characters"),
        scores={"words": DatasetScore("last_word"), "longest": DatasetScore("last_word", "greatest")},
    )
    project = Project(tmp_workspace, dataset)
    tmp_workspace.state.mkdir()
    for month in MONTHS:
        project.put(month)
    return project
