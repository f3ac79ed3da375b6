"""Talks with their papers as handmade datasets on disk: no model is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import counted
from silverloom.ops.core.outcome import Outcome, Shape, drop, reject
from silverloom.ops.parse.schemas import PAPERS, SENTENCES
from silverloom.ops.talksumm.schemas import (
    ALIGNMENTS,
    GOLD_ALIGNMENTS,
    MATCHES,
    PAIRS,
    SUMMARIES,
    TALKS,
    TUNING,
)
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.pages.systems.talksumm import talks
from silverloom.pages.systems.talksumm.site import tuning_pages
from tests.browser.written import write_site
from tests.ops.talksumm.pair_cases import EVIDENCE

MONTH = "2018-06"
IDENTITY = {"source_ids": ["source"], "licence": "CC-BY-4.0"}


@dataclass
class Talk:
    """A talk with its paper.

    `sentences`: (section, text, reason why it is not a state, or None); `runs`: (first word, last word,
    position of the sentence). Reasons that begin with "no " are those of sources/sentences.
    """

    name: str
    words: Sequence[str] = ()
    sentences: Sequence[tuple[str, str, str | None]] = ()
    runs: Sequence[tuple[int, int, int]] = ()
    summary: Sequence[int] = ()
    timed: bool = True
    title: str = "A talk"
    labels: Sequence[tuple[int, int, str | None]] = ()
    headings: Sequence[str] = ()
    url: str | None = "https://talks.example.org/1"

    @property
    def pair(self) -> str:
        return f"pair-{self.name}"

    def state(self, place: int) -> str:
        return f"state-{self.name}-{place}"


@dataclass
class Corpus:
    """Datasets in a folder; `everything` is the argument of a report."""

    folder: Path
    talks: Sequence[Talk] = ()
    unmatched: Sequence[str] = ()
    unread: Sequence[str] = ()
    points: Sequence[dict] | None = None
    everything: Everything = field(default_factory=Everything)

    def write(self) -> Everything:
        self._write(
            "sources/talks",
            TALKS,
            [{**self.row_of(talk), "encoding": None} for talk in self.talks],
            rejected=self._unread(),
        )
        self._write("sources/papers", PAPERS, [_paper(talk) for talk in self.talks])
        self._write(
            "sources/sentences", SENTENCES, [], [row for talk in self.talks for row in _no_sentences(talk)]
        )
        self._write("talksumm/matches", MATCHES, [])
        self._write("talksumm/pairs", PAIRS, [_pair(talk) for talk in self.talks], self._unmatched())
        states = [_states(talk) for talk in self.talks]
        kept, left_out = ([row for rows in states for row in rows[table]] for table in (0, 1))
        self._write("talksumm/alignments", ALIGNMENTS, kept, left_out)
        self._write("talksumm/summaries", SUMMARIES, [_summary(talk) for talk in self.talks if talk.summary])
        if any(talk.labels for talk in self.talks):
            self._write(
                "sources/gold_alignments",
                GOLD_ALIGNMENTS,
                [row for talk in self.talks for row in _labels(talk)],
            )
        if self.points is not None:
            self._write("talksumm/tuning", TUNING, list(self.points), month="")
        return self.everything

    def _write(
        self, name: str, shape: Shape, kept: list, dropped: list = (), rejected: list = (), month=MONTH
    ):
        folder = self.folder / "data" / name / (month or "all")
        folder.mkdir(parents=True)
        write_outcomes(folder, [Outcome.of(shape, [], kept, dropped, rejected)], shape)
        self.everything[name] = {month: folder}

    def row_of(self, talk: Talk) -> dict:
        return {
            **IDENTITY, "id": f"talk-{talk.name}", "document": talk.name, "title": talk.title, "date": "2018-06-01",
            "month": MONTH, "url": talk.url, "paper_names": [], "words": _words(talk),
        }  # fmt: skip

    def _unmatched(self) -> list:
        talk = {**self.row_of(Talk("")), "title": "", "words": []}
        return [
            drop({**talk, "id": f"talk-{at}", "title": title}, "unmatched", 0.3, "'Another' (0.300)")
            for at, title in enumerate(self.unmatched)
        ]

    def _unread(self) -> list:
        return [
            reject(
                {**IDENTITY, "id": path, "path": path, "row": None, "content": b""},
                f"{path}: the file is empty",
            )
            for path in self.unread
        ]


def site(corpus: Corpus) -> Path:
    """Write the pages of talks and of the tuning, and return their folder."""
    everything = corpus.write()
    known = Everything({name: everything[name] for name in everything if name != "sources/gold_alignments"})
    files = [*talks.pages(everything), *tuning_pages(everything, counted(known))]
    return write_site(corpus.folder, files)


def point(knobs: Sequence[float], accuracy: float, *, half: float = 0.05, current: bool = False) -> dict:
    """Return a row of talksumm/tuning, with an interval of `half` to both sides."""
    name = "-".join(map(str, knobs))
    return {
        **IDENTITY, "model": "paper", **dict(zip(("lambda", "gamma", "delta", "epsilon"), knobs, strict=True)), "id": f"point-{name}",
        "accuracy": accuracy, "low": accuracy - half, "high": accuracy + half, "within_two": accuracy, "words": 100,
        "current": current, "talks": [{"talk_id": "talk-a", "title": "A talk", "words": 100, "correct": round(100 * accuracy)}],
    }  # fmt: skip


def _words(talk: Talk) -> list:
    return [
        {
            "text": text,
            "offset": at,
            "start": at / 2 if talk.timed else None,
            "end": at / 2 + 0.4 if talk.timed else None,
        }
        for at, text in enumerate(talk.words)
    ]


def _paper(talk: Talk) -> dict:
    titles = talk.headings or list(dict.fromkeys(section for section, _, _ in talk.sentences))
    sections = [{"title": title, "role": "other"} for title in titles]
    return {
        **IDENTITY, "id": f"paper-{talk.name}", "document": talk.name, "title": "A paper", "month": MONTH, "text": "",
        "subjects": [], "doi": None, "sections": sections, "sentences": [], "encoding": None,
    }  # fmt: skip


def _pair(talk: Talk) -> dict:
    sentences = [
        {
            "id": talk.state(at),
            "sentence_id": f"sentence-{talk.name}-{at}",
            "position": at,
            "section_title": section,
            "role": "other",
            "text": text,
        }
        for at, (section, text, why) in enumerate(talk.sentences)
        if not _is_none(why)
    ]
    return {
        **IDENTITY, "id": talk.pair, "talk_id": f"talk-{talk.name}", "paper_id": f"paper-{talk.name}", "talk_title": talk.title,
        "paper_title": "A paper", "paper_month": MONTH, "named_by": None, "similarity": 0.9, "words": _words(talk), "sentences": sentences,
    }  # fmt: skip


def _is_none(why: str | None) -> bool:
    return why is not None and why.startswith("no ")


def _no_sentences(talk: Talk) -> list:
    return [
        drop({
            **IDENTITY, "id": f"sentence-{talk.name}-{at}", "paper_id": f"paper-{talk.name}", "position": at, "section": 0,
            "section_title": section, "role": "other", "start": 0, "end": 0, "locator": "", "text": text, "holes": 0,
        }, why.removeprefix("no "))
        for at, (section, text, why) in enumerate(talk.sentences)
        if _is_none(why)
    ]  # fmt: skip


def _states(talk: Talk) -> tuple[list, list]:
    kept, left_out = [], []
    for at, (section, text, why) in enumerate(talk.sentences):
        row = {
            **IDENTITY, "id": talk.state(at), "pair_id": talk.pair, "talk_id": f"talk-{talk.name}", "paper_id": f"paper-{talk.name}",
            "sentence_id": f"sentence-{talk.name}-{at}", "position": at, "section_title": section, "role": "other", "text": text,
            "holes": 0,
        }  # fmt: skip
        spans = [(first, last) for first, last, place in talk.runs if place == at]
        if why is None:
            count = sum(last - first + 1 for first, last in spans)
            kept.append({
                **row, "state": len(kept), "count": count, "seconds": count / 2 if talk.timed else None,
                "spans": [{"first": first, "last": last} for first, last in spans], "log_probability": -1.0, **EVIDENCE,
            })  # fmt: skip
        elif not _is_none(why):
            left_out.append(drop(row, why, 12.0 if why == "short" else None))
    return kept, left_out


def _summary(talk: Talk) -> dict:
    texts = [talk.sentences[at][1] for at in talk.summary]
    return {
        **IDENTITY, **EVIDENCE, "id": f"summary-{talk.name}", "source_ids": [talk.state(at) for at in talk.summary], "pair_id": talk.pair,
        "talk_id": f"talk-{talk.name}", "paper_id": f"paper-{talk.name}", "paper_title": "A paper", "budget": "words_150",
        "sentence_ids": [f"sentence-{talk.name}-{at}" for at in talk.summary], "positions": list(talk.summary),
        "counts": [1 for _ in talk.summary], "text": " ".join(texts), "words": 20, "paper_words": 100, "exhausted": True,
    }  # fmt: skip


def _labels(talk: Talk) -> list:
    return [
        {
            **IDENTITY,
            "id": f"label-{talk.name}-{first}",
            "document": talk.name,
            "month": MONTH,
            "first_word": first,
            "last_word": last,
            "sentence": sentence,
            "encoding": None,
        }
        for first, last, sentence in talk.labels
    ]
