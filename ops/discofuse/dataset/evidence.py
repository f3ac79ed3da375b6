"""Evidence about each split: the sense of its connective, how much of the text it has, whether it says the
same, how fluent it is.

Belongs here: these scores. Not here: their bounds (examples.py), the model of bytes (byte_model.py).

All of it is ours: Geva et al. (2019) asked people instead (section 4). A split shares nearly all its bytes
with its text. Only the places where the rules cut, joined or inserted words are new, so only these are
scored: the runs of bytes that the split has and the text has not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import filterfalse

import numpy as np
from pydantic import Field

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.discofuse.dataset.byte_model import LONGEST, ByteModel
from silverloom.ops.discofuse.evaluation.alignment import SENSES, words
from silverloom.ops.models.entailment import NliModel
from silverloom.ops.text.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
#: What `_WORD` does not match, as blanks: splitting at these takes a fraction of a regular expression's time.
_APART = {code: " " for code in range(128) if not chr(code).isalnum()}


class EvidenceParams(Params, section="discofuse.evidence"):
    """The model that judges whether a text and its split say the same."""

    nli: ModelName | None = Field(
        None,
        description="published model of entailment, a folder or its hub name; null: `forward` and `backward`"
        " are null",
    )


def with_evidence(
    candidates: Sequence[Row], model: ByteModel | None = None, nli: NliModel | None = None
) -> list[Row]:
    """Return rows of candidates with their evidence, as columns of `CANDIDATES`.

    `model` gives the disfluency, `nli` the log-odds of entailment to 2 places; they are null without one.
    """
    texts = [(row["fused_detokenised"], row["unfused_detokenised"]) for row in candidates]
    nothing: Sequence[None] = [None] * len(candidates)
    bits: Sequence[float | None] = nothing if model is None else disfluencies(texts, model)
    ways: Sequence[Sequence[float | None]] = [(None, None)] * len(candidates)
    if nli is not None and texts:
        ways = nli.predict(*zip(*texts, strict=True)).round(2).tolist()
    return [
        {
            **row,
            "sense": _sense(row["connective_string"]),
            **_shared(row),
            "disfluency": cost,
            "forward": forward,
            "backward": backward,
        }
        for row, cost, (forward, backward) in zip(candidates, bits, ways, strict=True)
    ]


def shared_content(text: str, split: str, connective: str = "") -> tuple[float, float]:
    """Return the share of a text's content words that the split has, and the other way round, 0 to 1.

    Each word counts as often as it occurs, as in ROUGE-1; stop words and the connective do not count. What a
    rule repeats, such as a subject, lowers the second share. The share of nothing is 1.
    """
    if text == split and not connective:  # as in every control
        return 1.0, 1.0
    of_text, of_split = _content(text), _content(split)
    if of_connective := _content(connective):
        of_text = of_text - of_connective
    both = sum(min(count, of_split.get(word, 0)) for word, count in of_text.items())
    return both / of_text.total() if of_text else 1.0, both / of_split.total() if of_split else 1.0


def disfluencies(texts: Sequence[tuple[str, str]], model: ByteModel) -> list[float | None]:
    """Return for N pairs of a text and its split the bits of the split's new runs of bytes, to 2 places.

    A new run has LONGEST bytes and does not occur in the text; what counts is the surprise of its last byte.
    0 without new runs. None if the model was trained on nothing.
    """
    runs = [_new_runs(*pair) for pair in texts]
    joined = np.frombuffer(b"".join(run for of_text in runs for run in of_text), np.uint8).reshape(
        -1, LONGEST
    )
    bits = model.bits(joined)
    if bits is None:
        return [None] * len(texts)
    ends = np.cumsum([len(of_text) for of_text in runs], dtype=np.int64)
    # fsum rounds once, so that the sum is the same on every machine
    return [round(math.fsum(own), 2) for own in np.split(bits, ends[:-1])] if texts else []


def _shared(row: Row) -> dict[str, float]:
    text = f"{row['coherent_first_sentence']} {row['coherent_second_sentence']}"
    split = f"{row['incoherent_first_sentence']} {row['incoherent_second_sentence']}"
    covered, supported = shared_content(text, split, row["connective_string"])
    return {"covered": covered, "supported": supported}


@lru_cache(maxsize=1024)
def _sense(connective: str) -> str | None:
    return SENSES.get(" ".join(words(connective)))


@lru_cache(maxsize=64)  # a text may have several splits
def _content(text: str) -> Counter[str]:
    lower = text.lower()
    found = lower.translate(_APART).split() if lower.isascii() else _WORD.findall(lower)
    return Counter(filterfalse(STOP_WORDS.__contains__, found))


def _new_runs(text: str, split: str) -> list[bytes]:
    if text == split:
        return []
    old, new = (encoded.encode(errors="surrogatepass") for encoded in (text, split))
    known = {old[at : at + LONGEST] for at in range(len(old) - LONGEST + 1)}
    runs = (new[at : at + LONGEST] for at in range(len(new) - LONGEST + 1))
    return [run for run in runs if run not in known]
