"""What people are asked about the summaries: a sample of talks, and the sheets to fill in.

Belongs here: which rows raters see, and the files that are sent to them. Not here: the questions
(questionnaires.py), how a sheet is laid out (ops/annotation), what is read off filled ones
(human_evaluation.py).

Lev et al. (2019), section 4.2: of 15 papers the summary of 30 sentences; each sentence is asked about (was it
considered when preparing the talk), then the summary (its quality, 1 to 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.annotation.export import sent_files
from ops.annotation.rounds import RaterParams
from ops.core.sampling import sample
from ops.identity import row_id
from ops.outcome import TEXT, TIME, TITLE, Outcome, Outcomes, Row, Shape, columns, drop
from ops.parts import Parts
from ops.talksumm.evaluation.questionnaires import OF_SENTENCES, OF_SUMMARIES, QUESTIONNAIRES
from ops.talksumm.schemas import SUMMARIES

_TEXT = pa.string()

RATING_SHEETS = Shape(
    unit=SUMMARIES.kept,
    kept=columns(
        ("questionnaire", _TEXT, f"{OF_SENTENCES.name}: yes or no; {OF_SUMMARIES.name}: 1 to 5"),
        ("summary_id", _TEXT, "row of talksumm/summaries"),
        ("pair_id", _TEXT, "row of talksumm/pairs"),
        ("paper_id", _TEXT, "row of sources/papers"),
        ("paper_title", _TEXT, "as the paper's source has it", TITLE),
        ("month", _TEXT, "of the talk, YYYY-MM: the stratum that it was drawn from", TIME),
        ("sentence_id", _TEXT, "row of sources/sentences; null where the whole summary is rated"),
        ("position", pa.int32(), "of the sentence in the paper; null where the whole summary is rated"),
        ("text", _TEXT, "what is rated", TEXT),
    ),
)

_ABOUT = """\
# Rate summaries of papers

Each summary has sentences of a paper, chosen by what was said in a talk about it. Two things are asked:"""
_LEAVE_EMPTY = "for instance papers that are not yours."


class RatingSheetParams(RaterParams, section="talksumm.rating_sheets"):
    """Which summaries are rated, and by whom.

    Who can judge only their own paper leaves the others empty.
    """

    budget: str = Field("sentences_30", description="of the summaries, by its name in talksumm.summaries")
    papers: int = Field(
        15, ge=1, description="drawn, each with the first of its talks by id; of each month its share"
    )


def rating_sheets(summaries: Parts, alignments: Parts, talks: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows that are rated, and the sheets; the units are the summaries.

    A summary is dropped as `other_budget`, as `other_talk` (an earlier one by id is about its paper), or as
    `not_drawn`. Raises KeyError for a summary whose talk
    or sentences are not there.
    """
    months = dict(
        zip(*(talks.read(["id", "month"])[name].to_pylist() for name in ("id", "month")), strict=True)
    )
    units = summaries.read()
    of_budget = units.filter(pc.equal(units["budget"], params.budget))
    first: dict[str, str] = {}
    for unit in of_budget.sort_by("talk_id").to_pylist():
        first.setdefault(unit["paper_id"], unit["talk_id"])
    rated = of_budget.filter(pc.is_in(of_budget["talk_id"], pa.array(sorted(first.values()), _TEXT)))
    by_month = rated.append_column(
        "month", pa.array([months[talk] for talk in rated["talk_id"].to_pylist()], _TEXT)
    )
    drawn = sample(by_month, params.papers, params.seed, strata=["month"]).to_pylist()
    wanted = [state for summary in drawn for state in summary["source_ids"]]
    found = alignments.read(["id", "text"], where=("id", wanted))
    texts = dict(zip(found["id"].to_pylist(), found["text"].to_pylist(), strict=True))
    kept = [row for summary in drawn for row in _rows(summary, texts)]
    taken = {summary["id"] for summary in drawn}
    dropped = [
        drop(unit, _reason(unit, params.budget, first), detail=unit["budget"])
        for unit in units.to_pylist()
        if unit["id"] not in taken
    ]
    table = pa.Table.from_pylist(kept, RATING_SHEETS.kept)
    files = dict(sent_files(table, QUESTIONNAIRES, params, _ABOUT, _LEAVE_EMPTY))
    yield Outcome.of(RATING_SHEETS, units["id"].to_pylist(), kept, dropped, files=files)


def _reason(unit: Row, budget: str, first: Mapping[str, str]) -> str:
    if unit["budget"] != budget:
        return "other_budget"
    return "not_drawn" if unit["talk_id"] == first[unit["paper_id"]] else "other_talk"


def _rows(summary: Row, texts: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for every sentence of a summary, then one for the whole."""
    shared = {name: summary[name] for name in ("licence", "pair_id", "paper_id", "paper_title", "month")}
    shared["summary_id"] = summary["id"]
    for state, sentence, position in zip(
        summary["source_ids"], summary["sentence_ids"], summary["positions"], strict=True
    ):
        name = OF_SENTENCES.name
        yield {
            **shared,
            "id": row_id("rated", name, summary["id"], sentence),
            "source_ids": [summary["id"], state],
            "questionnaire": name,
            "sentence_id": sentence,
            "position": position,
            "text": texts[state],
        }
    name = OF_SUMMARIES.name
    yield {
        **shared,
        "id": row_id("rated", name, summary["id"]),
        "source_ids": [summary["id"]],
        "questionnaire": name,
        "sentence_id": None,
        "position": None,
        "text": summary["text"],
    }
