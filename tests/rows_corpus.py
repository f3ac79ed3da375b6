"""Datasets of a few handwritten rows, and their pages of rows and lineage."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.ancestry import opened
from silverloom.assets.rows.reading import counted
from silverloom.ops.core.outcome import Outcome, drop, reject
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.pages import lineage, rows
from silverloom.pages.sampling import sample
from tests.browser.written import write_site

JUNE, JULY = "2018-06", "2018-07"


def row(id: str, *sources: str, **columns) -> dict:
    return {"id": id, "source_ids": list(sources), "licence": "CC0-1.0", **columns}


def write(
    folder: Path, name: str, month: str, kept: Sequence = (), dropped: Sequence = (), rejected: Sequence = ()
) -> Everything:
    """Write one partition; missing columns are null. Lost rows are given as (row, reason or error, score)."""
    shape = workspace().datasets[name].shape
    place = folder / name / (month or "all")
    place.mkdir(parents=True)

    def full(given: Mapping, schema) -> dict:
        return {column: given.get(column) for column in schema.names}

    outcome = Outcome.of(
        shape,
        [],
        [full(one, shape.kept) for one in kept],
        [drop(full(one, shape.unit), reason, score) for one, reason, score in dropped],
        [reject(full(one, shape.unit), error) for one, error in rejected],
    )
    write_outcomes(place, [outcome], shape)
    return Everything({name: {month: place}})


def together(*parts: Everything) -> Everything:
    found = Everything()
    for part in parts:
        for name, months in part.items():
            found[name] = {**found.get(name, {}), **months}
    return Everything({name: found[name] for name in workspace().datasets if name in found})


def talk(folder: Path) -> Everything:
    """One talk with its paper, all the way from the files to a training set."""
    first, second = "We count rare words.", "They are rare."
    words = [
        {"text": text, "offset": 10 + 5 * at, "start": None, "end": None}
        for at, text in enumerate(["so", "we", "count"])
    ]
    state = {"pair_id": "pair-1", "talk_id": "talk-1", "paper_id": "paper-1"}
    listed = [
        {"id": f"state-{at}", "sentence_id": f"sentence-{at}", "text": text}
        for at, text in enumerate([first, second])
    ]
    return together(
        write(
            folder, "sources/papers", JUNE, [row("paper-1", "text/a.txt", title="Rare words", text=first)],
            rejected=[(row("text/bad.txt", "text/bad.txt", path="text/bad.txt", content=b"caf\xe9 <b>"), "text/bad.txt: not UTF-8")],
        ),
        write(folder, "sources/filtered_papers", JUNE, [row("paper-1", "text/a.txt", title="Rare words", text=first)]),
        write(folder, "sources/talks", JUNE, [row("talk-1", "talks/a.txt", title="Rare words", words=words)]),
        write(
            folder, "sources/sentences", JUNE,
            [row(f"sentence-{at}", "paper-1", text=text, start=at, end=at + 5, locator=f"line {at}") for at, text in enumerate([first, second])],
            [(row("sentence-9", "paper-1", text="2.", start=7, end=9, locator="line 9"), "short", 2.0)],
        ),
        write(folder, "talksumm/pairs", JUNE, [row("pair-1", "talk-1", "paper-1", paper_title="Rare words", words=words, sentences=listed)]),
        write(
            folder, "talksumm/alignments", JUNE,
            [row("state-0", "pair-1", "sentence-0", text=first, count=2, spans=[{"first": 1, "last": 2}], **state)],
            [(row("state-1", "pair-1", "sentence-1", text=second, **state), "zero_count", 0.0)],
        ),
        write(folder, "talksumm/summaries", JUNE, [row("summary-1", "state-0", text=first, budget="words_150", words=4, **state)]),
        write(
            folder, "talksumm/training_sets", "",
            [row("example-1", "summary-1", title="Rare words", sentences=[first, second], labels=[1, 0], summary=first)],
        ),
    )  # fmt: skip


def site(
    folder: Path,
    everything: Everything,
    text_pair: Mapping[str, tuple[str, str]] | None = None,
    pages_of: Mapping[str, str] | None = None,
) -> Path:
    """Write the pages of rows and lineage, and return their folder."""
    numbers = {
        name: dataclasses.replace(
            one,
            dataset=dataclasses.replace(
                one.dataset, text_pair=(text_pair or {}).get(name, one.dataset.text_pair)
            ),
        )
        for name, one in counted(everything).items()
    }
    with opened(everything, lineage.NAMED) as ancestry:
        shown = {name: sample(ancestry, name) for name in numbers}
        files = [*rows.pages(ancestry, numbers, shown, pages_of), *lineage.pages(ancestry, shown)]
    root = write_site(folder, files)
    # targets of links, made by other code
    for name in ("index.html", "what-if.html", "talks.html", "tuning.html"):
        (root / name).touch()
    return root
