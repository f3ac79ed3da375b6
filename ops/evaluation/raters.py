"""Who rates which row: several raters each, and a second round for the rows of unreliable raters.

Belongs here: drawing a row's raters, deciding which raters are reliable, assigning the second round.
Not here: kappa (agreement.py), the files for raters (sheets.py).

Dong et al. (2021), section 5: three of twelve people rate each pair. Rows of raters with a Cohen's kappa
below 0.4 against the majority of the others are rated again, by the best rater.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import AfterValidator, Field, model_validator

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Params
from silverloom.ops.core.sampling import drawn
from silverloom.ops.evaluation.agreement import against_the_others
from silverloom.ops.evaluation.questionnaire import Questionnaire


def _distinct(raters: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(raters)) < len(raters):
        raise ValueError("a rater is listed twice")
    return raters


#: Distinct names. Lower case only: they become file names, and some file systems ignore case.
Raters = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")], ...],
    Field(min_length=1),
    AfterValidator(_distinct),
]

#: Row ids by rater.
Assigned = Mapping[str, set[str]]


class RaterParams(Params):
    """Who rates, how many people rate a row, and the agreement below which a rater is unreliable."""

    raters: Raters = ("rater1", "rater2", "rater3")
    """Names; each rater gets a sheet."""
    raters_per_row: int | None = Field(
        None, ge=1, description="of these, drawn for each row (Dong et al. 2021: 3 of 12); null: all"
    )
    rows_per_rater: int | None = Field(
        None,
        ge=1,
        description="most rows of a rater's sheet (Geva et al. 2019: 6, of 5 raters a row, so that 500 rows"
        " need 417 raters); null: any number",
    )
    reliable: float = Field(
        0.4,
        ge=-1,
        le=1,
        description="Cohen's kappa; what a rater below it has rated is asked of another one (Dong et al.)",
    )
    seed: int = Field(0, description="of all draws")

    @model_validator(mode="after")
    def _enough(self) -> RaterParams:
        if self.per_row > len(self.raters):
            raise ValueError(f"raters_per_row is {self.per_row}, but there are {len(self.raters)} raters")
        return self

    @property
    def per_row(self) -> int:
        """The number of raters of a row."""
        return len(self.raters) if self.raters_per_row is None else self.raters_per_row

    def assigned(self, rows: Iterable[str]) -> Assigned:
        """Return which rows each rater gets.

        The raters of a row do not depend on other rows, unless `rows_per_rater` bounds their sheets: then
        those with the fewest rows so far come first. Raises ValueError if all sheets are too small for the
        rows.
        """
        rows_by_rater: dict[str, set[str]] = {rater: set() for rater in self.raters}
        ordered = sorted(rows)
        self._check_room(len(ordered))
        for row in ordered:
            order = {
                rater: (
                    len(rows_by_rater[rater]) if self.rows_per_rater else 0,
                    drawn(self.seed, "rater", row, rater),
                )
                for rater in self.raters
            }
            for rater in sorted(order, key=order.__getitem__)[: self.per_row]:
                rows_by_rater[rater].add(row)
        return rows_by_rater

    def _check_room(self, rows: int) -> None:
        if self.rows_per_rater is None:
            return
        needed = max(self.per_row, -(-rows * self.per_row // self.rows_per_rater))
        if needed > len(self.raters):
            raise ValueError(
                f"{rows} rows, each for {self.per_row} raters of at most {self.rows_per_rater} rows, need"
                f" {needed} raters, but `raters` names {len(self.raters)}"
            )


def reliability(
    ratings: pa.Table, questionnaires: Sequence[Questionnaire], least: float
) -> list[dict[str, Any]]:
    """Return the rows, the mean kappa and the verdict for every rater of every questionnaire.

    Kappa is measured against the majority of all others and averaged over the questions. It is None where it
    is undefined (no other rater rated the rows, or all answers are equal); such a rater counts as reliable.
    """
    reliabilities = []
    for questionnaire in questionnaires:
        own = ratings.filter(pc.equal(ratings["questionnaire"], questionnaire.name))
        kappas: defaultdict[str, list[float]] = defaultdict(list)
        for row in against_the_others(own).to_pylist():
            if row["kappa"] is not None:
                kappas[row["rater"]].append(row["kappa"])
        rows: defaultdict[str, set[str]] = defaultdict(set)
        for rater, row in zip(own["rater"].to_pylist(), own["row_id"].to_pylist(), strict=True):
            rows[rater].add(row)
        for rater in sorted(rows):
            kappa = round(fmean(kappas[rater]), 6) if kappas[rater] else None
            reliabilities.append(
                {
                    "questionnaire": questionnaire.name,
                    "rater": rater,
                    "rows": len(rows[rater]),
                    "kappa": kappa,
                    "reliable": kappa is None or kappa >= least,
                }
            )
    return reliabilities


def replaced(ratings: pa.Table, raters: Sequence[Row], per_row: int) -> set[str]:
    """Return the ids of the ratings that no longer count: those of unreliable raters, for a question about a
    row that at least `per_row` reliable raters have answered.
    """
    unreliable = {(row["questionnaire"], row["rater"]) for row in raters if not row["reliable"]}
    answers: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for rating in ratings.to_pylist():
        answers[rating["row_id"], rating["question"]].append(rating)
    lost: set[str] = set()
    for several in answers.values():
        odd = {rating["id"] for rating in several if (rating["questionnaire"], rating["rater"]) in unreliable}
        if len(several) - len(odd) >= per_row:
            lost |= odd
    return lost


def second_round(ratings: pa.Table, raters: Sequence[Row], per_row: int) -> dict[str, Assigned]:
    """Return which rows are assigned to whom in the second round, by questionnaire.

    If unreliable raters have rated a row, and fewer than `per_row` reliable ones, the row goes to the raters
    with the highest kappa who have not rated it yet. It goes to no one if all of them have.
    """
    assignments: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    by_row: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for name, row, rater in zip(
        *(ratings[column].to_pylist() for column in ("questionnaire", "row_id", "rater")), strict=True
    ):
        by_row[name, row].add(rater)
    known = defaultdict(list)
    for rater in raters:
        known[rater["questionnaire"]].append(rater)
    for (name, row), rated in sorted(by_row.items()):
        good = [rater for rater in known[name] if rater["reliable"]]
        missing = per_row - sum(rater["rater"] in rated for rater in good)
        if missing <= 0 or rated <= {rater["rater"] for rater in good}:
            continue
        best = sorted(
            (rater for rater in good if rater["kappa"] is not None and rater["rater"] not in rated),
            key=lambda rater: (-rater["kappa"], rater["rater"]),
        )
        for rater in best[:missing]:
            assignments[name][rater["rater"]].add(row)
    return {name: dict(assigned) for name, assigned in assignments.items()}
