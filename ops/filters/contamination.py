"""What examples share with test sets: runs of words, and whole sentences.

Belongs here: the index of the test sets, the overlap of an example with it, which examples are dropped, and
what other bounds would keep. Not here: reading test sets (test_sets.py).

Brown et al. (2020), "Language Models are Few-Shot Learners", appendix C, call an example contaminated if it
shares a run of 13 words with a test set. [ours] An example is also contaminated if it shares a whole sentence
of at least some words, because most sentences in test sets have fewer than 13. Words are lower-case runs of
letters and digits after Unicode's NFKC. "ca n't", as a tokenizer writes it, counts as "can't".

Runs are looked up by 64-bit hashes, sorted in a file that processes share. With a billion runs of examples
and ten million runs of test sets, the chance of a single false match is below one in a thousand.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import Field

from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.identity import made_from, text_hash
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import SCORED, at_most
from silverloom.ops.filters import schemas
from silverloom.ops.filters.lost import lost_rows
from silverloom.ops.text.sentences import sentence_spans
from silverloom.ops.text.words import visible

#: The reason for dropping an example.
CONTAMINATED = "contaminated"

_WORD = re.compile(r"[^\W_]+")
#: Other characters that are used as apostrophes.
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02bc", "'"))
#: The white space that a tokenizer inserts before "n't".
_PARTED = re.compile(r"(?<=\w)\s++(?=n't\b)")
_KEYS, _ROWS, _TESTS = "keys.npy", "rows.npy", "tests.parquet"
#: Distinguishes the hash of a sentence from the hash of a run.
_SENTENCE = np.uint64(0x9E3779B97F4A7C15)
_SHOWN = 300


class OverlapParams(Params, section="filters.contamination.scores"):
    """The size of the runs and sentences to look for."""

    ngram: int = Field(13, ge=2, description="words of a run")
    sentence: int = Field(6, ge=1, description="words that a whole sentence has at least, to be looked for")


class ContaminationParams(Params):
    """How much an example may share with a test set of sources.test_sets; each system has its own section."""

    ngrams: int = Field(0, ge=0, description="runs of words at most")
    sentences: int = Field(0, ge=0, description="whole sentences at most")


def words_of(text: str) -> list[str]:
    """Return the words of a text: lower-case runs of letters and digits.

    They do not depend on whether a tokenizer has split "can't", or on which apostrophe it is written with.
    """
    folded = unicodedata.normalize("NFKC", visible(text)).lower().translate(_APOSTROPHES)
    return _WORD.findall(_PARTED.sub("", folded))


def ngrams(words: Sequence[str], size: int) -> NDArray[np.uint64]:
    """Return a hash of each run of `size` words: N - size + 1 hashes for N words."""
    if len(words) < size:
        return np.empty(0, np.uint64)
    numbers = np.array([_word_hash(word) for word in words], np.uint64)
    windows = np.lib.stride_tricks.sliding_window_view(numbers, size)
    hashes: NDArray[np.uint64] = (windows * _odd(size)).sum(axis=1, dtype=np.uint64)
    return hashes


def sentences(text: str, least: int) -> Iterator[tuple[int, str]]:
    """Yield the hash and the words, joined by blanks, of each sentence of at least `least` words."""
    for span in sentence_spans(text):
        words = words_of(text[span[0] : span[1]])
        if len(words) >= least:
            joined = " ".join(words)
            yield int(np.uint64(text_hash(joined)) ^ _SENTENCE), joined


#: Words recur; sentences mostly do not, so only words are cached.
_word_hash = lru_cache(1 << 20)(text_hash)


@lru_cache
def _odd(size: int) -> NDArray[np.uint64]:
    return np.random.default_rng(size).integers(0, 2**63, size, np.uint64) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True)
class ContaminationIndex:
    """Sorted hashes of the runs and sentences of test sets, with the first text that has each; on disk.

    There is one row per hash and test set, however many texts of the test set have it.
    """

    folder: Path

    @classmethod
    def written(cls, test_sets: Parts, params: OverlapParams, folder: Path) -> ContaminationIndex:
        """Write the index of some test sets into a new folder.

        Texts are ordered by test set and id, so that the first text with a hash is always the same.
        """
        folder.mkdir(parents=True)
        tests = test_sets.read(["id", "test_set", "text"]).sort_by(
            [("test_set", "ascending"), ("id", "ascending")]
        )
        keys, rows = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
        for row, text in enumerate(tests["text"].to_pylist()):
            sentence_keys = np.array([key for key, _ in sentences(text, params.sentence)], np.uint64)
            own = np.unique(np.concatenate([ngrams(words_of(text), params.ngram), sentence_keys]))
            keys.append(own)
            rows.append(np.full(len(own), row, np.uint32))
        every = np.concatenate(keys)
        order = np.argsort(every, kind="stable")
        every, places = every[order], np.concatenate(rows)[order]
        sets = np.unique(tests["test_set"].to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1]
        own_sets = sets[places]
        new = np.ones(len(every), bool)
        new[1:] = (every[1:] != every[:-1]) | (own_sets[1:] != own_sets[:-1])
        np.save(folder / _KEYS, every[new])
        np.save(folder / _ROWS, places[new])
        pq.write_table(tests.select(["id", "test_set"]), folder / _TESTS)
        return cls(folder)

    def first_rows(self, keys: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Return the row of the first text with each of N keys; the number of texts if the index lacks it."""
        every, rows, tests = _opened(str(self.folder))
        places = np.searchsorted(every, keys)
        inside = places < len(every)
        hit = np.zeros(len(keys), bool)
        hit[inside] = every[places[inside]] == keys[inside]
        first_rows = np.full(len(keys), len(tests), np.uint32)
        first_rows[hit] = rows[places[hit]]
        return first_rows

    def every(self, key: int) -> NDArray[np.uint32]:
        """Return the row of the first text of each test set that has a key."""
        keys, rows, _ = _opened(str(self.folder))
        start, end = (
            np.searchsorted(keys, np.uint64(key), "left"),
            np.searchsorted(keys, np.uint64(key), "right"),
        )
        return np.asarray(rows[start:end])

    def tests(self) -> list[tuple[str, str]]:
        """Return the test set and id of every text."""
        return _opened(str(self.folder))[2]


@lru_cache(maxsize=1)
def _opened(folder: str) -> tuple[NDArray[np.uint64], NDArray[np.uint32], list[tuple[str, str]]]:
    tests = pq.read_table(Path(folder) / _TESTS)
    names = list(zip(tests["test_set"].to_pylist(), tests["id"].to_pylist(), strict=True))
    keys, rows = (np.load(Path(folder) / name, mmap_mode="r") for name in (_KEYS, _ROWS))
    return keys, rows, names


def overlaps(
    examples: Parts,
    test_sets: Parts,
    params: OverlapParams,
    derived: DerivedFolder,
    columns: Sequence[str],
    shape: Shape,
) -> Outcomes:
    """Yield what every example shares with the test sets; `columns` are texts, or lists of sentences."""
    folder = derived.made(
        ["test_sets"], lambda folder: ContaminationIndex.written(test_sets, params, folder), params
    )
    return examples.map(overlaps_of, ContaminationIndex(folder), params, tuple(columns), shape)


def overlaps_of(
    examples: pa.Table, index: ContaminationIndex, params: OverlapParams, columns: Sequence[str], shape: Shape
) -> Outcome:
    """Return what each example of one part shares with the test set that it shares most with."""
    units = examples.select(["id", "licence", *columns]).to_pylist()
    rows = [
        {
            **made_from(unit, "overlap"),
            "example_id": unit["id"],
            **shared([unit[name] for name in columns if unit[name]], index, params),
        }
        for unit in units
    ]
    return Outcome.of(schemas.overlaps(shape), [unit["id"] for unit in units], rows)


def shared(texts: Sequence[str | list[str]], index: ContaminationIndex, params: OverlapParams) -> Row:
    """Return what some texts share with one test set: the one with the most shared runs and sentences.

    A text is a string or a list of its sentences. Ties go to the test set that is first by name. Repeated
    runs and sentences count once.
    """
    tests = index.tests()
    runs: dict[int, str] = {}
    whole: dict[int, str] = {}
    for text in texts if tests else ():
        pieces = text if isinstance(text, list) else [text]
        words = words_of("\n".join(pieces))
        keys = ngrams(words, params.ngram)
        for place in np.flatnonzero(index.first_rows(keys) < len(tests)):
            runs.setdefault(int(keys[place]), " ".join(words[place : place + params.ngram]))
        sentence_texts = {key: words for piece in pieces for key, words in sentences(piece, params.sentence)}
        listed = np.fromiter(sentence_texts, np.uint64, len(sentence_texts))
        for key in listed[index.first_rows(listed) < len(tests)].tolist():
            whole.setdefault(key, sentence_texts[key])
    counts: dict[str, Counter[str]] = {"ngrams": Counter(), "sentences": Counter()}
    first: dict[str, tuple[str, str]] = {}
    for kind, shared_texts in (("ngrams", runs), ("sentences", whole)):
        for key, words_of_it in shared_texts.items():
            for name, test in (tests[row] for row in index.every(key)):
                counts[kind][name] += 1
                first.setdefault(name, (test, words_of_it))
    both = counts["ngrams"] + counts["sentences"]
    if not both:
        return {"test_set": None, "test_id": None, "ngrams": 0, "sentences": 0, "shared": None}
    most = min(both, key=lambda name: (-both[name], name))
    test, text = first[most]
    numbers = {kind: counts[kind][most] for kind in counts}
    return {"test_set": most, "test_id": test, **numbers, "shared": text[:_SHOWN]}


def uncontaminated(examples: Parts, overlaps: Parts, params: ContaminationParams, shape: Shape) -> Outcomes:
    """Yield the examples, unchanged, that share no more with a test set than the bounds allow.

    The others are dropped as `contaminated`. The score is the number of shared runs, or of shared sentences
    if the runs are within their bound. The detail names the test set and its text.
    """
    return examples.map(uncontaminated_of, params, shape, beside=[overlaps])


def uncontaminated_of(
    examples: pa.Table, overlaps: pa.Table, params: ContaminationParams, shape: Shape
) -> Outcome:
    """Return the examples of one part. Raises ValueError if the overlaps belong to other examples."""
    if examples["id"].to_pylist() != overlaps["example_id"].to_pylist():
        raise ValueError("the overlaps are not those of the examples")
    runs, whole = _within(overlaps, params)
    keep = pc.and_(runs, whole)
    lost = overlaps.append_column("within", runs).filter(pc.invert(keep)).to_pylist()
    reasons = [
        {
            "reason": CONTAMINATED,
            "score": float(row["sentences"] if row["within"] else row["ngrams"]),
            "detail": f"in {row['test_set']}, {row['test_id']}: {row['shared']}",
        }
        for row in lost
    ]
    made = schemas.filtered(shape)
    return Outcome(
        examples["id"].combine_chunks(),
        examples.filter(keep).cast(made.kept),
        lost_rows(examples.filter(pc.invert(keep)), reasons, made),
        made.rejected.empty_table(),
    )


def _within(overlaps: pa.Table, params: ContaminationParams) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return for each example whether its shared runs, and its shared sentences, are within the bounds."""
    names = ("ngrams", "sentences")
    runs, whole = (at_most(overlaps[name].to_numpy(), getattr(params, name)) for name in names)
    return pa.array(runs), pa.array(whole)


def asked_ngrams(overlaps: Parts, params: ContaminationParams) -> Iterator[pa.Table]:
    """Yield the examples with the score that `ngrams` bounds; null if `sentences` drops them."""
    for table in overlaps:
        yield _scored(table, "ngrams", _within(table, params)[1])


def asked_sentences(overlaps: Parts, params: ContaminationParams) -> Iterator[pa.Table]:
    """Yield the examples with the score that `sentences` bounds; null if `ngrams` drops them."""
    for table in overlaps:
        yield _scored(table, "sentences", _within(table, params)[0])


def _scored(overlaps: pa.Table, name: str, asked: pa.Array) -> pa.Table:
    scores = pc.if_else(asked, overlaps[name].cast(pa.float64()), None)
    texts = pc.coalesce(overlaps["shared"], "")
    return pa.table([overlaps["example_id"], scores, texts], SCORED)
