"""ParaSCI's ratings by readers: agreement, means, and the weights of parasci.scorer fitted to them.

    python benchmarks/parasci_ratings.py means [--counts intra=962,citations=460,definitions=67,partial=21]
    python benchmarks/parasci_ratings.py fit [--features least,weakest,names] [--sitting fit,fit2] [--authors]
    python benchmarks/parasci_ratings.py formats
    python benchmarks/parasci_ratings.py near
    python benchmarks/parasci_ratings.py curve SCORED.parquet... [--shift=-0.2,-0.1,0,0.1,0.2,0.4]

means   for each sitting: pairs, mean consistency by origin with a 95 % interval over pairs, kappa of raters.
        Given the number of pairs per origin (--counts), also the overall mean, and its difference from the
        authors': of all pairs, of those that were never rated before, from the authors' pairs of every
        evaluation, and by sheet. Also the authors' least similar pairs, up to our mean Self-BLEU. An origin
        that a sitting lacks is left out there, and the others keep their proportions
fit     ridge regression of a pair's mean rating on its features, with an offset for each origin: rank
        correlation with readers on held-out pairs, by sitting and origin, and on the authors'; its difference
        from that of F1 alone and of the default features, with 95 % intervals over pairs; calibration; for
        params.yaml, the weights, and the thresholds at which the expected rating of each origin is --rating.
        Pairs that lack a listed feature are left out. With --authors, the fit is to the authors' pairs of all
        sittings, so that every pair of ours is held out
formats of pairs of papers as PDF, in JATS and of unarXive: mean rating, how many are garbled, how many are
        paraphrases for the reader, and the rank correlation of the prediction with the rating
near    of our pairs whose prediction is below the threshold of their origin, by how far (the bounds of
        parasci.near_misses): their number, mean rating, and how many are rated 3 or less, and 4 or more
curve   for the parts of parasci/scored (data/parasci/scored/kept-*.parquet), with all thresholds on
        consistency in params.yaml shifted (--shift): the pairs that pass, the pairs that
        parasci/paraphrases draws, with their mean prediction, Self-BLEU and origins, and the mean that
        readers gave those rated pairs that would be drawn, weighted by origin like the drawn pairs, and its
        difference from the authors', both with 95 % intervals over pairs. The rated pairs are a random sample
        of what params.yaml keeps (--sitting), so there are none below

It reads benchmarks/ratings, which its README describes.
Not here: asking people (docs/how-to/human-evaluation.md).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.assets.declare.params_file import section
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import Part, Parts, temporary_folder
from silverloom.ops.parasci.dataset.filtered import FilterParams, filtered, limits_of, passes
from silverloom.ops.parasci.dataset.near_misses import NearMissParams
from silverloom.ops.parasci.dataset.paraphrases import ParaphraseParams, draw
from silverloom.ops.parasci.dataset.scorer import ScorerParams, consistency
from silverloom.ops.parasci.schemas import FILTERED, SCORED

RATINGS = Path(__file__).with_name("ratings")
FLOAT = NDArray[np.float64]

#: Sittings whose names begin so have a random sample of our pairs of each origin, not of a range of scores;
#: the latest one, of what params.yaml keeps, the others, of what it kept before.
RANDOM, LATEST = "evaluation", "evaluation3"

#: The sittings to whose pairs of ours the weights and thresholds of params.yaml were fitted.
FITTED = "fit,fit2,parts,evaluation,evaluation2"

#: The default features of the fit.
CHOSEN = ("f1", "covered_words")
RIDGE, FOLDS, REPEATS = 3.0, 10, 20


def read() -> tuple[list[dict[str, str]], dict[str, list[tuple[str, int]]]]:
    """Return the rated pairs, and the raters with their values by sitting and pair."""
    values: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for row in _rows("ratings.csv"):
        values[_key(row)].append((row["rater"], int(row["value"])))
    return [row for row in _rows("pairs.csv") if _key(row) in values], values


def _rows(name: str) -> list[dict[str, str]]:
    with (RATINGS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def interval(values: Sequence[float], seed: int = 0, resamples: int = 2000) -> tuple[float, float, float]:
    """Return mean and 95 % interval by resampling pairs."""
    found = np.array(values, np.float64)
    drawn = np.random.default_rng(seed).choice(found, (resamples, len(found)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(found.mean()), float(low), float(high)


def weighted_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Return Cohen's kappa of two raters with quadratic weights, values 1 to 5."""
    table = np.zeros((5, 5))
    np.add.at(table, (np.array(first) - 1, np.array(second) - 1), 1)
    weights = (np.arange(5)[:, None] - np.arange(5)) ** 2
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    return float(1 - (weights * table).sum() / (weights * expected).sum())


def of_all(rated: dict[str, list[float]], counts: dict[str, float], resamples: int = 2000) -> FLOAT:
    """Return the mean over origins in these shares, followed by its bootstrap resamples."""
    chance, total = np.random.default_rng(0), sum(counts.values())
    found = np.zeros(resamples + 1)
    for origin, count in counts.items():
        values = np.array(rated[origin])
        draws = chance.choice(values, (resamples, len(values))).mean(axis=1)
        found += count / total * np.concatenate([[values.mean()], draws])
    return found


def means(options: argparse.Namespace) -> None:
    """Print means by sitting and origin, and the agreement of raters."""
    pairs, values = read()
    for sitting in dict.fromkeys(row["sitting"] for row in pairs):
        its = [row for row in pairs if row["sitting"] == sitting]
        rated_of = by_origin(its, values)
        print(f"\n{sitting}: {len(its)} pairs")
        ours = [value for origin, found in rated_of.items() if origin != "authors" for value in found]
        for origin, rated in [*([("ours", ours)] if ours else []), *sorted(rated_of.items())]:
            four = np.mean(np.array(rated) >= 4)
            print(f"  {origin:12} {len(rated):4} {told(interval(rated))}, {four:.0%} >= 4")
        if sitting.startswith(RANDOM):
            varied = [row for row in its if row["origin"] == "authors"]
            varied.sort(key=lambda row: float(row["self_bleu"]))
            copied = np.cumsum([float(row["self_bleu"]) for row in varied]) / np.arange(1, len(varied) + 1)
            like = by_origin(varied[: int((copied <= options.mean).sum())], values)["authors"]
            print(f"  authors, varied {len(like)} {told(interval(like))}")
            if options.counts:
                comparisons(pairs, values, sitting, options.counts)
        agreement(its, values)


def by_origin(
    pairs: Sequence[dict[str, str]], values: dict[str, list[tuple[str, int]]]
) -> dict[str, list[float]]:
    """Return the mean ratings of pairs, by origin."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in pairs:
        found[row["origin"]].append(rating(row, values))
    return found


def comparisons(
    pairs: Sequence[dict[str, str]],
    values: dict[str, list[tuple[str, int]]],
    sitting: str,
    counts: dict[str, float],
) -> None:
    """Print the mean of our pairs of a sitting, in these shares, and what it is above the authors'."""
    names = list(dict.fromkeys(row["sitting"] for row in pairs))
    former: dict[str, list[float]] = defaultdict(list)
    for row in pairs:
        if names.index(row["sitting"]) < names.index(sitting):
            former[row["scored_id"]].append(rating(row, values))
    its = [row for row in pairs if row["sitting"] == sitting]
    new = [row for row in its if row["origin"] == "authors" or row["scored_id"] not in former]
    authors = [row for row in pairs if row["sitting"].startswith(RANDOM) and row["origin"] == "authors"]
    ours_and_theirs = {
        "all of ours": (its, its),
        "never rated before": (new, its),
        "against the authors' of all evaluations": (its, authors),
    }
    sheets = sorted({sheet_of(row, values) for row in its})
    for sheet in sheets if len(sheets) > 1 else ():
        on_sheet = [row for row in its if sheet_of(row, values) == sheet]
        ours_and_theirs[f"sheet {sheet}, unweighted"] = on_sheet, on_sheet
    for name, (first, second) in ours_and_theirs.items():
        rated = by_origin(first, values)
        shares = {origin: count for origin, count in counts.items() if origin in rated}
        if name.startswith("sheet"):
            shares = {origin: float(len(rated[origin])) for origin in shares}
        ours, theirs = of_all(rated, shares), of_all(by_origin(second, values), {"authors": 1})
        more = told(bounds(ours - theirs))
        print(f"  {name:41} {told(bounds(ours))}, theirs {theirs[0]:.2f}: {more} above")
    for name in ("ours", "authors"):
        again = [
            row
            for row in its
            if row["scored_id"] in former and (row["origin"] == "authors") == (name == "authors")
        ]
        if again:
            then = np.mean([np.mean(former[row["scored_id"]]) for row in again])
            now = np.mean([rating(row, values) for row in again])
            print(f"  {name}, {len(again)} rated before: {then:.2f}, now {now:.2f}")


def sheet_of(row: dict[str, str], values: dict[str, list[tuple[str, int]]]) -> str:
    """Return the sheet on which a pair was rated: the first letter of its readers."""
    return values[_key(row)][0][0][0]


def agreement(pairs: Sequence[dict[str, str]], values: dict[str, list[tuple[str, int]]]) -> None:
    """Print how far each two raters of a sitting agree."""
    of_pair = [dict(values[_key(row)]) for row in pairs]
    for first, second in combinations(sorted({rater for rated in of_pair for rater in rated}), 2):
        both = [(one[first], one[second]) for one in of_pair if {first, second} <= one.keys()]
        if both:
            left, right = zip(*both, strict=True)
            near = np.mean(np.abs(np.subtract(left, right)) <= 1)
            kappa, rank = weighted_kappa(left, right), spearmanr(left, right)[0]
            print(
                f"  {first}, {second}: {len(both)} pairs, weighted kappa {kappa:.2f}, "
                f"rank correlation {rank:.2f}, within one {near:.0%}"
            )


def bounds(draws: FLOAT) -> tuple[float, float, float]:
    """Return a value with the 95 % interval of its resamples, which follow it."""
    low, high = np.percentile(draws[1:], [2.5, 97.5])
    return float(draws[0]), float(low), float(high)


def told(found: Sequence[float]) -> str:
    """Return a mean and its 95 % interval as text."""
    mean, low, high = found
    return f"{mean:.2f} ({low:.2f} to {high:.2f})"


class Fit(NamedTuple):
    """A regression of ratings on features, with an offset for each origin."""

    weights: FLOAT
    offsets: dict[str, float]

    def predict(self, features: FLOAT, origins: Sequence[str]) -> FLOAT:
        """Return the ratings of N pairs from N x F features; an unknown origin has the mean offset."""
        mean = float(np.mean(list(self.offsets.values())))
        return features @ self.weights + np.array([self.offsets.get(origin, mean) for origin in origins])


def ridge(features: FLOAT, ratings: FLOAT, origins: Sequence[str], strength: float = RIDGE) -> Fit:
    """Fit weights to N x F features within origins, standardised for the penalty, and offsets."""
    of_pair = np.array(origins)
    own = {origin: of_pair == origin for origin in dict.fromkeys(origins)}
    inputs, wanted = features.copy(), ratings.copy()
    for its in own.values():
        inputs[its] -= features[its].mean(0)
        wanted[its] -= ratings[its].mean()
    scale = np.maximum(inputs.std(0), 1e-9)
    inputs /= scale
    penalised = inputs.T @ inputs + strength * np.eye(inputs.shape[1])
    weights = np.linalg.solve(penalised, inputs.T @ wanted) / scale
    left = ratings - features @ weights
    return Fit(weights, {origin: float(left[its].mean()) for origin, its in own.items()})


def formats(_: argparse.Namespace) -> None:
    """Print what a reader said of pairs by the format of their papers."""
    pairs = _rows("pairs_of_formats.csv")
    for corpus in ("all", *sorted({row["corpus"] for row in pairs})):
        its = [row for row in pairs if corpus in ("all", row["corpus"])]
        rated, predicted = ([float(row[name]) for row in its] for name in ("value", "predicted"))
        garbled, good = (sum(row[name] == "1" for row in its) for name in ("garbled", "paraphrase"))
        print(
            f"{corpus:8} {len(its):3} pairs, {np.mean(rated):.2f}, {garbled} garbled, {good} paraphrases, "
            f"rank correlation {spearmanr(predicted, rated)[0]:.2f}"
        )


def held_out(features: FLOAT, ratings: FLOAT, origins: Sequence[str], seed: int) -> FLOAT:
    """Return predictions for N pairs, each by a fit without it."""
    fold = np.random.default_rng(seed).permutation(len(ratings)) % FOLDS
    found, of_pair = np.zeros(len(ratings)), np.array(origins)
    for number in range(FOLDS):
        its = fold == number
        found[its] = ridge(features[~its], ratings[~its], of_pair[~its]).predict(features[its], of_pair[its])
    return found


def ahead(better: FLOAT, worse: FLOAT, ratings: FLOAT) -> str:
    """Return how much better N predictions rank N pairs than others do, with a 95 % interval over pairs."""
    draws = np.random.default_rng(0).integers(0, len(ratings), (2000, len(ratings)))
    found = [
        spearmanr(better[its], ratings[its])[0] - spearmanr(worse[its], ratings[its])[0] for its in draws
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return f"{np.mean(found):.3f} ({low:.3f} to {high:.3f})"


def _key(row: dict[str, str]) -> str:
    return row["sitting"] + row["pair"]


def rating(row: dict[str, str], values: dict[str, list[tuple[str, int]]]) -> float:
    """Return the mean rating of a pair."""
    return float(np.mean([value for _, value in values[_key(row)]]))


def _of_ours(sittings: Sequence[str], row: dict[str, str]) -> bool:
    return row["sitting"] in sittings and row["origin"] != "authors"


def _of_authors(row: dict[str, str]) -> bool:
    return row["origin"] == "authors"


def predicted_of(row: dict[str, str], scorer: ScorerParams) -> float:
    """Return the consistency that params.yaml predicts for a rated pair."""
    return consistency({name: float(row[name]) for name in scorer.weights}, scorer)


def _known(
    pairs: Sequence[dict[str, str]], names: Sequence[str], wanted: Callable[[dict[str, str]], bool]
) -> list[dict[str, str]]:
    """Return the wanted pairs for which all these features are known."""
    return [row for row in pairs if wanted(row) and all(row[name] for name in names)]


def fit(options: argparse.Namespace) -> None:
    """Print correlations on held-out pairs, calibration, and weights."""
    names = options.features.split(",")
    all_pairs, values = read()
    others = ("f1", "covered_words", "cosine", "least", "weakest", "self_bleu")
    ours = partial(_of_ours, options.sitting.split(","))
    fitted_to: Callable[[dict[str, str]], bool] = _of_authors if options.authors else ours
    pairs = _known(all_pairs, [*names, *others], fitted_to)

    def of_origin(rows: Sequence[dict[str, str]]) -> list[str]:
        return [row["origin"] for row in rows]

    def columns(chosen: Sequence[str], rows: Sequence[dict[str, str]] = pairs) -> FLOAT:
        return np.array([[float(row[name]) for name in chosen] for row in rows])

    ratings = np.array([rating(row, values) for row in pairs])

    @cache
    def fitted(chosen: tuple[str, ...]) -> tuple[Fit, dict[str, float]]:
        """Return the fit to all pairs, and held-out predictions by pair."""
        runs = [held_out(columns(chosen), ratings, of_origin(pairs), seed) for seed in range(REPEATS)]
        known = zip((row["scored_id"] for row in pairs), np.mean(runs, 0).tolist(), strict=True)
        return ridge(columns(chosen), ratings, of_origin(pairs)), dict(known)

    def predictions(chosen: Sequence[str], rows: Sequence[dict[str, str]]) -> FLOAT:
        """Return the predictions of pairs: held out if they are among the fitted ones."""
        found, known = fitted(tuple(chosen))
        new = found.predict(columns(chosen, rows), of_origin(rows))
        return np.array([known.get(row["scored_id"], value) for row, value in zip(rows, new, strict=True)])

    print(f"{len(pairs)} pairs; rank correlation with the mean rating, and error, on held-out pairs:")
    for chosen in dict.fromkeys([tuple(names), CHOSEN, *((name,) for name in others)]):
        found = predictions(chosen, pairs)
        error = np.sqrt(np.mean((found - ratings) ** 2))
        print(f"  {','.join(chosen):70} {spearmanr(found, ratings)[0]:.3f}  {error:.3f}")
    predicted = predictions(names, pairs)
    print("calibration, held out, by fifths of the prediction: predicted, rated")
    for its in np.array_split(np.argsort(predicted), 5):
        print(f"  {predicted[its].mean():.2f}  {ratings[its].mean():.2f}")
    random = sorted({row["sitting"] for row in all_pairs if row["sitting"].startswith(RANDOM)})
    samples: list[tuple[str, Callable[[dict[str, str]], bool]]] = [
        *((f"random pairs of ours, {name}", partial(_of_ours, [name])) for name in random),
        ("pairs of the authors", _of_authors),
    ]
    for sample, wanted in samples:
        rows = _known(all_pairs, [*names, *others], wanted)
        if not rows:
            continue
        rated, first = np.array([rating(row, values) for row in rows]), predictions(names, rows)
        print(f"rank correlation, {len(rows)} {sample}; lead of the first; predicted, rated:")
        print(f"  {options.features:70} {spearmanr(first, rated)[0]:.3f}")
        for chosen in (chosen for chosen in (CHOSEN, ("f1",)) if chosen != tuple(names)):
            found = predictions(chosen, rows)
            rank = spearmanr(found, rated)[0]
            print(f"  {','.join(chosen):70} {rank:.3f}  {ahead(first, found, rated)}")
        for origin in ("all", *sorted({row["origin"] for row in rows})):
            its = np.array([origin in ("all", row["origin"]) for row in rows])
            print(f"  {origin:12} {its.sum():4} {first[its].mean():.2f}  {rated[its].mean():.2f}")
    found = ridge(columns(names), ratings, of_origin(pairs))
    intercept = float((ratings - columns(names) @ found.weights).mean())
    listed = ", ".join(f"{name}: {weight:.3f}" for name, weight in zip(names, found.weights, strict=True))
    print(f"  scorer:\n    intercept: {intercept:.3f}\n    weights: {{{listed}}}\n  filtered:\n    origins:")
    for origin, limits in section(FilterParams).origins.items():
        if origin in found.offsets:
            least = options.rating + intercept - found.offsets[origin]
            print(f"      {origin}: {{consistency: {least:.2f}, length_rate: {limits.length_rate}}}")


def near(_: argparse.Namespace) -> None:
    """Print what readers said of pairs below the thresholds, by their distance."""
    filtering, scorer, params = section(FilterParams), section(ScorerParams), section(NearMissParams)
    pairs, values = read()
    known = _known(pairs, list(scorer.weights), lambda row: row["origin"] in filtering.origins)
    distances: dict[tuple[float, float], list[float]] = defaultdict(list)
    for row in known:
        short = limits_of(filtering, row["origin"]).consistency - predicted_of(row, scorer)
        for least, most in ((0.0, params.nearest), (params.nearest, params.farthest)):
            if least <= short < most:
                distances[least, most].append(rating(row, values))
    for (least, most), rated in sorted(distances.items()):
        low, high = np.mean(np.array(rated) <= 3), np.mean(np.array(rated) >= 4)
        print(f"{least} to {most}: {len(rated)}, {told(interval(rated))}, {low:.0%} <= 3, {high:.0%} >= 4")


def curve(options: argparse.Namespace) -> None:
    """Print what shifted thresholds would keep of an existing dataset, and what readers say of it."""
    from silverloom.orchestration.executors.parts import engine
    from silverloom.orchestration.files.parquet import write_outcomes

    scored = Parts(SCORED.kept, tuple(Part(str(path)) for path in options.scored), engine())
    mean = section(ParaphraseParams).mean_self_bleu
    print("shift  pass  drawn  predicted  Self-BLEU  rated, above the authors' (95 %)              by origin")
    for shift in options.shift:
        limits = shifted(section(FilterParams), shift)
        with temporary_folder() as folder:
            write_outcomes(folder, filtered(scored, limits), FILTERED)
            paths = sorted(folder.glob("kept-*.parquet"))
            passed = Parts(FILTERED.kept, tuple(Part(str(path)) for path in paths), engine())
            found = draw(passed, mean)
            stays = found.stays(mean)
            rows = list(passed.rows(["self_bleu", "surplus", "consistency", "origin"]))
            drawn = [row for row in rows if stays(row)]
        if drawn:
            origins = Counter(row["origin"] for row in drawn)
            predicted, copied = (
                np.mean([row[name] for row in drawn]) for name in ("consistency", "self_bleu")
            )
            said = _rated(limits, found.stays(mean), origins, options.sitting) if shift >= 0 else ""
            print(
                f"{shift:+5.2f} {len(rows):5}  {len(drawn):5}  {predicted:9.2f}  {copied:9.1f}  {said:55}  "
                f"{dict(origins.most_common())}"
            )


def shifted(params: FilterParams, shift: float) -> FilterParams:
    """Return the filter with every threshold on consistency raised by `shift`."""
    origins = {
        name: limits.model_copy(update={"consistency": round(limits.consistency + shift, 4)})
        for name, limits in params.origins.items()
    }
    return params.model_copy(update={"origins": origins})


def _rated(params: FilterParams, stays: Callable[[Row], bool], counts: dict[str, int], sitting: str) -> str:
    """Return the mean rating of rated pairs that would be drawn, and what it is above the authors' mean.

    Both have 95 % intervals; `counts` weigh the origins. Sittings whose names begin with `sitting` count.
    """
    pairs, values = read()
    scorer = section(ScorerParams)
    rated: dict[str, list[float]] = defaultdict(list)
    for row in _known(pairs, list(scorer.weights), lambda row: row["sitting"].startswith(sitting)):
        predicted = predicted_of(row, scorer)
        if row["origin"] != "authors":
            surplus = round(predicted - limits_of(params, row["origin"]).consistency, 2)
            pair = {"consistency": predicted, "surplus": surplus}
            pair |= {name: float(row[name]) for name in ("length_rate", "self_bleu")}
            if not (passes(pair, params, row["origin"]) and stays(pair)):
                continue
        rated[row["origin"]].append(rating(row, values))
    known = {name: count for name, count in counts.items() if name in rated}
    if not known:
        return "none"
    ours, theirs = of_all(rated, known), of_all(rated, {"authors": 1})
    both = [told(bounds(draws)) for draws in (ours, ours - theirs)]
    return f"{', '.join(both)}, {sum(len(rated[name]) for name in known)} pairs"


def shares(text: str) -> dict[str, float]:
    """Return the number of pairs of each origin, parsed from the command line: intra=10,citations=5."""
    return {name: float(count) for name, _, count in (part.partition("=") for part in text.split(","))}


def shifts(text: str) -> list[float]:
    """Return numbers, parsed from the command line: -0.1,0,0.1."""
    return [float(part) for part in text.split(",")]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for name, run in (("means", means), ("fit", fit), ("formats", formats), ("near", near), ("curve", curve)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        if name == "means":
            command.add_argument("--counts", type=shares, default={})
            command.add_argument("--mean", type=float, default=26.5)
        if name == "fit":
            command.add_argument("--features", default=",".join(CHOSEN))
            command.add_argument("--sitting", default=FITTED)
            command.add_argument("--rating", type=float, default=3.4)
            command.add_argument("--authors", action="store_true")
        if name == "curve":
            command.add_argument("scored", nargs="+", type=Path)
            command.add_argument("--shift", type=shifts, default="-0.2,-0.1,0,0.1,0.2,0.4")
            command.add_argument("--sitting", default=LATEST)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
