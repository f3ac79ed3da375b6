"""An evaluation, its extractors and ratings as handmade datasets on disk: nothing is trained or scored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import Counted
from silverloom.ops.core.parts import FILES
from silverloom.ops.talksumm.evaluation.people import PEOPLE
from silverloom.orchestration.files.parquet import write_table
from silverloom.pages.systems.talksumm.site import evaluation_pages
from tests.browser.written import write_site

METRICS = ["rouge2_recall", "rouge2_f", "rouge3_f", "rougeSU4_f"]
SCORES = [
    f"rouge{kind}_{field}" for kind in ("1", "2", "3", "L", "SU4") for field in ("precision", "recall", "f")
]
CHOSEN = "transformer/words_150"

_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "gold_id", "title", "system", "model", "text", "reference")),
        ("chosen", pa.bool_()),
        ("references", pa.int32()),
        *((name, pa.float64()) for name in SCORES),
    ]
)


def summary(
    paper: str,
    system: str = "lead",
    text: str = "",
    reference: str = "",
    *,
    model: str | None = None,
    chosen: bool = True,
    title: str | None = "A paper",
    references: int = 1,
    score: float = 0.2,
) -> dict:
    """Return a row of talksumm/evaluation whose scores are all equal."""
    return {
        "id": f"score-{paper}-{system}-{model}", "gold_id": paper, "title": title, "system": system, "model": model,
        "chosen": chosen, "text": text, "reference": reference, "references": references, **dict.fromkeys(SCORES, score),
    }  # fmt: skip


def scored(
    system: str, mean: float, *, model: str | None = None, chosen: bool = True, papers: int = 98, half=0.02
) -> dict:
    """Return a system of table.json with intervals of `half` to both sides; each next metric is a tenth lower."""
    scores = {
        name: {"mean": mean * (1 - at / 10), "low": mean * (1 - at / 10) - half, "high": mean * (1 - at / 10) + half}
        for at, name in enumerate(METRICS)
    }  # fmt: skip
    return {"system": system, "model": model, "chosen": chosen, "papers": papers, "scores": scores}


def against(first: str, second: str, difference: float, p: float, papers: int = 98) -> dict:
    """Return a test of table.json, the same by every metric."""
    found = {"difference": difference, "low": difference - 0.01, "high": difference + 0.02, "p": p}
    return {"first": first, "second": second, "papers": papers, "scores": dict.fromkeys(METRICS, found)}


def table(systems: Sequence[Mapping], tests: Sequence[Mapping] = ()) -> dict:
    return {"metrics": METRICS, "systems": list(systems), "tests": list(tests)}


def trained(name: str, curves: Mapping[str, Sequence[float]], *, chosen: bool = False, **more) -> dict:
    """Return a model of models.json, whose curve has a point every ten steps and is best at step 20."""
    architecture, _, training_set = name.partition("/")
    points = [
        {"step": 10 * (at + 1), "epoch": at, "name": curve, "value": value}
        for curve, values in curves.items()
        for at, value in enumerate(values)
    ]
    return {
        "model": name, "architecture": architecture, "set": training_set, "steps": 50, "reason": "patience",
        "best_step": 20, "metric": "rouge2_f", "best": 0.25, "chosen": chosen, "examples": 36,
        "validation_examples": 4, "curve": points, **more,
    }  # fmt: skip


def _asked(name: str) -> dict:
    """Return a question as in the table of a human evaluation."""
    questions = PEOPLE.questions
    return next(question.described() for question in questions if question.name == name)


def considered(**more) -> dict:
    """Return a yes/no question of the human evaluation's table.json."""
    return {
        **_asked("considered"), "papers": 3, "rows": 90, "raters": 3, "ratings": 200, "mean": 0.72, "low": 0.6,
        "high": 0.8, "deviation": None, "ties": 8, "paper": {"mean": 0.73, "deviation": None},
        "values": [answer("yes", 144, 0.72), answer("no", 56, 0.28)], **more,
    }  # fmt: skip


def quality(**more) -> dict:
    """Return a 1-to-5 question of the human evaluation's table.json."""
    return {
        **_asked("quality"), "papers": 7, "rows": 21, "raters": 3, "ratings": 40, "mean": 3.5, "low": 2.0,
        "high": 4.0, "deviation": 0.786, "ties": 2, "paper": {"mean": 3.73, "deviation": 0.725},
        "values": [
            answer("1", 0, 0), answer("2", 4, 0.1), answer("3", 16, 0.4), answer("4", 16, 0.4), answer("5", 4, 0.1),
        ], **more,
    }  # fmt: skip


def answer(value: str, ratings: int, share: float) -> dict:
    return {"value": value, "ratings": ratings, "share": share, "majorities": 0}


def agreed(
    rater: str,
    kappa: float | None,
    *,
    other: str | None = None,
    question: str = "considered",
    rows: int = 85,
    observed: float | None = 0.9,
    left_out: int = 5,
) -> dict:
    """Return a row of `agreement` (with `other`, a row of `pairs`) of the human evaluation's table.json."""
    return {
        "question": question, "rater": rater, "other": other, "rows": rows, "left_out": left_out,
        "observed": observed, "kappa": kappa,
    }  # fmt: skip


def rated(
    questions: Sequence[Mapping], agreement: Sequence[Mapping] = (), pairs: Sequence[Mapping] = ()
) -> dict:
    return {"questions": list(questions), "agreement": list(agreement), "pairs": list(pairs)}


def corpus(
    folder: Path,
    rows: Sequence[Mapping] | None = None,
    table: Mapping | None = None,
    models: Sequence[Mapping] | None = None,
    people: Mapping | None = None,
) -> Everything:
    """Write the three datasets; None leaves one out."""
    everything = Everything()
    if rows is not None or table is not None:
        place = folder / "data/talksumm/evaluation"
        (place / FILES).mkdir(parents=True)
        write_table(pa.Table.from_pylist(list(rows or ()), schema=_SCHEMA), place / "kept-00000.parquet")
        if table is not None:
            (place / FILES / "table.json").write_text(json.dumps(table))
        everything["talksumm/evaluation"] = {"": place}
    if models is not None:
        place = folder / "data/talksumm/extractor"
        (place / FILES).mkdir(parents=True)
        (place / FILES / "models.json").write_text(json.dumps(models))
        everything["talksumm/extractor"] = {"": place}
    if people is not None:
        place = folder / "data/talksumm/human_evaluation"
        (place / FILES).mkdir(parents=True)
        (place / FILES / "table.json").write_text(json.dumps(people))
        everything["talksumm/human_evaluation"] = {"": place}
    return everything


def site(folder: Path, everything: Everything, numbers: Mapping[str, Counted] | None = None) -> Path:
    """Write the page with the files that it loads, and return its path."""
    return write_site(folder, evaluation_pages(everything, numbers or {})) / "evaluation.html"
