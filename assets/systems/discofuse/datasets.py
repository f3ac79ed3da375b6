"""DiscoFuse (Geva et al., NAACL 2019): rules split prose into examples of sentence fusion.

Belongs here: the datasets from prose to the released examples. Not here: models and their evaluation, and the
computation (ops/discofuse).
"""

from __future__ import annotations

from functools import partial

from silverloom.assets.declare.dataset import AllParts, dataset
from silverloom.assets.declare.declaration import Threshold
from silverloom.assets.declare.expectations import (
    Expectation,
    among,
    at_most,
    between,
    equal,
    file_columns,
    none,
    text,
    texts,
    unique,
)
from silverloom.assets.declare.expectations import matches as like
from silverloom.assets.declare.params_file import section, settings
from silverloom.assets.filters import filter_examples
from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.core.release import ReleaseParams, shape
from silverloom.ops.core.release import release_files as release_files_op
from silverloom.ops.core.thresholds import above, at_least
from silverloom.ops.core.thresholds import at_most as no_more_than
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.balanced import BalancedParams
from silverloom.ops.discofuse.dataset.balanced import balanced as balanced_op
from silverloom.ops.discofuse.dataset.byte_model import ByteModel
from silverloom.ops.discofuse.dataset.candidates import candidates_of_documents
from silverloom.ops.discofuse.dataset.evidence import EvidenceParams
from silverloom.ops.discofuse.dataset.examples import (
    CleanParams,
    ExampleParams,
    certainties,
    covered_shares,
    disfluency_bits,
    lengths,
    log_odds_of_entailment,
    supported_shares,
)
from silverloom.ops.discofuse.dataset.examples import examples as examples_op
from silverloom.ops.discofuse.dataset.references import TOKENISED, beside_released
from silverloom.ops.discofuse.dataset.release import released as released_op
from silverloom.ops.discofuse.dataset.splits import splits as splits_op
from silverloom.ops.discofuse.evaluation.alignment import SENSE_NAMES
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.rules.rule import DISCOURSE_TYPES
from silverloom.ops.discofuse.schemas import (
    ANNOTATED,
    BALANCED,
    CANDIDATES,
    EXAMPLES,
    RELEASED,
    SENTENCE_SPLITS,
)


def released_columns() -> list[Expectation]:
    """Expectations about every example in the released format, before and after filters."""
    return [
        among("discourse_type", *DISCOURSE_TYPES),
        among("has_coref_type_pronoun", 0.0, 1.0),
        among("has_coref_type_nominal", 0.0, 1.0),
        between("sentence", 0),
        between("first_tokens", 1),
        between("second_tokens", 0),
        between("coreference_score", 0, 1),
        among("sense", *SENSE_NAMES),
        between("covered", 0, 1),
        between("supported", 0, 1),
        between("disfluency", 0),
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
        unique("document_id"),
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
    ],
)
def annotated(prose: Parts, params: AnnotationParams) -> Outcomes:
    """Documents parsed once: tokens, tags, dependencies, lemmas, entities and coreference."""
    return prose.map(annotate, params)


_candidates_dataset = partial(
    dataset,
    group="discofuse",
    shape=CANDIDATES,
    consumes="annotated.sentences",
    measures=["first_tokens", "second_tokens", "coreference_score", "supported", "links.length"],
    scores={
        "coreference": DatasetScore("coreference_score"),
        "supported": DatasetScore("supported"),
        "pronouns": DatasetScore("has_coref_type_pronoun", "share"),
        "nominals": DatasetScore("has_coref_type_nominal", "share"),
    },
    text_pair=("fused_detokenised", "unfused_detokenised"),
    expectations=released_columns(),
)

# Texts that the model of fluent text is trained on; without them, it is trained on the documents.
if settings().sources.get("reference_texts"):

    @_candidates_dataset()
    def candidates(
        annotated: Parts,
        reference_texts: AllParts,
        annotation: AnnotationParams,
        params: RuleParams,
        evidence: EvidenceParams,
        derived: DerivedFolder,
        strict: Strict,
    ) -> Outcomes:
        """Sentences and sentence pairs that a rule splits, and pairs that need no rule."""
        folder = derived.made(["reference_texts"], lambda path: ByteModel.learnt(reference_texts, path))
        return candidates_of_documents(annotated, annotation, params, evidence, strict, ByteModel(folder))

else:

    @_candidates_dataset()
    def candidates(
        annotated: Parts,
        annotation: AnnotationParams,
        params: RuleParams,
        evidence: EvidenceParams,
        strict: Strict,
    ) -> Outcomes:
        """Sentences and sentence pairs that a rule splits, and pairs that need no rule."""
        return candidates_of_documents(annotated, annotation, params, evidence, strict)


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
            ExampleParams,
            "short_tokens",
            above,
            lengths,
            values=(0, 3, 8, 10, 15),
            meaning="tokens of the shortest original sentence",
            units="candidates",
        ),
        Threshold(
            ExampleParams,
            "coreference",
            at_least,
            certainties,
            values=(0.6, 0.75, 0.8, 0.85, 0.9, 0.95),
            meaning="least score of the coreference links that were used",
            units="candidates",
        ),
        Threshold(
            ExampleParams,
            "covered",
            at_least,
            covered_shares,
            values=(0.8, 0.9, 0.95, 1),
            meaning="share of the text's content words that the two sentences have",
            units="candidates",
        ),
        Threshold(
            ExampleParams,
            "supported",
            at_least,
            supported_shares,
            values=(0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1),
            meaning="share of the two sentences' content words that the text has as often",
            units="candidates",
        ),
        Threshold(
            ExampleParams,
            "disfluency",
            no_more_than,
            disfluency_bits,
            values=(10, 20, 30, 40, 50, 75, 100),
            meaning="bits of what the two sentences have and the text has not",
            units="candidates",
        ),
        *(
            Threshold(
                ExampleParams,
                "entailed",
                at_least,
                log_odds_of_entailment,
                values=(-4, -2, 0, 2, 4),
                meaning="log-odds that text and sentences entail each other",
                units="candidates",
            )
            for _ in range(section(EvidenceParams).nli is not None)
        ),
    ],
    text_pair=("fused_detokenised", "unfused_detokenised"),
    expectations=released_columns(),
)
def examples(candidates: Parts, params: ExampleParams) -> Outcomes:
    """Fusion examples: candidates that pass the filters, divided into splits by document."""
    return examples_op(candidates, params)


clean_examples = filter_examples(
    "discofuse", "examples", EXAMPLES, ("fused", "unfused"), CleanParams, partitioned=True
)


@dataset(
    group="discofuse",
    shape=SENTENCE_SPLITS,
    consumes="examples",
    measures=["splits.length"],
    expectations=[
        unique("document_id", "sentence"),
        *text("text", longest=3_000),
        between("splits.length", 1),
        equal("splits.length", "discourse_types.length"),
        equal("splits.length", "connectives.length"),
        equal("source_ids.length", "splits.length"),
    ],
)
def splits(examples: Parts) -> Outcomes:
    """Sentences with all their splits into two sentences: examples read the other way, without pairs."""
    return examples.map(splits_op)


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
    text_pair=("fused_detokenised", "unfused_detokenised"),
    expectations=released_columns(),
)
def balanced(examples: Parts, params: BalancedParams) -> Outcomes:
    """Examples of all partitions, down-sampled so that "and", "but" and anaphora do not dominate."""
    return balanced_op(examples, params)


@dataset(
    group="discofuse",
    shape=RELEASED,
    consumes="examples",
    partitioned=False,
    measures=["lines"],
    expectations=[
        unique("file", "first_line"),
        between("first_line", 2),
        between("lines", 1),
        equal("source_ids.length", "lines"),
    ],
)
def released(examples: Parts, balanced: Parts, files: FilesFolder) -> Outcomes:
    """Examples as tab-separated files for each domain and split, complete and down-sampled."""
    return released_op(examples, balanced, files)


@dataset(
    group="discofuse",
    shape=shape(EXAMPLES),
    consumes="examples",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(
    examples: Parts,
    prose: Parts,
    balanced: Parts,
    splits: Parts,
    files: FilesFolder,
    params: ReleaseParams,
) -> Outcomes:
    """Examples as Parquet files: the balanced set, those to split sentences, and all of each domain."""
    subsets = {"balanced": balanced, "splits": splits}
    return release_files_op(
        examples,
        files,
        params,
        "domain",
        without=("links",),
        subsets=subsets,
        beside=partial(beside_released, prose),
        pair=("unfused_detokenised", "fused_detokenised"),
        aside={"tokenised": TOKENISED},
    )
