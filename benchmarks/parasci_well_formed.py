"""ParaSCI's score of well-formedness: which damage to sound sentences it finds, kind by kind.

    python benchmarks/parasci_well_formed.py ABSTRACTS.jsonl.gz [--sentences 2000] [--seed 0]

Reads sentences of abstracts (JSONL: {"id": ..., "abstract": ...}), of 8 to 45 words, without citation marks,
and damages each as extraction from PDF does: words lost, torn ends, two sentences glued, merged and split
words, footnote numbers, half marks, lines of authors and of results. Prints for each kind the AUC of damaged
against undamaged sentences, and the share of the damaged that are dropped at the bounds of params.yaml; and
the share of the undamaged that are kept. Abstracts have damage of their own, which counts as sound.

Not here: sentences that people labelled (docs/reports/parasci-consistency.md), single marks
(tests/ops/parasci/test_well_formed.py).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.assets.declare.params_file import section
from silverloom.ops.parasci.dataset.filtered import FilterParams
from silverloom.ops.parasci.marks import without_marks
from silverloom.ops.parasci.sentences import StatementParams
from silverloom.ops.parasci.well_formed import well_formed
from silverloom.ops.text.sentences import sentence_spans
from silverloom.ops.text.words import STOP_WORDS

#: Words of a sentence that is damaged, at least and at most.
SHORTEST, LONGEST = 8, 45

#: Makes a damaged sentence out of a sound one and another sound one.
Damage = Callable[[str, str, random.Random], str]

NAMES = ["Wei", "Anna", "Maria", "Peter", "Jun", "Carla", "Ivo", "Sofia", "Tom", "Lena", "Noor", "Hugo"]
SURNAMES = ["Novak", "Lindholm", "Tanaka", "Okoro", "Marsh", "Keller", "Duarte", "Petrov", "Sandberg", "Ito"]
PLACES = ("University of Northfield", "Institute of Informatics", "Harbour Research Lab")


def lost(wanted: Callable[[str], bool], most: int) -> Damage:
    """Return the damage that takes out 1 to `most` neighbouring words, the first of which is wanted."""

    def damage(sentence: str, _: str, chance: random.Random) -> str:
        words = sentence.split()
        places = [place for place in range(1, len(words) - 1) if wanted(words[place].lower())]
        place = chance.choice(places or [1])
        return " ".join([*words[:place], *words[place + chance.randint(1, most) :]])

    return damage


def torn(first: bool, stopped: bool = False) -> Damage:
    """Return the damage that takes out a sentence's beginning or its end, which may have its full stop."""

    def damage(sentence: str, _: str, chance: random.Random) -> str:
        words = sentence.split()
        place = chance.randint(len(words) // 4 + 1, 3 * len(words) // 4)
        left = words[place:] if first else words[:place]
        return " ".join(left) + "." * stopped

    return damage


def glued(sentence: str, other: str, chance: random.Random) -> str:
    """Return a sentence that goes on in the midst of another one, or from its beginning without a stop."""
    words, others = sentence.split(), other.split()
    if chance.random() < 0.5:
        return f"{sentence.rstrip('.')} {other}"
    return " ".join([*words[: chance.randint(3, len(words) - 3)], *others])


def within(spoilt: Callable[[str, str, random.Random], str]) -> Damage:
    """Return the damage that changes a word of four letters or more, given the next one."""

    def damage(sentence: str, _: str, chance: random.Random) -> str:
        words = sentence.split()
        places = [
            place for place in range(1, len(words) - 1) if words[place].isalpha() and len(words[place]) > 3
        ]
        place = chance.choice(places or [1])
        return " ".join([*words[:place], spoilt(words[place], words[place + 1], chance), *words[place + 2 :]])

    return damage


def split_word(word: str, after: str, chance: random.Random) -> str:
    """Return a word with a space in it."""
    place = chance.randint(2, len(word) - 2)
    return f"{word[:place]} {word[place:]} {after}"


def half_mark(word: str, after: str, chance: random.Random) -> str:
    """Return a word with half of a citation mark behind it."""
    name, year = chance.choice(SURNAMES), chance.randint(1990, 2020)
    halves = (
        f"({name} et al.,",
        f"{year})",
        f"({name},",
        f"[{chance.randint(1, 40)}",
        f"et al., {year})",
        "(e.g., )",
    )
    return f"{word} {chance.choice(halves)} {after}"


def footnote(word: str, after: str, chance: random.Random) -> str:
    """Return a word with the number of a footnote on it or behind it."""
    gap = chance.choice(("", "", " "))
    return f"{word}{gap}{chance.randint(1, 30)} {after}"


def authors(sentence: str, _: str, chance: random.Random) -> str:
    """Return a line of authors and their institution, by chance with their address or before a sentence."""
    people = [f"{chance.choice(NAMES)} {chance.choice(SURNAMES)}" for _ in range(chance.randint(2, 4))]
    address = chance.choice(("", f" {{a,b}}@{chance.choice(SURNAMES).lower()}.example", " Abstract"))
    line = f"{chance.choice((', ', ' ')).join(people)} {chance.choice(PLACES)}{address}"
    return chance.choice((line, f"{line} {sentence}"))


def results(_: str, __: str, chance: random.Random) -> str:
    """Return a row of a table."""
    names = chance.sample(("Baseline", "Model", "P", "R", "F1", "BLEU", "Ours", "Accuracy", "Dev", "Test"), 5)
    return " ".join(f"{name} {chance.randint(100, 999) / 10}" for name in names)


DAMAGES: Mapping[str, Damage] = {
    "function words lost": lost(lambda word: word in STOP_WORDS, 1),
    "a content word lost": lost(lambda word: word.isalpha() and word not in STOP_WORDS, 1),
    "up to three words lost": lost(str.isalpha, 3),
    "torn beginning": torn(first=True),
    "torn end": torn(first=False),
    "torn end with a full stop": torn(first=False, stopped=True),
    "two sentences glued": glued,
    "two words merged": within(lambda word, after, _: word + after),
    "a word split": within(split_word),
    "half a citation mark": within(half_mark),
    "number of a footnote": within(footnote),
    "a line of authors": authors,
    "a row of results": results,
}


def auc(damaged: list[float], sound: list[float]) -> float:
    """Return the probability that a damaged sentence scores less than a sound one; half for a tie."""
    ranks = rankdata([*damaged, *sound])
    above = ranks[len(damaged) :].sum() - len(sound) * (len(sound) + 1) / 2
    return float(above / len(damaged) / len(sound))


def sentences(path: Path) -> list[str]:
    """Return the distinct sentences of abstracts, without citation marks, of a usual length."""
    found: dict[str, None] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            text = " ".join((json.loads(line)["abstract"] or "").split())
            found.update(dict.fromkeys(without_marks(text[start:end]) for start, end in sentence_spans(text)))
    return [text for text in found if SHORTEST <= len(text.split()) <= LONGEST]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311
    drawn = chance.sample(sentences(options.abstracts), options.sentences)
    sound = [well_formed(text) for text in drawn]
    bounds = section(StatementParams).well_formed, section(FilterParams).well_formed
    print(f"{len(drawn)} sentences; bounds {bounds[0]} and {bounds[1]}")
    print("kept of undamaged: " + ", ".join(f"{np.mean(np.array(sound) >= bound):.1%}" for bound in bounds))
    every: list[float] = []
    for name, damage in DAMAGES.items():
        others = chance.sample(drawn, len(drawn))
        damaged = [
            well_formed(damage(text, other, chance)) for text, other in zip(drawn, others, strict=True)
        ]
        every += damaged
        print(f"{name:28} {_told(damaged, sound, bounds)}")
    print(f"{'all':28} {_told(every, sound, bounds)}")


def _told(damaged: list[float], sound: list[float], bounds: tuple[float, float]) -> str:
    dropped = ", ".join(f"{np.mean(np.array(damaged) < bound):4.0%}" for bound in bounds)
    return f"AUC {auc(damaged, sound):.2f}, dropped {dropped}"


if __name__ == "__main__":
    main()
