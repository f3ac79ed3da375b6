"""Candidates, pairs and ratings of ParaSCI as datasets on disk, made by the ops themselves if they are fast."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import counted
from silverloom.ops.core.outcome import Outcome, drop
from silverloom.ops.evaluation.answers import ANSWERS
from silverloom.ops.evaluation.judge.judgements import judgements_shape
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.parasci.dataset.filtered import FilterParams, filtered
from silverloom.ops.parasci.dataset.paraphrases import ParaphraseParams, paraphrases
from silverloom.ops.parasci.dataset.statistics import statistics
from silverloom.ops.parasci.evaluation.human_evaluation import human_evaluation, rating_sheets
from silverloom.ops.parasci.evaluation.people import PEOPLE, HumanEvaluationParams, RatingSheetParams
from silverloom.ops.parasci.evaluation.scores import EVALUATION, EvaluationParams, numbers, scored, table_6
from silverloom.ops.parasci.partial.extractions import EXTRACTIONS, ExtractionParams, table
from silverloom.ops.parasci.schemas import FILTERED, PARAPHRASE_PAIRS, PARAPHRASES, SCORED
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.pages.systems.parasci.site import SYSTEM
from tests.browser.written import write_site
from tests.ops.parasci.parasci_cases import candidate, scored_pair
from tests.parts import parts
from tests.rows_corpus import JUNE

Given = TypeVar("Given")

HARM = "<script>window.harmed = true</script><b>bold</b> \x07"


def pairs() -> list[dict]:
    """Return scored pairs: kept ones, some that each threshold drops, and some found by two methods."""
    found = []
    for number in range(60):
        origins = (["intra"], ["definitions"], ["citations"], ["definitions", "intra"])[number % 4]
        keys = [f"{origin}:{KEYS[origin]}" for origin in origins]
        consistency, rate = 2.5 + 2.2 * number / 60, (0.0, 0.5, 1.2, 2.5)[number // 4 % 4]
        first, second = f"The model reads text {number} well.", f"Text {number} is read well by our model."
        found.append(scored_pair(f"scored-{number}", first, second, consistency, rate, keys, origins))
    return found


KEYS = {"intra": "paper-1", "definitions": "topic segmentation", "citations": "paper-2"}


def params_of(name: str, kind: type[Given]) -> Given:
    """Return the params of a type that a dataset reads."""
    return next(value for value in workspace().datasets[name].arguments.values() if isinstance(value, kind))


class Corpus:
    """Datasets in a folder; each method adds one."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.found: dict[str, dict[str, Path]] = {}

    def put(self, name: str, outcomes: Iterable[Outcome], month: str = "") -> Corpus:
        place = self.folder / "data" / name / (month or "all")
        place.mkdir(parents=True)
        shape = workspace().datasets[name].shape
        assert shape is not None
        write_outcomes(place, outcomes, shape)
        self.found.setdefault(name, {})[month] = place
        return self

    def rows(self, name: str, rows: Sequence[dict], month: str = "", **more) -> Corpus:
        shape = workspace().datasets[name].shape
        assert shape is not None
        full = [dict.fromkeys(shape.kept.names) | row for row in rows]
        return self.put(name, [Outcome.of(shape, [], full, **more)], month)

    def candidates(self) -> Corpus:
        for origin in ("intra", "definitions", "citations"):
            own = [
                candidate(f"{origin}-{pair['id']}", pair["first"], pair["second"], KEYS[origin])
                for pair in pairs()
                if origin in pair["origins"]
            ]
            lost = candidate(f"{origin}-lost", "Something.", "Something else.", KEYS[origin], cosine=0.6)
            month = JUNE if origin == "intra" else ""
            self.rows(f"parasci/{origin}", [*own, lost], month, combinations={"compared": 1_000})
        return self

    def judged(self, given: Sequence[dict] | None = None) -> Corpus:
        """Add parasci/scored, and the pairs and statistics that the thresholds of params.yaml make of it."""
        found = pairs() if given is None else given
        shape = workspace().datasets["parasci/scored"].shape
        assert shape is not None
        lost = drop(candidate("intra-lost", "Something.", "Something else.", cosine=0.6), "cosine", 0.6)
        counts = {"definitions: cosine": 1, "citations: cosine": 1, "merged": 0}
        outcome = Outcome.of(shape, [], found, [lost], combinations=counts)
        self.put("parasci/scored", [outcome])
        stored = parts(self.folder / "scored", SCORED.kept, found)
        [passed] = filtered(stored, params_of("parasci/filtered", FilterParams))
        self.put("parasci/filtered", [passed])
        by_threshold = parts(self.folder / "filtered", FILTERED.kept, passed.kept)
        [kept] = paraphrases(by_threshold, params_of("parasci/paraphrases", ParaphraseParams))
        self.put("parasci/paraphrases", [kept])
        self._kept = parts(self.folder / "paraphrases", PARAPHRASES.kept, kept.kept)
        return self.put("parasci/statistics", statistics(self._kept, stored))

    def people(self, raters: Sequence[str] = ("ann", "bob", "chi"), judge: str = "") -> Corpus:
        """Add sheets and their answers: the raters agree on most pairs; a model judge always answers 4."""
        asked = RatingSheetParams(pairs=5, phenomena=3)
        others = parts(self.folder / "others", PARAPHRASE_PAIRS.kept, [])
        sent = list(rating_sheets(self._kept, others, asked))
        self.put("parasci/rating_sheets", sent)
        rows = [row for outcome in sent for row in outcome.kept.to_pylist()]
        given = [
            {
                "id": f"{row['id']}-{question.name}-{rater}", "source_ids": ["f"], "licence": "MIT", "file": "f.csv",
                "place": f"line {at}", "questionnaire": row["questionnaire"], "rater": rater, "row_id": row["id"],
                "question": question.name, "answer": str((at + (at % 5 == number)) % 4 + 1),
                "shown": [{"column": name, "text": row[name]} for name in sheet.shown],
            }
            for at, row in enumerate(rows)
            for sheet in PEOPLE.questionnaires
            if sheet.name == row["questionnaire"]
            for question in sheet.questions
            for number, rater in enumerate(raters)
        ]  # fmt: skip
        said = [
            {
                **{
                    name: answer[name] for name in ("id", "source_ids", "questionnaire", "row_id", "question")
                },
                **{"rater": "gpt", "model": judge, "value": "4", "answer": "4", "request": "r"},
            }
            for answer in given
            if judge and answer["rater"] == raters[0]
        ]
        sheets = workspace().datasets["parasci/rating_sheets"].shape
        assert sheets is not None
        return self.put(
            "parasci/human_evaluation",
            human_evaluation(
                parts(self.folder / "answers", ANSWERS.kept, given),
                parts(self.folder / "sheets", sheets.kept, rows),
                asked,
                HumanEvaluationParams(resamples=50),
                parts(self.folder / "judgements", judgements_shape(PEOPLE).kept, said),
            ),
        )

    def models(self, harm: str = "", corpora: Sequence[str] = ("papers",)) -> Corpus:
        """Add generated sentences with their scores, and the extractions of PDBERT and the best clause."""
        texts = [(f"the model reads text {n} .", f"text {n} is read by a model .") for n in range(40)]
        rows = [
            {
                "id": f"generated-{number}-{system}", "source_ids": ["p"], "licence": "MIT", "pair_id": f"pair-{number}",
                "system": system, "model": model, "origin": "intra", "test_set": "paraphrases",
                "corpus": corpora[number % len(corpora)], "source": source + harm, "target": target,
                "prediction": source if system == "copy" else f"text {number} is read . {harm}",
            }
            for number, (source, target) in enumerate(texts)
            for system, model in (("copy", None), ("model", "transformer"))
        ]  # fmt: skip
        self.rows("parasci/generated", rows)
        params = EvaluationParams(resamples=20)
        scores = list(scored(rows, params, BertScorer()))
        light = numbers(pa.Table.from_pylist(scores, EVALUATION.kept))
        self.rows("parasci/evaluation", scores, files={"table.json": _json(table_6(light, params))})
        extracted = [
            {
                "id": f"{system}-{number}", "source_ids": ["p"], "licence": "MIT", "pair_id": f"pair-{number}",
                "system": system, "model": None, "short": source, "long": target, "part": source, "length_rate": 0.1,
                **dict.fromkeys(("f1", "precision", "recall"), 0.9 if system == "pdbert" else 0.6), "valuable": 1.0,
            }
            for number, (source, target) in enumerate(texts)
            for system in ("pdbert", "best_clause")
        ]  # fmt: skip
        content = table(pa.Table.from_pylist(extracted, EXTRACTIONS.kept), ExtractionParams(resamples=20))
        return self.rows("parasci/extractions", extracted, files={"table.json": _json(content)})

    def everything(self) -> Everything:
        return Everything({name: self.found[name] for name in workspace().datasets if name in self.found})

    def files(self) -> dict[str, bytes]:
        """Return the pages of ParaSCI."""
        everything = self.everything()
        return dict(SYSTEM.pages(everything, counted(everything)))

    def site(self) -> Path:
        """Write the pages with the files that they load, and return their folder."""
        return write_site(self.folder, self.files().items())


def _json(content: object) -> bytes:
    return json.dumps(content).encode()


def whole(folder: Path) -> Corpus:
    return Corpus(folder).candidates().judged().people().models()
