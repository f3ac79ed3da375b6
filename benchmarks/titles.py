"""Whether the preselected titles for a talk contain its nearest title, and the time that they take.

    python benchmarks/titles.py ABSTRACTS.jsonl.gz [--talks 600]

Titles come from a table of papers (JSON Lines with `title`). Talks have copies of them: unchanged, the main
title only, with 8 % of the characters misread, with 20 % of the words misheard, with a venue, or with a
speaker. The same talks are also compared with every title, the slow way, and with all titles but their own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from silverloom.ops.core.joins import stored
from silverloom.ops.core.parts import OneProcess, Parts, temporary_folder
from silverloom.ops.talksumm.matching import CANDIDATES, matches
from silverloom.ops.talksumm.pairing import PairParams
from silverloom.ops.talksumm.talk_titles import bare_titles
from silverloom.ops.talksumm.title_similarity import Titles, form

AT_ONCE = 200
VENUES = ("{} | Oral | ACL 2018", "ACL 2018: {}", "[EMNLP 2019] {}", "{} (Long Paper, NAACL 2019)")
SPEAKERS = ("{1}: {0}", "{0} - {1}", "{0} by {1}", "{1} | {0} | ACL 2018")
NAMES = ("Ada Lovelace", "Jane Q. Doe", "Wei Zhang", "Maria de la Cruz")
_ROWS = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "document", "licence", "title")),
        ("paper_names", pa.list_(pa.struct([("column", pa.string()), ("name", pa.string())]))),
    ]
)


def misread(title: str, random: random.Random) -> str:
    """Return a title with 8 % of its characters replaced."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "".join(random.choice(letters) if random.random() < 0.08 else letter for letter in title)


def misheard(title: str, random: random.Random, words: Sequence[str]) -> str:
    """Return a title with 20 % of its words replaced by others."""
    return " ".join(random.choice(words) if random.random() < 0.2 else word for word in title.split())


def rows(titles: Sequence[str], folder: Path) -> Parts:
    """Return titles as the parts of a dataset."""
    ids = [f"{number:07d}" for number in range(len(titles))]
    table = pa.table([ids, ids, ["MIT"] * len(ids), list(titles), [[]] * len(ids)], _ROWS)
    pieces = (table.slice(first, AT_ONCE) for first in range(0, len(titles), AT_ONCE))
    return stored(pieces, _ROWS, Parts(_ROWS, (), OneProcess()), folder)


def near(talks: Sequence[str], papers: Sequence[str]) -> list[list[tuple[float, str]]]:
    """Return each talk's nearest titles as the op finds them."""
    with temporary_folder() as folder:
        found = matches(rows(talks, folder / "talks"), rows(papers, folder / "papers"))
        candidates = [row for outcome in found for row in outcome.kept["candidates"].to_pylist()]
    return [[(row["score"], form(row["title"]).letters) for row in listed] for listed in candidates]


def nearest(talks: Sequence[str], papers: Sequence[str]) -> list[list[tuple[float, str]]]:
    """Return each talk's nearest titles after comparing all."""
    titles = Titles(papers)
    found = []
    for talk in talks:
        versions = [version.weight * titles.similarities(version.title) for version in bare_titles(talk)]
        scores = np.max(versions, axis=0).round(6)
        best: dict[str, float] = {}
        for place in np.argsort(-scores, kind="stable")[:50].tolist():
            best.setdefault(titles.forms[place].letters, float(scores[place]))
        found.append([(score, letters) for letters, score in best.items() if score > 0][:CANDIDATES])
    return found


def decision(listed: Sequence[tuple[float, str]]) -> tuple[str, bool] | None:
    """Return the title that is near enough, and whether it is unambiguous; None if none is near enough."""
    params = PairParams()
    if not listed or listed[0][0] < params.threshold:
        return None
    return listed[0][1], len(listed) < 2 or listed[0][0] - listed[1][0] >= params.margin


def main() -> None:
    """Print, for each kind of copy, how often both find the same title, and how time grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--talks", type=int, default=600)
    given = parser.parse_args()
    with gzip.open(given.abstracts, "rt") as file:
        papers = list(dict.fromkeys(title for line in file if (title := json.loads(line).get("title"))))
    chance = random.Random(0)  # noqa: S311  not for security
    words = sorted({word for title in papers for word in title.split()})
    drawn = chance.sample(papers, given.talks)
    with_subtitle = [title for title in papers if ": " in title]
    copies: dict[str, Callable[[], list[tuple[str, str]]]] = {
        "unchanged": lambda: [(title, title) for title in drawn],
        "main title": lambda: [
            (title.partition(": ")[0], title)
            for title in chance.sample(with_subtitle, min(given.talks, len(with_subtitle)))
        ],
        "misread": lambda: [(misread(title, chance), title) for title in drawn],
        "misheard": lambda: [(misheard(title, chance, words), title) for title in drawn],
        "venue": lambda: [(chance.choice(VENUES).format(title), title) for title in drawn],
        "speaker": lambda: [
            (chance.choice(SPEAKERS).format(title, chance.choice(NAMES)), title) for title in drawn
        ],
    }
    print(f"{len(papers):,} titles, {given.talks} talks of each kind")
    for name, made in copies.items():
        talks, truths = zip(*made(), strict=True)
        exact, found = nearest(talks, papers), near(talks, papers)
        decided = [(decision(one), decision(other)) for one, other in zip(exact, found, strict=True)]
        same = sum(one == other for one, other in decided)
        print(f"{name:12} same result as comparing all: {same} of {len(talks)}")
        right = [
            (form(truth).letters, True) == chosen for truth, (_, chosen) in zip(truths, decided, strict=True)
        ]
        sure = sum(chosen is not None and chosen[1] for _, chosen in decided)
        gone = set(truths)
        absent = near(talks, [title for title in papers if title not in gone])
        wrong = sum(chosen is not None and chosen[1] for chosen in map(decision, absent))
        print(
            f"{'':12} {sum(right)} find their paper, {sure - sum(right)} another one; "
            f"if theirs is missing, {wrong} find another one"
        )
    taken = []
    for share in (4, 2, 1):
        some = papers[::share]
        began = time.process_time()
        near(drawn, some)
        taken.append(time.process_time() - began)
        print(f"{len(some):>9,} titles: {taken[-1]:.2f} s of processor time")
    print(f"exponent {np.polyfit(np.log([1, 2, 4]), np.log(taken), 1)[0]:.2f}")


if __name__ == "__main__":
    main()
