"""Train the pronoun ranker on GAP's development set.

    python benchmarks/coreference_training.py gap-development.tsv.gz [--seed 0] [--folds 5] [--out FILE]

Belongs here: the steps of training, cross-validation, calibration. Not here: the fit
(coreference_network.py), GAP itself (gap.py). Without --out, only the results of the cross-validation are
printed, and nothing is written.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.orchestration.process import prepare

prepare()  # it pins the numeric kernels before numpy is loaded

import numpy as np
import typer
from sklearn.linear_model import LogisticRegression

from benchmarks import gap
from benchmarks.coreference_network import Lists, fit, save, teach, together
from silverloom.ops.coreference.entities import Antecedent, Reading
from silverloom.ops.coreference.feature_names import WIDTH
from silverloom.ops.coreference.network import WEIGHTS, Network, calibrated
from silverloom.ops.coreference.ranker import Resolved, resolve
from silverloom.ops.coreference.titles import with_title
from silverloom.ops.coreference.tokens import DocumentTokens
from silverloom.ops.models.spacy_pipeline import spacy_pipeline

#: Number of networks that are averaged.
_MEMBERS = 3

_BINS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class ParsedExample:
    """A GAP example with its parse."""

    example: gap.GapExample
    reading: Reading
    offsets: list[tuple[int, int]]
    """The character span of each token."""

    def without_title(self) -> ParsedExample:
        """Return the same text without its page's title."""
        tokens = dataclasses.replace(self.reading.tokens, title=None)
        return dataclasses.replace(self, reading=dataclasses.replace(self.reading, tokens=tokens))

    def is_target(self, item: Resolved) -> bool:
        """Return whether a pronoun is the one that the example is about."""
        return self.offsets[item.anaphor.mention.start][0] == self.example.offset

    def named(self, candidate: Antecedent) -> tuple[bool, bool]:
        """Return whether a candidate has a mention that overlaps name A, and one that overlaps B."""
        spans = [(self.offsets[m.start][0], self.offsets[m.end - 1][1]) for m in candidate.entity.mentions]
        first, second = (any(name.overlaps(*span) for span in spans) for name in self.example.names)
        return first, second

    def target(self, item: Resolved) -> list[float] | None:
        """Return 1 for each possible antecedent, with "none" last; None if the parse misses the name."""
        meant = [name.meant for name in self.example.names]
        named = [self.named(candidate) for candidate in item.candidates]
        positive = [bool((a and meant[0]) or (b and meant[1])) for a, b in named]
        if any(meant):
            return [*map(float, positive), 0.0] if any(positive) else None
        return [*(float(not (a or b)) for a, b in named), 1.0]


#: Each example with its resolved pronoun; None if the parse has no such pronoun.
TrainingResult: TypeAlias = list[tuple[ParsedExample, Resolved | None]]


def texts(file: Path) -> list[ParsedExample]:
    """Return the examples of a file with titles, parsed by the default pipeline."""
    examples = gap.read(file)
    nlp = spacy_pipeline()
    documents = nlp.pipe(with_title(nlp.make_doc(example.text), example.title) for example in examples)
    return [
        ParsedExample(
            example,
            Reading.of(DocumentTokens.of(document)),
            [(token.idx, token.idx + len(token)) for token in document],
        )
        for example, document in zip(examples, documents, strict=True)
    ]


def train(corpus: Sequence[ParsedExample], seed: int) -> Network:
    """Return an uncalibrated network.

    A first network resolves earlier pronouns, whose results are features of later ones. Boosted trees and
    further networks, fitted to the annotated pronouns, then predict the other pronouns. The final networks
    learn from both, and their scores are averaged. Each text is used with and without its title, so that the
    network works for both.
    """
    corpus = [*corpus, *(text.without_title() for text in corpus)]
    unread = _untrained()
    marked, _ = _lists(corpus, unread)
    first = fit(marked, seed)
    marked, others = _lists(corpus, first)
    lists = marked + teach(marked, others, seed)
    return together([fit(lists, seed + number) for number in range(_MEMBERS)])


def decisions(corpus: Sequence[ParsedExample], network: Network) -> TrainingResult:
    """Return the examples with a network's result for their pronouns."""
    results: TrainingResult = []
    for text in corpus:
        items = resolve(text.reading, network)
        results.append((text, next((item for item in items if text.is_target(item)), None)))
    return results


def decided(text: ParsedExample, item: Resolved | None) -> tuple[bool, bool]:
    """Return whether the most probable candidate is name A, and whether it is name B."""
    if item is None or int(item.probabilities.argmax()) == len(item.candidates):
        return False, False
    return text.named(item.candidates[int(item.probabilities.argmax())])


def _untrained() -> Network:
    nothing, none = np.zeros(WIDTH), np.zeros((WIDTH, 1))
    single = np.zeros(1)
    return Network(
        nothing, nothing, none, single, single, nothing, none, single, single, single, np.array([1.0, 0.0])
    )


def _lists(corpus: Sequence[ParsedExample], network: Network) -> tuple[Lists, Lists]:
    """Return the annotated pronouns, and the others; `network` resolves the pronouns before them."""
    marked: list[tuple[list[list[float]], list[float]]] = []
    others: list[tuple[list[list[float]], list[float]]] = []
    for text in corpus:
        for item in resolve(text.reading, network):
            if not item.candidates:
                continue
            if not text.is_target(item):
                others.append((item.rows, [0.0] * len(item.rows)))
            elif (target := text.target(item)) is not None:
                marked.append((item.rows, target))
    first, second = (Lists.of([r for r, _ in part], [t for _, t in part]) for part in (marked, others))
    return first, second


def outcomes(results: TrainingResult) -> list[tuple[float, bool]]:
    """Return the best candidate's probability and whether it is right, for pronouns that GAP decides."""
    known: list[tuple[float, bool]] = []
    for text, item in results:
        if item is None or not item.candidates:
            continue
        best = int(item.probabilities[:-1].argmax())
        meant = [name.meant for name in text.example.names]
        a, b = text.named(item.candidates[best])
        if any(meant) or a or b:
            known.append((float(item.probabilities[best]), bool((a and meant[0]) or (b and meant[1]))))
    return known


def platt(known: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Return slope and intercept of Platt scaling (1999), from log-odds to those of being right."""
    odds = [[np.log(p / (1.0 - p))] for p in np.clip([p for p, _ in known], 1e-6, 1.0 - 1e-6)]
    model = LogisticRegression(C=1e6).fit(odds, [right for _, right in known])
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def report(results: TrainingResult) -> str:
    """Return precision, recall and F1, overall and by gender, as text."""
    lines = []
    for title, genders in (("all", (True, False)), ("feminine", (True,)), ("masculine", (False,))):
        chosen = [(text, item) for text, item in results if text.example.feminine in genders]
        scored = gap.score((text.example, decided(text, item)) for text, item in chosen)
        lines.append(f"{title:<10} P {scored.precision:5.1f}  R {scored.recall:5.1f}  F1 {scored.f1:5.1f}")
    return "\n".join(lines)


def reliability(known: Sequence[tuple[float, bool]]) -> str:
    """Return a table of how many pronouns are right, by range of the best candidate's score."""
    lines = ["score        pronouns  mean score  right"]
    for low, high in itertools.pairwise(_BINS):
        inside = [(p, right) for p, right in known if low <= p < high]
        if inside:
            mean = sum(p for p, _ in inside) / len(inside)
            share = sum(right for _, right in inside) / len(inside)
            lines.append(f"{low:.1f} to {high:.1f}   {len(inside):8}  {mean:10.3f}  {share:5.3f}")
    return "\n".join(lines)


def main(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="gap-development.tsv.gz")],
    seed: int = 0,
    folds: int = 5,
    out: Annotated[
        Path | None, typer.Option(help=f"Where to write the weights; the project's: {WEIGHTS.name}")
    ] = None,
) -> None:
    """Cross-validate and calibrate the pronoun ranker, train it on all examples, and write its weights."""
    corpus = texts(file)
    parts: list[tuple[TrainingResult, TrainingResult]] = []
    for fold in range(folds):
        held = corpus[fold::folds]
        ranker = train([text for index, text in enumerate(corpus) if index % folds != fold], seed)
        parts.append((decisions(held, ranker), decisions([text.without_title() for text in held], ranker)))
        with_titles, without = map(_f1, parts[-1])
        print(
            f"fold {fold + 1} of {folds}: F1 {with_titles:.1f}, without titles {without:.1f}",
            flush=True,
        )
    for name, results in zip(
        ("with the titles of the pages", "without"), zip(*parts, strict=True), strict=True
    ):
        known = [outcomes(part) for part in results]
        print(f"\n{name}\n{report(list(itertools.chain(*results)))}\n{reliability(_checked(known))}")
    if out:
        slope, intercept = platt([pair for part in parts for results in part for pair in outcomes(results)])
        last = dataclasses.replace(train(corpus, seed), calibration=np.array([slope, intercept]))
        save(last, out)
        print(f"wrote {out}: {out.stat().st_size} bytes")


def _checked(known: Sequence[Sequence[tuple[float, bool]]]) -> list[tuple[float, bool]]:
    """Return the probabilities of each part, calibrated on the other parts."""
    checked: list[tuple[float, bool]] = []
    for index, held in enumerate(known):
        slope, intercept = platt(
            [pair for place, part in enumerate(known) if place != index for pair in part]
        )
        checked += [(calibrated(p, slope, intercept), right) for p, right in held]
    return checked


def _f1(results: TrainingResult) -> float:
    return gap.score((text.example, decided(text, item)) for text, item in results).f1


if __name__ == "__main__":
    typer.run(main)
