"""DiscoFuse (Geva et al., NAACL 2019): prose un-fused by rules gives examples of sentence fusion.

Belongs here: the datasets from prose to the released examples. Not here: models and their evaluation, and
how anything is computed (ops/discofuse).
"""

from __future__ import annotations

import assets.sources
import assets.systems.discofuse.sources  # noqa: F401  a dataset is declared before what reads it
from assets.declare.dataset import dataset
from assets.declare.expectations import (
    THIS_MONTH,
    Expectation,
    among,
    at_most,
    between,
    equal,
    identity,
    none,
    not_null,
    steady,
    text,
    texts,
    unique,
)
from assets.declare.expectations import matches as like
from assets.declare.release_files import file_columns
from assets.declare.thresholds import Threshold
from ops import release as publishing
from ops import thresholds as rules
from ops.core.splits import SPLITS
from ops.discofuse.build import annotated as annotating
from ops.discofuse.build import balanced as balancing
from ops.discofuse.build import candidates as splitting
from ops.discofuse.build import examples as filtering
from ops.discofuse.build import release as releasing
from ops.discofuse.build.example import DISCOURSE_TYPES
from ops.discofuse.build.stored import AnnotationParams
from ops.discofuse.rules import RuleParams
from ops.discofuse.schemas import ANNOTATED, BALANCED, CANDIDATES, EXAMPLES, RELEASED
from ops.outcome import Outcomes
from ops.parts import FilesFolder, Parts
from ops.scores import DatasetScore


def released_columns() -> list[Expectation]:
    """Expect what every example of the released format is, before and after filters."""
    return [
        *not_null("document_id", "month", "domain", "sentence", "rule", "discourse_type"),
        *not_null("coherent_first_sentence", "coherent_second_sentence", "connective_string"),
        *not_null("incoherent_first_sentence", "incoherent_second_sentence"),
        *not_null("fused_detokenised", "unfused_detokenised"),
        among("discourse_type", *DISCOURSE_TYPES),
        among("has_coref_type_pronoun", 0.0, 1.0),
        among("has_coref_type_nominal", 0.0, 1.0),
        between("sentence", 0),
        between("first_tokens", 1),
        between("second_tokens", 0),
        between("coreference_score", 0, 1),
        between("links.score.least", 0, 1),
        *texts("links.antecedent", longest=300),
        *text("coherent_first_sentence", longest=3_000),
        *text("coherent_second_sentence", longest=3_000, shortest=0),
        *text("incoherent_first_sentence", longest=3_000),
        *text("incoherent_second_sentence", longest=3_000),
        like("connective_string", r"^[a-z ,]*$", "warning"),
    ]


@dataset(
    group="discofuse",
    shape=ANNOTATED,
    consumes="prose",
    measures=["words.length", "sentences.length", "links.length"],
    scores={"tokens": DatasetScore("words.length"), "links": DatasetScore("links.length")},
    expectations=[
        *identity("annotation"),
        *not_null("document_id", "document", "month", "domain", "pipeline"),
        unique("document_id"),
        among("month", THIS_MONTH),
        between("words.length", 1),
        between("sentences.length", 1),
        between("sentences.length", 1, 10_000, "warning"),
        *(
            equal("words.length", f"{name}.length")
            for name in ("spaces", "tags", "dependencies", "heads", "lemmas", "entities")
        ),
        *none("sentences.id.missing", "sentences.id.repeats", "sentences.start.descents"),
        between("sentences.start.least", 0, 0),
        at_most("sentences.end.greatest", "words.length"),
        between("links.score.least", 0, 1),
        between("links.score.greatest", 0, 1),
        *steady(),
    ],
)
def annotated(prose: Parts, params: AnnotationParams) -> Outcomes:
    """Each document's tokens, tags, dependencies, lemmas, entities and coreference, parsed once."""
    return prose.map(annotating.annotate, params)


@dataset(
    group="discofuse",
    shape=CANDIDATES,
    consumes="annotated.sentences",
    measures=["first_tokens", "second_tokens", "coreference_score", "links.length"],
    scores={
        "coreference": DatasetScore("coreference_score"),
        "pronouns": DatasetScore("has_coref_type_pronoun", "share"),
        "nominals": DatasetScore("has_coref_type_nominal", "share"),
    },
    expectations=[*identity("candidate"), *released_columns(), *steady()],
)
def candidates(annotated: Parts, annotation: AnnotationParams, params: RuleParams) -> Outcomes:
    """Every sentence and pair of sentences that a rule un-fuses, with the pairs left as they are."""
    return annotated.map(splitting.candidates, annotation, params)


@dataset(
    group="discofuse",
    shape=EXAMPLES,
    consumes="candidates",
    measures=["first_tokens", "second_tokens", "coreference_score"],
    scores={
        "coreference": DatasetScore("coreference_score"),
        "pronouns": DatasetScore("has_coref_type_pronoun", "share"),
        "nominals": DatasetScore("has_coref_type_nominal", "share"),
    },
    thresholds=[
        Threshold(
            filtering.ExampleParams,
            "short_tokens",
            rules.above,
            filtering.lengths,
            values=(0, 3, 8, 10, 15),
            meaning="tokens of the shortest original sentence",
            units="candidates",
        ),
        Threshold(
            filtering.ExampleParams,
            "coreference",
            rules.at_least,
            filtering.certainties,
            values=(0.6, 0.75, 0.8, 0.85, 0.9, 0.95),
            meaning="least score of the coreference links that were used",
            units="candidates",
        ),
    ],
    text_pair=("fused", "unfused"),
    expectations=[
        *identity("example"),
        *released_columns(),
        *not_null("split", "fused", "unfused", "control"),
        among("split", *SPLITS),
        *steady(),
    ],
)
def examples(candidates: Parts, params: filtering.ExampleParams) -> Outcomes:
    """Fusion examples: candidates that pass the filters, split by document into train, validation, test."""
    return candidates.map(filtering.examples, params)


@dataset(
    group="discofuse",
    shape=BALANCED,
    consumes="examples",
    partitioned=False,
    measures=["first_tokens", "second_tokens"],
    scores={
        "pronouns": DatasetScore("has_coref_type_pronoun", "share"),
        "nominals": DatasetScore("has_coref_type_nominal", "share"),
    },
    text_pair=("fused", "unfused"),
    expectations=[
        *identity("balanced"),
        *released_columns(),
        *not_null("split", "fused", "unfused", "control", "mixture"),
        among("split", *SPLITS),
        *steady(),
    ],
)
def balanced(examples: Parts, params: balancing.BalancedParams) -> Outcomes:
    """The examples of all months, down-sampled so that "and", "but" and anaphora are not most of them."""
    return balancing.balanced(examples, params)


@dataset(
    group="discofuse",
    shape=RELEASED,
    consumes="examples",
    partitioned=False,
    measures=["lines"],
    expectations=[
        *identity("released"),
        *not_null("file", "domain", "split", "balanced"),
        unique("file", "first_line"),
        among("split", *SPLITS),
        between("first_line", 2),
        between("lines", 1),
        equal("source_ids.length", "lines"),
        *steady(),
    ],
)
def released(examples: Parts, balanced: Parts, files: FilesFolder) -> Outcomes:
    """The examples as tab-separated files, one a domain and split, all and down-sampled."""
    return releasing.released(examples, balanced, files)


@dataset(
    group="discofuse",
    shape=publishing.shape(EXAMPLES),
    consumes="examples",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(
    examples: Parts, balanced: Parts, files: FilesFolder, params: publishing.ReleaseParams
) -> Outcomes:
    """The examples as Parquet files: the balanced ones of all domains, and all of each domain."""
    return publishing.release_files(
        examples, files, params, "domain", without=("links",), subsets={"balanced": balanced}
    )
