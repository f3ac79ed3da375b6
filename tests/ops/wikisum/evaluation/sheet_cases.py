"""Scored leads of three systems, and the sheets made from them."""

from silverloom.ops.wikisum.evaluation.human_evaluation import rating_sheets
from silverloom.ops.wikisum.evaluation.people import RATING_SHEETS, RatingSheetParams
from silverloom.ops.wikisum.evaluation.scores import EVALUATION
from tests.parts import dealt

SYSTEMS = ("t_d (tf_idf-combined-8)", "extractive (tf_idf-combined)")
PARAMS = RatingSheetParams(articles=6, systems=SYSTEMS, pairs=(SYSTEMS,), raters=("ann", "bob"))


def lead(number, system, model):
    return {
        "id": f"score-{number}-{system}", "licence": "MIT", "article_id": f"article-{number}", "title": f"Town {number}",
        "system": system, "model": model, "chosen": system == "t_d", "prediction": f"{system} of {number}",
        "target": f"town {number} is a town .",
    }  # fmt: skip


def leads(count=9):
    systems = [("t_d", "tf_idf-combined-8"), ("extractive", "tf_idf-combined"), ("t_ed", "tf_idf-combined-8")]
    return [lead(number, *system) for number in range(count) for system in systems]


def made(folder, params=PARAMS, rows=None, several=1):
    stored = dealt(folder, EVALUATION.kept, leads() if rows is None else rows, several)
    [outcome] = rating_sheets(stored, params)
    assert outcome.kept.schema == RATING_SHEETS.kept
    return outcome
