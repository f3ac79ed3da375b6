"""What a reader would say of a pair, 1 to 5, from a few of its features.

Belongs here: the features, and their weights. Not here: how features are measured (scored.py, agreement.py),
how the weights were found (benchmarks/parasci_ratings.py), the thresholds (filtered.py).

Dong et al. (2021) keep pairs by BERTScore's F1 and PLR. [ours] BERTScore, and the words that two sentences
share, tell how much is repeated; what a reader misses on one side they hardly tell. A linear sum of features,
fitted to readers' ratings by ridge regression, tells both, and its value can be read: a mean of ratings. With
`intercept: 0` and `weights: {f1: 1}` it is F1, and thresholds of F1 are the paper's filter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from pydantic import Field

from ops.core.params import Params

Feature: TypeAlias = Literal[
    "cosine",
    "precision",
    "recall",
    "f1",
    "least",
    "weakest",
    "length_rate",
    "self_bleu",
    "shared_words",
    "numbers",
    "negation",
    "names",
    "direction",
    "entailed",
]

#: Columns of parasci/scored. `least` is the lesser of BERTScore's precision and recall, `entailed` is that of
#: both ways of entailment.
FEATURES: tuple[Feature, ...] = get_args(Feature)

#: What is measured of a pair by column; missing is what no model was there for.
Features: TypeAlias = Mapping[str, float | None]


class ScorerParams(Params, section="parasci.scorer"):
    """How many points of consistency each feature of a pair is worth; for an encoder and a layer."""

    intercept: float = Field(-2.202, description="of a pair whose features are all 0")
    weights: Mapping[Feature, float] = Field(
        {"f1": 6.339, "cosine": 0.403, "shared_words": 1.022}, min_length=1, description="by feature"
    )


def consistency(features: Features, params: ScorerParams) -> float:
    """Return the predicted rating of a pair by its features, two decimals; it may lie outside of 1 to 5.

    Raises ValueError if a feature with a weight is missing.
    """
    total = params.intercept
    for name, weight in params.weights.items():
        value = features[name]
        if value is None:
            raise ValueError(
                f"parasci.scorer.weights has {name}, but there is no model of entailment: "
                "set parasci.entailment.wanted: true, or leave the weight out"
            )
        total += weight * value
    return round(total, 2)
