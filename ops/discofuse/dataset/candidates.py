"""Every text of a document that a rule splits, as a row, before any filter.

Belongs here: the op, and a candidate's columns about its sentences. Not here: the rules
(ops/discofuse/rules), filters and splits (examples.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

import pyarrow as pa

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.parts import Parts
from silverloom.ops.coreference.links import TokenSpan
from silverloom.ops.discofuse.annotation import Annotation, AnnotationParams, stored_annotations
from silverloom.ops.discofuse.dataset.byte_model import ByteModel
from silverloom.ops.discofuse.dataset.evidence import EvidenceParams, with_evidence
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.rules import candidates as candidates_of
from silverloom.ops.discofuse.rules.rule import Candidate, FusionExample
from silverloom.ops.discofuse.schemas import CANDIDATES
from silverloom.ops.models.entailment import NliModel, nli_model

_NO_NLI: Loaded[NliModel | None] = Loaded(nli_model, (None,))
#: The columns of the document that its rows repeat.
_OF_DOCUMENT = ("document_id", "month", "domain")
_FIELDS = sorted(FusionExample._fields)
_CONTENT = "(%r, %r, [" + ", ".join(f"({name!r}, %s)" for name in _FIELDS) + "])"
_sorted_values = attrgetter(*_FIELDS)
_quoted = lru_cache(maxsize=64)(repr)


def candidates_of_documents(
    annotated: Parts,
    annotation: AnnotationParams,
    params: RuleParams,
    evidence: EvidenceParams,
    strict: bool,
    reference: ByteModel | None = None,
) -> Outcomes:
    """Yield the candidates of each part of `ANNOTATED.kept`, as `candidates` returns them.

    Without `reference`, the model of their disfluency is trained on these documents.
    """
    nli = Loaded(nli_model, (evidence.nli, strict))
    with annotated.engine.scratch() as folder:
        model = reference or ByteModel.learnt(annotated, folder / "bytes")
        yield from annotated.map(candidates, annotation, params, nli, model)


def candidates(
    annotated: pa.Table,
    annotation: AnnotationParams,
    params: RuleParams,
    nli: Loaded[NliModel | None] = _NO_NLI,
    model: ByteModel | None = None,
) -> Outcome:
    """Return the results of the rules for each sentence and pair of sentences of `ANNOTATED.kept`.

    `nli` and `model` give evidence (evidence.py). The units are the sentences; a sentence in no candidate is
    dropped as `no_phenomenon`. `combinations` counts the texts that the rules were applied to. Raises
    OtherPipelineError if another pipeline parsed a document.
    """
    units: list[str] = []
    kept: list[Row] = []
    dropped: list[Row] = []
    looked: Counter[str] = Counter()
    documents = annotated.select(["id", "licence", *_OF_DOCUMENT, "sentences"]).to_pylist()
    for document, parse in zip(documents, stored_annotations(annotated, annotation), strict=True):
        sentences = document["sentences"]
        ids = [sentence["id"] for sentence in sentences]
        units += ids
        rows = list(_rows(document, sentences, parse, params))
        used = {sentence for row in rows for sentence in row["source_ids"]}
        kept += rows
        dropped += [drop(unit, "no_phenomenon") for unit in _units(document, ids, parse, used)]
        looked.update({"single sentences": len(ids), "pairs of sentences": max(len(ids) - 1, 0)})
    return Outcome.of(CANDIDATES, units, with_evidence(kept, model, nli.model), dropped, combinations=+looked)


def _rows(document: Row, sentences: Sequence[Row], parse: Annotation, params: RuleParams) -> Iterator[Row]:
    seen: dict[str, int] = {}
    of_document = {name: document[name] for name in _OF_DOCUMENT}
    sizes = [_tokens(parse, span) for span in parse.sentences]
    for candidate in candidates_of(parse, params):
        first = candidate.sentence
        pair = bool(candidate.example.coherent_second_sentence)
        originals = sentences[first : first + 1 + pair]
        sources = [sentence["id"] for sentence in originals]
        content = _content(sources, candidate)
        place = seen[content] = seen.get(content, 0) + 1
        yield {
            **made_of(row_id("candidate", content, str(place - 1)), sources, document["licence"]),
            **of_document,
            "sentence": first,
            "rule": candidate.rule,
            **candidate.example._asdict(),
            "fused_detokenised": candidate.fused_detokenised,
            "unfused_detokenised": candidate.unfused_detokenised,
            "first_tokens": sizes[first],
            "second_tokens": sizes[first + 1] if pair else 0,
            "holes": sum(sentence["holes"] or 0 for sentence in originals),
            "coreference_score": candidate.score,
            "links": _links(candidate, parse),
        }


def _content(sources: Sequence[str], candidate: Candidate) -> str:
    """Return what tells a candidate from others: its sources, its rule, and its example's sorted fields.

    The text is that of `repr`, but each sentence is quoted once: a control has it four times.
    """
    values = map(_quoted, _sorted_values(candidate.example))
    return _CONTENT % (sources, candidate.rule, *values)


def _links(candidate: Candidate, parse: Annotation) -> list[Row]:
    return [
        {
            "kind": link.kind,
            "mention": " ".join(parse.words[slice(*link.mention)]),
            "antecedent": " ".join(parse.words[slice(*link.antecedent)]),
            "score": link.score,
        }
        for link in candidate.replaced
    ]


def _units(document: Row, ids: Sequence[str], parse: Annotation, used: set[str]) -> Iterator[Row]:
    if used.issuperset(ids):
        return
    for index, (sentence, text) in enumerate(zip(ids, parse.sentence_texts(), strict=True)):
        if sentence not in used:
            yield {
                **made_of(sentence, [document["id"]], document["licence"]),
                **{name: document[name] for name in _OF_DOCUMENT},
                "sentence": index,
                "text": text,
            }


def _tokens(parse: Annotation, span: TokenSpan) -> int:
    """Return the number of tokens in a sentence, without white-space tokens."""
    start, end = span
    return end - start - sum(map(str.isspace, parse.words[start:end]))
