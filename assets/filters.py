"""Filters of documents and of examples: each scores a dataset and keeps the rows within the bounds.

Belongs here: functions that declare the datasets of a filter in one call; datasets that are declared later
read the filtered dataset in place of the original. Not here: which datasets are filtered (next to each), how
rows are scored (ops/filters).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import dagster as dg

from silverloom.assets.declare.dataset import AllParts, dataset
from silverloom.assets.declare.declaration import Threshold
from silverloom.assets.declare.expectations import (
    between,
    none,
    text,
    unique,
)
from silverloom.assets.declare.graph import optional
from silverloom.assets.declare.params_file import ParamsError, document, raw_section, section, settings
from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.outcome import Outcomes, Shape
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, at_most, below
from silverloom.ops.filters import contamination, documents, schemas, what_if
from silverloom.ops.filters import duplicates as duplicates_op
from silverloom.ops.filters.contamination import ContaminationParams, OverlapParams
from silverloom.ops.filters.params import BoundParams, ScoreParams, compared
from silverloom.ops.filters.personal_data import MASKS
from silverloom.ops.filters.test_sets import FORMATS, TEST_SETS, parse_test_sets
from silverloom.ops.parse.scan import Records

_texts = partial(
    dataset,
    group="sources",
    shape=TEST_SETS,
    formats=FORMATS,
    measures=["text.words"],
    expectations=[*text("text", longest=2_000_000)],
)


@_texts()
def reference_texts(records: Records) -> Outcomes:
    """Fluent texts: a small n-gram model learns from them."""
    return records.map(parse_test_sets)


@_texts()
def test_sets(records: Records) -> Outcomes:
    """Texts of test sets; no example may overlap with them."""
    return records.map(parse_test_sets)


def filter_documents(
    name: str, shape: Shape, scoring: type[ScoreParams], bound: type[BoundParams]
) -> list[dg.AssetsDefinition]:
    """Declare three datasets of `sources`: scores of some documents, their duplicates, and those that pass.

    Datasets that are declared later read `filtered_<name>` as `<name>`. Declares nothing if params.yaml has
    no section `filters.<name>`; an empty section has the defaults. Raises ValueError for a bound whose score
    is off.
    """
    optional(scoring, bound)
    if _sections().get(name) is None:
        return []
    section(bound).check(section(scoring))
    return [
        _scores(name, shape, scoring),
        _duplicates(name, scoring, bound),
        _filtered(name, shape, scoring, bound),
    ]


def _sections() -> Mapping[str, Any]:
    sections = raw_section(document(), "filters")
    if not isinstance(sections, Mapping):
        raise ParamsError(f"params.yaml: filters: names of sources are expected, found {sections!r}")
    return sections


def _scores(name: str, shape: Shape, scoring: type[ScoreParams]) -> dg.AssetsDefinition:
    def scores(unfiltered: Parts, params: Any) -> Outcomes:
        return documents.scores(unfiltered, params, shape)

    return _declare(
        scores,
        f"{name}_scores",
        f"The scores of {_called(name)} that filters ask for: language, hashes, personal data, quality.",
        {"params": scoring},
        shape=schemas.scores(shape),
        inputs={"unfiltered": name},
        consumes="unfiltered",
        measures=["words", "language_score"],
        expectations=[
            unique("document_id"),
            between("language_score", 0, 1),
            *(between(kind, 0) for kind in MASKS),
            *none("signature.items.missing"),
        ],
    )


def _duplicates(name: str, scoring: type[ScoreParams], bound: type[BoundParams]) -> dg.AssetsDefinition:
    def duplicates(scores: Parts, params: Any, bounds: Any) -> Outcomes:
        return duplicates_op.duplicates(scores, params.floor, bounds)

    return _declare(
        duplicates,
        f"{name}_duplicates",
        f"{_called(name).capitalize()} that repeat another one, in any partition, and how nearly.",
        {"params": scoring, "bounds": compared(bound)},
        shape=schemas.DUPLICATES,
        inputs={"scores": f"{name}_scores"},
        partitioned=False,
        measures=["similarity"],
        expectations=[
            unique("document_id"),
            between("similarity", 0, 1),
        ],
    )


def _filtered(
    name: str, shape: Shape, scoring: type[ScoreParams], bound: type[BoundParams]
) -> dg.AssetsDefinition:
    def filtered(unfiltered: Parts, scores: Parts, duplicates: AllParts, asked: Any, params: Any) -> Outcomes:
        return documents.filtered(unfiltered, scores, duplicates, asked, params, shape)

    units = _called(name)
    scored = section(scoring)
    asked: list[tuple[str, Any, Callable[..., Any], tuple[float, ...], str]] = [
        ("language", at_least, what_if.asked_language, _SHARES, "probability of the language"),
        ("similarity", below, what_if.asked_similarity, _SHARES, "similarity to an earlier document"),
        ("personal_data", at_most, what_if.asked_personal_data, (0, 1, 2, 5), "pieces of personal data"),
        ("at_least.*", at_least, what_if.asked_quality, (), "measure of a rule"),
        ("at_most.*", at_most, what_if.asked_quality, (), "measure of a rule"),
    ]
    return _declare(
        filtered,
        f"filtered_{name}",
        f"{units[0].upper()}{units[1:]} within the bounds of filters.{name}, which later datasets read.",
        {"asked": scoring, "params": bound},
        shape=schemas.filtered(shape),
        inputs={"unfiltered": name, "scores": f"{name}_scores", "duplicates": f"{name}_duplicates"},
        consumes="unfiltered",
        replaces=name,
        thresholds=[
            Threshold(bound, param, rule, scores, values=values, meaning=meaning, units=units)
            for param, rule, scores, values, meaning in asked
            if scored.gives(param)
        ],
    )


def filter_examples(
    group: str,
    name: str,
    shape: Shape,
    texts: Sequence[str],
    bound: type[ContaminationParams],
    partitioned: bool,
    overlaps: str = "overlaps",
) -> list[dg.AssetsDefinition]:
    """Declare two datasets of a system: what its examples share with test sets, and the examples that pass.

    `texts` are the columns of the input and the output, `overlaps` names the first dataset. Datasets that are
    declared later read `clean_<name>` as `<name>`. Nothing is declared where params.yaml names no test set.
    """
    optional(OverlapParams, bound)
    if not settings().sources.get("test_sets"):
        return []
    return [
        _overlaps(group, overlaps, name, shape, texts, partitioned),
        _clean(group, overlaps, name, shape, bound, partitioned),
    ]


def _overlaps(
    group: str, called: str, name: str, shape: Shape, texts: Sequence[str], partitioned: bool
) -> dg.AssetsDefinition:
    def overlaps(
        examples: Parts, test_sets: AllParts, params: OverlapParams, derived: DerivedFolder
    ) -> Outcomes:
        return contamination.overlaps(examples, test_sets, params, derived, texts, shape)

    return _declare(
        overlaps,
        called,
        f"What each of the {_called(name)} shares with the test sets: runs of words, whole sentences.",
        {},
        group,
        shape=schemas.overlaps(shape),
        inputs={"examples": name},
        consumes="examples",
        partitioned=partitioned,
        measures=["ngrams", "sentences"],
        expectations=[
            unique("example_id"),
            between("ngrams", 0),
            between("sentences", 0),
        ],
    )


def _clean(
    group: str,
    scored: str,
    name: str,
    shape: Shape,
    bound: type[ContaminationParams],
    partitioned: bool,
) -> dg.AssetsDefinition:
    def clean(examples: Parts, overlaps: Parts, params: Any) -> Outcomes:
        return contamination.uncontaminated(examples, overlaps, params, shape)

    return _declare(
        clean,
        f"clean_{name}",
        f"Those of the {_called(name)} that are not in a test set, which later datasets read.",
        {"params": bound},
        group,
        shape=schemas.filtered(shape),
        inputs={"examples": name, "overlaps": scored},
        consumes="examples",
        replaces=name,
        partitioned=partitioned,
        thresholds=[
            Threshold(
                bound,
                param,
                at_most,
                scores,
                values=(0, 1, 2, 5, 10, 50),
                meaning=meaning,
                units=_called(name),
            )
            for param, scores, meaning in (
                ("ngrams", contamination.asked_ngrams, "runs of words shared with a test set"),
                ("sentences", contamination.asked_sentences, "whole sentences shared with a test set"),
            )
        ],
    )


_SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1)


def _declare(
    function: Callable[..., Outcomes],
    name: str,
    meaning: str,
    params: dict[str, Any],
    group: str = "sources",
    **declared: Any,
) -> dg.AssetsDefinition:
    """Declare a function of this module as a dataset, with the classes of its params."""
    function.__name__, function.__doc__ = name, meaning
    function.__annotations__.update(params)
    return dataset(group=group, **declared)(function)


def _called(name: str) -> str:
    return name.replace("_", " ")
