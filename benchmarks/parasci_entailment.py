"""ParaSCI's entailment model: accuracy by kind of example, and rank correlation with readers' ratings.

    python benchmarks/parasci_entailment.py DATA [--mined 0.6,0.8,0.3,1]
    python benchmarks/parasci_entailment.py DATA --positives SRC.gz TGT.gz [--pairs 1000]

DATA is `data/parasci` of a project that has made intra, definitions, citations and scored, on the papers of
benchmarks/ratings. The size `base` of parasci.entailment is trained. It also prints how readers rated pairs
like the mined ones, by shared words.

--mined      floor, ceiling, shared_words and rate of `parasci.entailment.mined`
--positives  pairs of the authors' release, line by line, in place of the similar pairs within papers; then
             all texts have the released form. For development: the release states no licence

Not here: how the ratings were made (benchmarks/ratings/README.md), the scorer's fit (parasci_ratings.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.parasci import lines
from benchmarks.parasci_ratings import CHOSEN, FITTED, LATEST, REPEATS, held_out, read, ridge
from ops.core.joins import stored
from ops.core.outcome import Row
from ops.core.parts import OneProcess, Part, Parts, temporary_folder
from ops.core.sampling import drawn
from ops.parasci.dataset.release import released_form
from ops.parasci.entailment.edits import CLAUSES
from ops.parasci.entailment.entailment import EntailmentParams, MinedParams, entailment
from ops.parasci.entailment.model import EntailmentModel, load
from ops.parasci.entailment.stored import MODEL
from ops.parasci.schemas import CANDIDATES, SCORED, SENTENCES


class NoCheckpoints:
    """Checkpoints that are not kept."""

    def at(self, name: str) -> None:
        """Return no place for checkpoints."""


def made(data: Path, dataset: str) -> Parts:
    """Return the kept rows of a dataset."""
    schema = {"scored": SCORED, "sentences": SENTENCES}.get(dataset, CANDIDATES).kept
    paths = sorted((data / dataset).rglob("kept-*.parquet"))
    return Parts(schema, tuple(Part(str(path)) for path in paths), OneProcess())


def released(row: Row) -> Row:
    """Return a pair in the released form."""
    return {**row, **{side: released_form(row[side]) for side in ("first", "second")}}


def authors(options: argparse.Namespace) -> Iterator[Row]:
    """Yield pairs of the authors' release as if they were similar pairs within a paper each."""
    texts = zip(*map(lines, options.positives), strict=True)
    for first, second in sorted(dict.fromkeys(texts), key=lambda pair: drawn(0, pair))[: options.pairs]:
        name = f"{first}\n{second}"
        yield {
            "id": name, "source_ids": [name], "licence": "", "cosine": 1.0, "first": first, "second": second,
            **dict.fromkeys(("key", "first_paper", "second_paper"), name),
            **dict.fromkeys(("first_id", "second_id", "first_role", "second_role"), ""),
        }  # fmt: skip


def inputs(options: argparse.Namespace, params: EntailmentParams, folder: Path) -> list[Parts]:
    """Return intra, definitions and citations; with the authors' pairs in place of the similar ones."""
    lists = [made(options.data, name) for name in ("intra", "definitions", "citations")]
    if not options.positives:
        return lists
    found = []
    for number, parts in enumerate(lists):
        tables = [list(authors(options))] if not number else []
        for table in parts:
            tables.append([released(row) for row in table.to_pylist() if row["cosine"] < params.cosine])
        changed = (pa.Table.from_pylist(rows, schema=parts.schema) for rows in tables)
        found.append(stored(changed, parts.schema, parts, folder / str(number)))
    return found


def noise(params: EntailmentParams) -> None:
    """Print how readers rated pairs whose cosine is that of mined pairs, by shared words."""
    pairs, values = read()
    ratings: dict[str, list[float]] = defaultdict(list)
    for row in pairs:
        ours = row["origin"] in ("intra", "definitions", "citations")
        if ours and params.mined.floor <= float(row["cosine"]) < params.mined.ceiling:
            shared = min(int(10 * float(row["shared_words"])), 5)
            rated = values[row["sitting"] + row["pair"]]
            ratings[f"0.{shared}"].append(float(np.mean([value for _, value in rated])))
    print("rated pairs with the cosine of mined ones: shared words from, pairs, mean rating, 4 or more")
    for shared, rated in sorted(ratings.items()):
        print(f"  {shared} {len(rated):4} {np.mean(rated):.2f} {np.mean(np.array(rated) >= 4):.0%}")


def accuracy(model: EntailmentModel, rows: list[Row]) -> None:
    """Print the share of correct directions of validation examples, by kind."""
    told = model.predict([row["first"] for row in rows], [row["second"] for row in rows]) > 0
    right: dict[str, list[bool]] = defaultdict(list)
    for row, found in zip(rows, told, strict=True):
        edit = row["kind"].partition(": ")[2]
        kind = row["kind"] if not edit else "edit of a clause" if edit in CLAUSES else "edit of the meaning"
        hits = [found[0] == row["forward"], found[1] == row["backward"]]
        for name in ("all", kind):
            right[name] += hits
    for name, hits in sorted(right.items()):
        print(f"  {name:20} {len(hits) // 2:5} examples, {np.mean(hits):.1%} of directions right")


def ranks(model: EntailmentModel, options: argparse.Namespace) -> None:
    """Print rank correlations with readers of rated pairs whose texts are in `scored`."""
    pairs, values = read()
    wanted = {row["scored_id"] for row in pairs}
    columns = ["id", "first", "second"]
    texts = {row["id"]: row for row in made(options.data, "scored").rows(columns) if row["id"] in wanted}
    pairs = [row for row in pairs if row["scored_id"] in texts and row["origin"] != "authors" and row["f1"]]
    its = [texts[row["scored_id"]] for row in pairs]
    its = list(map(released, its)) if options.positives else its
    entailed = model.predict([row["first"] for row in its], [row["second"] for row in its]).min(axis=1)
    rated = (values[row["sitting"] + row["pair"]] for row in pairs)
    ratings = np.array([np.mean([value for _, value in its]) for its in rated])
    default = np.array([[float(row[name]) for name in CHOSEN] for row in pairs])
    both, alone = np.column_stack([default, entailed]), entailed[:, None]
    origins = np.array([row["origin"] for row in pairs])
    fitted = np.array([row["sitting"] in FITTED.split(",") for row in pairs])
    known = {row["scored_id"] for row in pairs if row["sitting"] in FITTED.split(",")}
    random = np.array([row["sitting"] == LATEST and row["scored_id"] not in known for row in pairs])
    print(f"rank correlation: {fitted.sum()} pairs of the fit, held out; {random.sum()} new ones of {LATEST}")
    by_name = {",".join(CHOSEN): default, "the same, entailed": both, "entailed": alone}
    for name, features in by_name.items():
        of_fit = features[fitted], ratings[fitted], origins[fitted]
        on_fit = np.mean([spearmanr(held_out(*of_fit, seed), ratings[fitted])[0] for seed in range(REPEATS)])
        other = spearmanr(ridge(*of_fit).predict(features[random], origins[random]), ratings[random])[0]
        print(f"  {name:30} {on_fit:.3f}  {other:.3f}")
    print(f"  entailed as it is              {spearmanr(entailed[fitted], ratings[fitted])[0]:.3f}  "
          f"{spearmanr(entailed[random], ratings[random])[0]:.3f}")  # fmt: skip


def main() -> None:
    """Read the command line, train, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--mined", default="0.6,0.8,0.3,1")
    parser.add_argument("--positives", nargs=2, default=None)
    parser.add_argument("--pairs", type=int, default=1000)
    options = parser.parse_args()
    floor, ceiling, shared_words, rate = map(float, options.mined.split(","))
    mined = MinedParams(floor=floor, ceiling=ceiling, shared_words=shared_words, rate=rate)
    params = EntailmentParams(wanted=True, mined=mined, size="base")
    noise(params)
    started = time.monotonic()
    with temporary_folder() as folder:
        lists = inputs(options, params, folder)
        outcomes = list(entailment(*lists, params, NoCheckpoints(), strict=False))
    print(f"\n{params.model_dump_json(include={'cosine', 'mined'})}: {time.monotonic() - started:.0f} s")
    rows = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    origins = Counter((row["split"], row["kind"].partition(":")[0]) for row in rows)
    print(dict(sorted(origins.items())))
    files = outcomes[-1].files.items()
    model = load({name.removeprefix(f"{MODEL}/"): its for name, its in files if name.startswith(MODEL)})
    accuracy(model, [row for row in rows if row["split"] == "validation"])
    ranks(model, options)


if __name__ == "__main__":
    main()
