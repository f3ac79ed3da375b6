"""Every distinct candidate, with scores of its quality as a paraphrase.

Belongs here: merging pairs that several methods found, the features of a pair and its predicted consistency,
the threshold of the coarse filter. Not here: the candidates (ops/parasci/candidates), agreement in numbers
and names (agreement.py), the weights of features (scorer.py), the thresholds on the scores (filtered.py).

Dong et al. (2021), 4.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.joins import grouped, stored
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least
from silverloom.ops.core.thresholds import scored as scored_units
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.metrics.bleu import self_bleus
from silverloom.ops.models.encoder import ENCODER
from silverloom.ops.models.entailment import NliModel, nli_model
from silverloom.ops.parasci.candidates.pairs import CoarseParams, length_rate
from silverloom.ops.parasci.dataset.agreement import agreement
from silverloom.ops.parasci.dataset.release import covered_words, released_form
from silverloom.ops.parasci.dataset.scorer import Features, ScorerParams, consistency
from silverloom.ops.parasci.schemas import KNOWN_OF_SIDES, SCORED

#: Maximum pairs in a part. Few pairs have parts of FEWEST, some seconds of BERTScore each; more pairs have
#: about MANY_PARTS parts.
_PAIRS, FEWEST, MANY_PARTS = 20_000, 256, 256

#: The findings of all methods: `pair` is the same for all rows of a pair, `place` is the number of the row.
_CANDIDATE = pa.schema(
    [
        ("pair", pa.string()),
        ("place", pa.int64()),
        ("origin", pa.string()),
        *((name, pa.string()) for name in ("id", "licence", "key", "first_paper", "second_paper")),
        ("cosine", pa.float64()),
        ("first", pa.string()),
        ("second", pa.string()),
        ("whole", pa.string()),
        *((name, SCORED.kept.field(name).type) for name in KNOWN_OF_SIDES),
    ]
)


#: A pair as a what-if page counts it.
_UNIT = pa.schema(
    [("pair", pa.string()), ("id", pa.string()), ("score", pa.float64()), ("text", pa.string())]
)


class ScoredParams(Params, section="parasci.scored"):
    """The least confidence in a part of a sentence, and the encoder and layer of BERTScore."""

    confidence: float = Field(
        0.0, ge=0, le=1, description="least confidence of a part that PDBERT finds (the paper names none)"
    )
    encoder: ModelName = Field(
        ENCODER, description="its tokens are compared", json_schema_extra={"paper": "SciBERT"}
    )
    layer: int = Field(4, ge=1, description="of the encoder, from 1", json_schema_extra={"paper": "8"})
    nli: ModelName | None = Field(
        None,
        description="published model of entailment, a folder or its hub name; null: no feature `entailed`",
    )


def scored(
    intra: Parts,
    definitions: Parts,
    citations: Parts,
    partial: Parts,
    coarse: CoarseParams,
    params: ScoredParams,
    scorer: ScorerParams,
    strict: bool,
) -> Outcomes:
    """Yield every distinct pair that a method found, scored.

    A pair that two methods found, or that was found in both orders, is one row with all its keys. Units are
    the pairs within papers. Reasons: `cosine` (below the threshold), `identical` (up to case, spaces and
    signs). Dropped pairs of the other methods are counted by reason in `combinations`; for a part of a
    sentence, `confidence` takes the place of `cosine`. Holds a part in memory, or the pairs that are scored
    together: 2 KB each.
    """
    counts: Counter[str] = Counter()
    methods = {"intra": intra, "definitions": definitions, "citations": citations, "partial": partial}
    with intra.engine.scratch() as folder:
        candidates: list[Parts] = []
        place = 0
        for origin, parts in methods.items():
            for table in parts:
                members: list[Row] = []
                dropped: list[Row] = []
                for row in table.to_pylist():
                    pair = _pair(row)
                    reason = _lost(row, pair, coarse, params, origin)
                    if reason is None:
                        there = {"pair": "\n".join(pair), "place": place, "origin": origin, "whole": None}
                        members.append(
                            {**there, **{name: row[name] for name in _CANDIDATE.names if name in row}}
                        )
                        place += 1
                    elif origin == "intra":
                        dropped.append(drop(row, reason, row["cosine"] if reason == "cosine" else None))
                    else:
                        counts[f"{origin}: {reason}"] += 1
                of_part = pa.Table.from_pylist(members, schema=_CANDIDATE)
                candidates.append(
                    stored([of_part], _CANDIDATE, intra, folder / f"candidates {len(candidates)}")
                )
                if dropped:
                    yield Outcome.of(SCORED, [row["id"] for row in dropped], [], dropped)
        tables = (table for one in candidates for table in one)
        of_pair = grouped(tables, _CANDIDATE, "pair", intra, folder / "of pair", _PAIRS)
        by_pair = grouped(map(_placed, of_pair), _CANDIDATE, "place", intra, folder / "by pair", _PAIRS)
        distinct = sum(len(pc.unique(part.read(["place"])["place"])) for part in by_pair.parts)
        counts["merged"] = place - distinct
        yield Outcome.of(SCORED, [], [], combinations=counts)
        blocks = stored(_blocks(by_pair, distinct), _CANDIDATE, intra, folder / "blocks")
        matcher = Loaded(BertScorer, (params.encoder, params.layer, strict))
        yield from blocks.map(scored_of, matcher, Loaded(nli_model, (params.nli, strict)), scorer)


def scored_of(
    candidates: pa.Table,
    matcher: Loaded[BertScorer],
    nli: Loaded[NliModel | None],
    scorer: ScorerParams,
) -> Outcome:
    """Return the scored pairs; `candidates` has the rows of whole pairs, one pair after the other."""
    its = [list(several) for _, several in groupby(candidates.to_pylist(), itemgetter("place"))]
    units = [row["id"] for several in its for row in several if row["origin"] == "intra"]
    return Outcome.of(SCORED, units, list(_rows(its, matcher.model, nli.model, scorer)))


def cosines(intra: Parts) -> Iterator[pa.Table]:
    """Yield every distinct pair within papers with the score for the threshold `parasci.coarse.cosine`."""
    return _best_scores(intra, "cosine")


def confidences(partial: Parts) -> Iterator[pa.Table]:
    """Yield every distinct pair with a part of a sentence and the score for the threshold `confidence`."""
    return _best_scores(partial, "confidence")


def _best_scores(pairs: Parts, score: str) -> Iterator[pa.Table]:
    """Yield pairs as a what-if page counts them: equal ones once, with their greatest score."""
    with pairs.engine.scratch() as folder:
        tables = (
            pa.Table.from_pylist([_unit(row, score) for row in table.to_pylist()], schema=_UNIT)
            for table in pairs
        )
        for table in grouped(tables, _UNIT, "pair", pairs, folder / "of pair", _PAIRS):
            of_pair = groupby(table.to_pylist(), itemgetter("pair"))
            best = (max(several, key=lambda row: row["score"] or 0.0) for _, several in of_pair)
            yield scored_units((row["id"], row["score"], row["text"]) for row in best)


def _unit(row: Row, score: str) -> Row:
    pair = _pair(row)
    text = f"{row['first']} | {row['second']}"
    known = None if _identical(pair) else row[score]
    return {"pair": "\n".join(pair), "id": row["id"], "score": known, "text": text}


def _placed(candidates: pa.Table) -> pa.Table:
    """Return rows of whole pairs; give each row the place of the first row of its pair."""
    first: dict[str, int] = {}
    pairs, places = candidates["pair"].to_pylist(), candidates["place"].to_pylist()
    of_first = [first.setdefault(pair, place) for pair, place in zip(pairs, places, strict=True)]
    return candidates.set_column(
        _CANDIDATE.get_field_index("place"), _CANDIDATE.field("place"), pa.array(of_first)
    )


def _blocks(by_pair: Parts, count: int) -> Iterator[pa.Table]:
    """Yield the rows of `count` pairs in blocks of pairs that are scored together."""
    size = min(_PAIRS, max(FEWEST, count // MANY_PARTS))
    rows = chain.from_iterable(table.to_pylist() for table in by_pair)
    pairs = (list(several) for _, several in groupby(rows, itemgetter("place")))
    while block := list(islice(pairs, size)):
        yield pa.Table.from_pylist(list(chain.from_iterable(block)), schema=_CANDIDATE)


def features(
    firsts: Sequence[str],
    seconds: Sequence[str],
    cosines: Sequence[float],
    matcher: BertScorer,
    nli: NliModel | None,
) -> Iterator[Features]:
    """Yield the features of each of N pairs, by column; the caller adds `truncated`.

    Without a model of entailment, its columns are missing values.
    """
    matches = matcher.match(firsts, seconds)
    repeated = 100 * self_bleus(list(map(released_form, firsts)), list(map(released_form, seconds)))
    ways = nli.predict(firsts, seconds).round(2).tolist() if nli and firsts else None
    for number, (first, second, cosine, copied, *values) in enumerate(
        zip(firsts, seconds, cosines, repeated, *matches, strict=True)
    ):
        forward, backward = ways[number] if ways else (None, None)
        precision, recall, f1, weakest = (round(float(value), 4) for value in values)
        yield {
            "cosine": cosine,
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "least": min(precision, recall),
            "weakest": weakest,
            **{name: round(value, 4) for name, value in agreement(first, second)._asdict().items()},
            "length_rate": round(length_rate(len(first.split()), len(second.split())), 4),
            "self_bleu": round(float(copied), 2),
            "covered_words": round(covered_words(first, second), 4),
            "forward": forward,
            "backward": backward,
            "entailed": min(ways[number]) if ways else None,
        }


def _rows(
    pairs: Sequence[Sequence[Row]],
    matcher: BertScorer,
    nli: NliModel | None,
    scorer: ScorerParams,
) -> Iterator[Row]:
    firsts, seconds = ([several[0][side] for several in pairs] for side in ("first", "second"))
    cosines = [max(member["cosine"] for member in several) for several in pairs]
    measured = features(firsts, seconds, cosines, matcher, nli)
    cut = dict(zip([*firsts, *seconds], matcher.tokens.truncated([*firsts, *seconds]), strict=True))
    for several, of_pair in zip(pairs, measured, strict=True):
        row = several[0]
        yield {
            **made_from_several(several, "scored", *_pair(row)),
            "first": row["first"],
            "second": row["second"],
            **{name: row[name] for name in KNOWN_OF_SIDES},
            "origins": sorted({member["origin"] for member in several}),
            "keys": sorted({f"{member['origin']}:{member['key']}" for member in several}),
            "papers": sorted({member[f"{side}_paper"] for member in several for side in ("first", "second")}),
            **of_pair,
            "consistency": consistency(of_pair, scorer),
            "first_words": len(row["first"].split()),
            "second_words": len(row["second"].split()),
            "well_formed": min(row["first_well_formed"], row["second_well_formed"]),
            "wholes": sorted({member["whole"] for member in several if member.get("whole")}),
            "truncated": cut[row["first"]] or cut[row["second"]],
        }


def _pair(row: Mapping[str, str]) -> tuple[str, str]:
    """Return both sentences, normalised and sorted, so that a swapped pair is the same pair."""
    first, second = sorted(" ".join(row[side].lower().split()) for side in ("first", "second"))
    return first, second


def _identical(pair: tuple[str, str]) -> bool:
    """Return whether both have the same letters and digits: "re-use" and "reuse" differ by a line break."""
    first, second = ("".join(filter(str.isalnum, side)) for side in pair)
    return first == second


def _lost(
    row: Row, pair: tuple[str, str], coarse: CoarseParams, params: ScoredParams, origin: str
) -> str | None:
    if _identical(pair):
        return "identical"
    if origin == "partial":
        return None if at_least(row["confidence"], params.confidence) else "confidence"
    return None if at_least(row["cosine"], coarse.cosine) else "cosine"


def within_papers(scored: pa.Table) -> int:
    """Return how many of the scored pairs were found within a paper."""
    return sum("intra" in origins for origins in scored["origins"].to_pylist())


def parts_of_sentences(scored: pa.Table) -> int:
    """Return how many of the scored pairs contain a part of a sentence."""
    return sum("partial" in origins for origins in scored["origins"].to_pylist())
