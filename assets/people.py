"""What the human evaluations of all systems share: rating sheets, a model as a judge, filled sheets.

Belongs here: functions that declare these datasets of a system. Not here: what is rated, and the tables that
come of it (assets/systems), the computation (ops/evaluation).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dagster as dg

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import Suite, among, unique, votes
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import Parts
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.evaluation.human_evaluation import People
from silverloom.ops.evaluation.judge.judgements import judgements as judgements_op
from silverloom.ops.evaluation.judge.judgements import judgements_shape
from silverloom.ops.evaluation.judge.params import JudgeParams


def sheets(
    group: str, asked: People, consumes: str, expectations: Suite = (), **declared: Any
) -> Callable[[Callable[..., Outcomes]], dg.AssetsDefinition]:
    """Declare the rating sheets of a system."""
    return dataset(
        group=group,
        consumes=consumes,
        partitioned=False,
        expectations=[
            among("questionnaire", *asked.names),
            *expectations,
        ],
        one_task=True,
        **declared,
    )


def judgements(group: str, asked: People) -> dg.AssetsDefinition:
    """Declare the answers of a judge model to a system's rating sheets."""
    return dataset(
        group=group,
        shape=judgements_shape(asked),
        consumes="rating_sheets",
        partitioned=False,
        expectations=[
            unique("row_id", "question"),
            among("questionnaire", *asked.names),
        ],
    )(_judgements(asked))


# On its own, so that the code of the dataset reaches no orchestrator.
def _judgements(asked: People) -> Callable[..., Outcomes]:
    def judgements(rating_sheets: Parts, params: JudgeParams, place: CrawlPlace) -> Outcomes:
        """Answers of a judge model to the same questions about the same rows, if a model is named."""
        return judgements_op(asked, rating_sheets, params, place)

    return judgements


def ratings(
    group: str, asked: People, expectations: Suite = (), **declared: Any
) -> Callable[[Callable[..., Outcomes]], dg.AssetsDefinition]:
    """Declare a system's human evaluation, of filled sheets."""
    return dataset(
        group=group,
        consumes="ratings",
        partitioned=False,
        expectations=[
            *votes(),
            among("questionnaire", *asked.names),
            *expectations,
        ],
        one_task=True,
        **declared,
    )
