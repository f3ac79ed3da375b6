"""The ranker's accuracy on GAP, and its cost against a bare parse of the same text.

    python benchmarks/coreference.py gap-validation.tsv.gz [--passes 3]

GAP's scoring (Webster et al., 2018, section 4): two decisions per example; the names are not given. A name
counts as the referent if a mention in the cluster of the pronoun's best antecedent overlaps it. Texts are
read with their page titles, as in annotation, and again without. Time is processor time of one process; the
bare and the whole pipeline take turns over the same batches of texts.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from benchmarks import gap

BATCH = 128
#: Bootstrap resamples behind each 95 % interval.
RESAMPLES = 1000


def decisions(
    example: gap.GapExample, document: Doc, groups: Sequence[Sequence[tuple[int, int]]]
) -> tuple[bool, bool]:
    """Return whether the cluster of an example's pronoun contains name A, and name B."""
    places = [(token.idx, token.idx + len(token)) for token in document]
    here = next((i for i, place in enumerate(places) if place[0] == example.offset), -1)
    mentions = next((group for group in groups if (here, here + 1) in group), [])
    spans = [(places[start][0], places[end - 1][1]) for start, end in mentions if start != here]
    first, second = (any(name.overlaps(*span) for span in spans) for name in example.names)
    return first, second


def report(decided: list[tuple[gap.GapExample, tuple[bool, bool]]]) -> None:
    """Print precision, recall and F1, with a bootstrap interval over examples."""
    from benchmarks import gap

    for title, genders in (("all", (True, False)), ("feminine", (True,)), ("masculine", (False,))):
        chosen = [each for each in decided if each[0].feminine in genders]
        scored = gap.score(chosen)
        draws = random.Random(0)  # noqa: S311
        drawn = sorted(gap.score(draws.choices(chosen, k=len(chosen))).f1 for _ in range(RESAMPLES))
        low, high = drawn[RESAMPLES // 40], drawn[-RESAMPLES // 40 - 1]
        print(
            f"{title:<10} P {scored.precision:5.1f}  R {scored.recall:5.1f}  F1 {scored.f1:5.1f}"
            f"  ({low:.1f} to {high:.1f})"
        )


def main() -> None:
    """Print F1 overall and by gender, and words per second with and without coreference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="a file of GAP")
    parser.add_argument("--passes", type=int, default=3)
    wanted = parser.parse_args()
    if not wanted.file.is_file():
        parser.error(f"{wanted.file}: no such file: GAP is not part of the project, give its path")
    from benchmarks import gap
    from silverloom.ops.coreference.links import clusters
    from silverloom.ops.coreference.ranker import ranker
    from silverloom.ops.coreference.titles import with_title
    from silverloom.ops.discofuse.dataset.pipeline import annotator

    examples = gap.read(wanted.file)
    nlp = annotator()
    find = ranker()
    for titles in (True, False):
        documents = nlp.pipe(
            with_title(nlp.make_doc(example.text), example.title if titles else None) for example in examples
        )
        decided = [
            (example, decisions(example, document, clusters(find(document), 0.0, 1.1)))
            for example, document in zip(examples, documents, strict=True)
        ]
        print("with page titles" if titles else "without page titles")
        report(decided)

    texts = [example.text for example in examples]
    seconds = {"bare": 0.0, "whole": 0.0}
    words = 0
    for turn in range(wanted.passes):
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            for name in ("bare", "whole") if (turn + start // BATCH) % 2 else ("whole", "bare"):
                with nlp.select_pipes(disable=["coreference"] if name == "bare" else []):
                    began = time.process_time()
                    documents = list(nlp.pipe(batch))
                    seconds[name] += time.process_time() - began
            words += sum(map(len, documents))
    for name, spent in seconds.items():
        print(f"{name:<6} {words / spent:9,.0f} words per second of processor time")
    print(
        f"the whole pipeline runs at {100 * seconds['bare'] / seconds['whole']:.1f} % of the bare one's speed"
    )


if __name__ == "__main__":
    main()
