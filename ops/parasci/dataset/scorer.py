"""The predicted rating of a pair by a reader, 1 to 5, from a few features of the pair.

Belongs here: the features, and their weights. Not here: how features are measured (scored.py, agreement.py),
how the weights were found (benchmarks/parasci_ratings.py), the thresholds (filtered.py).

Dong et al. (2021) filter pairs by BERTScore's F1 and PLR. [ours] A weighted sum of features, fitted to
readers' ratings by ridge regression, has a meaning: a mean rating. With `intercept: 0` and
`weights: {f1: 1}` it equals F1, and thresholds on it are the paper's filter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import Field

from silverloom.ops.core.params import Params

#: Columns of parasci/scored. `least` is the lower of BERTScore's precision and recall, `entailed` the lower
#: of both directions of entailment.
Feature: TypeAlias = Literal[
    "cosine",
    "precision",
    "recall",
    "f1",
    "least",
    "weakest",
    "length_rate",
    "self_bleu",
    "covered_words",
    "numbers",
    "negation",
    "names",
    "direction",
    "entailed",
]

#: The features of a pair by column; None if the model of a feature is missing.
Features: TypeAlias = Mapping[str, float | None]


class ScorerParams(Params, section="parasci.scorer"):
    """How many points of consistency each feature is worth; valid for one encoder and layer only."""

    intercept: float = Field(-0.325, description="of a pair whose features are all 0")
    weights: Mapping[Feature, float] = Field(
        {"f1": 4.281, "covered_words": 1.37},
        min_length=1,
        description="by feature",
        json_schema_extra={"paper": "f1: 1"},
    )


def consistency(features: Features, params: ScorerParams) -> float:
    """Return the predicted rating of a pair from its features, two decimals; it can be outside 1 to 5.

    Raises ValueError if a feature with a weight is missing.
    """
    total = params.intercept
    for name, weight in params.weights.items():
        value = features[name]
        if value is None:
            raise ValueError(
                f"parasci.scorer.weights has {name}, but there is no model of entailment: "
                "set parasci.scored.nli, or leave the weight out"
            )
        total += weight * value
    return round(total, 2)
