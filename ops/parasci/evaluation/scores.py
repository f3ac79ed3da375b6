"""The quality of generated sentences: Table 6 of Dong et al. (2021), and scores against the source.

Belongs here: scores of each sentence, of each system with intervals, and tests. Not here: the metrics
(ops/metrics), the scored sentences (generation/generated.py).

The paper has BLEU and lengths. Self-BLEU (its section 3.3) measures how much a system copies, and iBLEU (Sun
and Zhou 2012) subtracts that: alpha BLEU(prediction, target) - (1 - alpha) BLEU(prediction, source).
BERT-iBLEU (Niu et al. 2021) needs no target: it is a mean of BERTScore and 1 - Self-BLEU, both against the
source. All scores are from 0 to 1, except iBLEU, which may be negative, and the length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, in_parts
from silverloom.ops.core.parts import Parts
from silverloom.ops.evaluation.table import (
    TABLE,
    Bootstrap,
    CorpusMetric,
    Metrics,
    by_system,
    by_value,
    fields_of,
    mean_scores,
    system_tests,
    with_files,
)
from silverloom.ops.metrics.bert_ibleu import BETA, bert_ibleu
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.metrics.bleu import LONGEST, bleu, bleu_counts, bleu_of_sums, self_bleu, sentence_bleu
from silverloom.ops.metrics.bootstrap import Floats
from silverloom.ops.parasci.dataset.scored import ScoredParams
from silverloom.ops.parasci.generation.generated import GENERATED, MODEL, OURS

_TEXT, _REAL, _BOOL = pa.string(), pa.float64(), pa.bool_()

#: Models that are trained on our pairs; other models are named after their corpus.
OF_OURS = ("transformer", "pretrained")

METRICS = ("bleu", "self_bleu", "ibleu", "bertscore", "bert_ibleu", "words")

#: Columns of a generated sentence that its row of scores keeps.
_GENERATED = ("pair_id", "system", "model", "origin", "test_set", "corpus", "source", "target", "prediction")

#: The paper's Table 6: training set, test set, BLEU times 100, mean length in words.
TABLE_6 = (
    ("Quora", "ParaSCI-ACL", 6.31, 14.23),
    ("Quora", "ParaSCI-arXiv", 8.06, 13.92),
    ("ParaSCI-ACL", "ParaSCI-ACL", 15.70, 18.45),
    ("ParaSCI-arXiv", "ParaSCI-arXiv", 27.18, 18.82),
)

EVALUATION = Shape(
    unit=GENERATED.kept,
    kept=columns(
        ("generated_id", _TEXT, "row of parasci/generated"),
        *(GENERATED.kept.field(name) for name in _GENERATED),
        ("by_model", _BOOL, "whether a model wrote it that learnt from our pairs, for one of ours"),
        ("bleu", _REAL, "of this prediction against its target; that of a system is over its corpus"),
        ("self_bleu", _REAL, "of this prediction against its source, as Table 2 has it"),
        ("ibleu", _REAL, "of this prediction"),
        ("bertscore", _REAL, "F1 of this prediction against its source"),
        ("bert_ibleu", _REAL, "of this prediction; 0 for a copy"),
        ("words", _REAL, "of the prediction"),
    ),
)


class EvaluationParams(Bootstrap, section="parasci.evaluation"):
    """The weights of iBLEU and BERT-iBLEU, and the bootstrap over pairs."""

    alpha: float = Field(0.8, ge=0, le=1, description="weight of the target in iBLEU; the paper has no iBLEU")
    beta: float = Field(BETA, gt=0, description="weight of BERTScore in BERT-iBLEU (Niu et al. 2021)")


#: The columns that the table needs, for all rows in memory; the texts may be too large for it. The counts for
#: BLEU are lists of numbers.
_LIGHT = ("pair_id", "system", "model", "test_set", "corpus", *METRICS)
_COUNTS = pa.list_(pa.int32(), 2 + 2 * LONGEST)
_COUNTED = ("target", "source")


def evaluation(generated: Parts, params: EvaluationParams, scoring: ScoredParams, strict: bool) -> Outcomes:
    """Yield the scores of all sentences by part, and the table with the last part; units are the sentences.

    BERTScore uses the encoder and layer of `scoring`, as for our pairs.
    """
    scorer = Loaded(BertScorer, (scoring.encoder, scoring.layer, strict))
    light: list[pa.Table] = []

    def parts() -> Outcomes:
        for outcome in generated.map(scores_of, params, scorer):
            light.append(numbers(outcome.kept))
            yield outcome

    def files() -> dict[str, bytes]:
        rows = pa.concat_tables([numbers(EVALUATION.kept.empty_table()), *light])
        return {TABLE: json.dumps(table_6(rows, params), indent=1, sort_keys=True).encode()}

    yield from with_files(in_parts(parts()), EVALUATION, files)


def scores_of(generated: pa.Table, params: EvaluationParams, scorer: Loaded[BertScorer]) -> Outcome:
    """Return the scores of the sentences of one part."""
    units = generated.to_pylist()
    rows = list(scored(units, params, scorer.model)) if units else []
    return Outcome.of(EVALUATION, [unit["id"] for unit in units], rows)


def scored(units: Sequence[Row], params: EvaluationParams, scorer: BertScorer) -> Iterator[dict[str, Any]]:
    """Yield the row of scores of each sentence, in order."""
    sides = [[unit[name] for unit in units] for name in ("prediction", "source")]
    for unit, f1 in zip(units, scorer.score(*sides).f1.tolist(), strict=True):
        source, target, prediction = (unit[name] for name in ("source", "target", "prediction"))
        ours, copied = (sentence_bleu(prediction, [text], "none") for text in (target, source))
        repeated, similarity = round(self_bleu([source], [prediction]) / 100, 6), round(f1, 4)
        yield {
            **made_from(unit, "score"),
            "generated_id": unit["id"],
            **{name: unit[name] for name in _GENERATED},
            "by_model": unit["system"] == MODEL and unit["test_set"] == OURS and unit["model"] in OF_OURS,
            "bleu": round(ours, 6),
            "self_bleu": repeated,
            "ibleu": round(params.alpha * ours - (1 - params.alpha) * copied, 6),
            "bertscore": similarity,
            "bert_ibleu": round(bert_ibleu(similarity, repeated, params.beta), 4),
            "words": float(len(prediction.split())),
        }


def numbers(rows: pa.Table) -> pa.Table:
    """Return the columns of scored sentences that `table_6` reads: scores, and counts for BLEU."""
    table = rows.select(_LIGHT)
    predictions = rows["prediction"].to_pylist()
    for name in _COUNTED:
        texts = [[text] for text in rows[name].to_pylist()]
        counts = bleu_counts(predictions, texts, "none").tolist() if texts else []
        table = table.append_column(name, pa.array(counts, _COUNTS))
    return table


def table_6(rows: pa.Table, params: EvaluationParams) -> dict[str, Any]:
    """Return Table 6: corpus BLEU and iBLEU of each system, means of the other scores, with intervals.

    `rows` are `numbers`. `tests`: every two systems, compared on the pairs that both have. `sources`: the
    same for our test pairs of each source, if there are several; `external`: for the test pairs of each
    external corpus. `published`: the paper's rows, BLEU times 100.
    `signature`: the variant of BLEU. `alpha` and `beta`: the weights of iBLEU and BERT-iBLEU.
    """
    by_set = {OURS: rows.slice(0, 0), **by_value(rows, "test_set")}
    ours = by_set.pop(OURS)
    by_source = by_value(ours, "corpus")
    named = sorted(name for name in by_source if name) if len(by_source) > 1 else []
    return {
        "alpha": params.alpha,
        "beta": params.beta,
        "signature": bleu(["a"], [["a"]], "none").signature if len(rows) else "",
        **_of_test_set(ours, params),
        "sources": {name: _of_test_set(by_source[name], params) for name in named},
        "external": {name: _of_test_set(its, params) for name, its in sorted(by_set.items())},
        "published": [
            {"training": training, "test": test, "bleu": score, "words": words}
            for training, test, score, words in TABLE_6
        ],
    }


def _of_test_set(rows: pa.Table, params: EvaluationParams) -> dict[str, Any]:
    systems, metrics = by_system(rows), _metrics(params.alpha)
    pairs = combinations(sorted(systems), 2)
    return {
        "systems": [
            {**fields_of(name), "pairs": len(its), "scores": mean_scores(its, metrics, params)}
            for name, its in sorted(systems.items())
        ],
        "tests": system_tests(systems, pairs, "pair_id", "pairs", metrics, params),
    }


def _metrics(alpha: float) -> Metrics:
    """Return METRICS: BLEU and iBLEU are corpus scores, the others are means."""
    corpus = bleu_of_sums()

    def ibleu(sums: Floats) -> Floats:
        target, source = np.split(sums, 2, axis=1)
        return alpha * corpus(target) - (1 - alpha) * corpus(source)

    return {
        **dict.fromkeys(METRICS),
        "bleu": CorpusMetric(lambda rows: _counts(rows, "target"), corpus),
        "ibleu": CorpusMetric(lambda rows: _counts(rows, "target", "source"), ibleu),
    }


def _counts(rows: pa.Table, *against: str) -> Floats:
    """Return the n-gram counts for BLEU: N x K for each side, side by side."""
    counts = [pc.list_flatten(rows[name]).to_numpy().reshape(len(rows), -1) for name in against]
    return np.hstack(counts).astype(np.float64)
