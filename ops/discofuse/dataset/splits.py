"""Sentences with their splits into two: the examples read the other way, to train models that split.

Belongs here: which examples these are, and the splits of each sentence. Not here: the examples (examples.py),
released files (ops/core/release.py).

Splitting a sentence is the inverse of fusion (Geva et al. 2019, section 2). Several rules may split one
sentence: all results are references.
"""

from __future__ import annotations

from collections import defaultdict

import pyarrow as pa

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.outcome import Outcome, Row, drop
from silverloom.ops.discofuse.schemas import SENTENCE_SPLITS

_OF_SENTENCE = ("licence", "document_id", "month", "domain", "split", "sentence")


def splits(examples: pa.Table) -> Outcome:
    """Return each sentence of one part of `EXAMPLES.kept` with its splits, in the order of the rules.

    Examples of two sentences are dropped: `control` if no rule matched them, else `pair`. Both texts have the
    blanks of the document.
    """
    units = examples.to_pylist()
    sentences: dict[tuple[str, int], list[Row]] = defaultdict(list)
    dropped: list[Row] = []
    for unit in units:
        if unit["coherent_second_sentence"]:
            dropped.append(
                drop(unit, "control" if unit["control"] else "pair", detail=unit["discourse_type"])
            )
        else:
            sentences[unit["document_id"], unit["sentence"]].append(unit)
    kept = [_row(of_sentence) for of_sentence in sentences.values()]
    return Outcome.of(SENTENCE_SPLITS, [unit["id"] for unit in units], kept, dropped)


def _row(examples: list[Row]) -> Row:
    return {
        **made_from_several(examples, "split", *(example["id"] for example in examples)),
        **{name: examples[0][name] for name in _OF_SENTENCE},
        "text": examples[0]["fused_detokenised"],
        "splits": [example["unfused_detokenised"] for example in examples],
        "discourse_types": [example["discourse_type"] for example in examples],
        "connectives": [example["connective_string"] for example in examples],
    }
