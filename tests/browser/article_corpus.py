"""Articles with their references as datasets on disk: every step is real, but no model is trained.

Belongs here: the data of several tests of WikiSum's pages. Not here: what they assert.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from silverloom.assets.declare.graph import AssetGraph, Everything
from silverloom.ops.core.outcome import Outcome
from silverloom.ops.wikisum import schemas
from silverloom.ops.wikisum.corpus import CorpusParams
from silverloom.ops.wikisum.dispersion import DispersionParams
from silverloom.ops.wikisum.examples import ExampleParams, examples
from silverloom.ops.wikisum.learned_ranker import LearnedRankerParams, learned_ranker
from silverloom.ops.wikisum.models.grid import GRID
from silverloom.ops.wikisum.models.summaries import METRICS, SUMMARIES
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.schemas import SplitParams
from silverloom.ops.wikisum.statistics import statistics
from silverloom.ops.wikisum.tokenizer import TokenizerParams, tokenizer
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.pages.systems.wikisum.site import SYSTEM
from tests.browser.written import write_site
from tests.ops.wikisum.encyclopedia import Steps, article, artifact, page

MONTH = "2018-06"
ODD = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
CHOOSING = CorpusParams(clone_recall=0.9, title_similarity=0.34, near_duplicates=0.8)
PARAMS = ExampleParams.model_validate(
    {
        "sets": {
            "short": {"tokens": 30},
            "trained": {"tokens": 90, "ranker": "learned"},
            "cited": {"corpus": "citations", "target": "article", "tokens": 5000},
        }
    }
)
SPLITS = SplitParams(validation=0.3, test=0.3)

#: Names of dishes, whose leads paraphrase their pages.
DISHES = ("Salt bread", "Corrow soup", "Tane eel", "Varn cake", "Holt broth", "Easter pie")


def dish(name: str, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return an article with two cited pages, a clone, and a page that repeats another one."""
    low = name.lower()
    lead = f"{name} is a dish of the island of Varn. It was first made in 18{number}0 by the monks of Torrow."
    served = f"Every autumn {low} is served at the fair, where the oldest baker cuts the first piece himself."
    history = f"The monks of Torrow kept their recipe for {low} in a locked chest below the chapel stairs."
    told = [
        f"The monks of Torrow made {low} in the year 18{number}0, and sold it at their gate on Sundays.",
        "Home | About",
        "1 2 3 4 5 6 7 .",
        f"A dish of the island of Varn, {low} needs flour, water and a day of patience from its cook.",
        "Visitors of the abbey may taste it in the garden, which is open from May until the first frost.",
    ]
    pages = [
        page(f"http://abbey.example/{number}", *told, title=f"{name} at the abbey"),
        page(
            f"http://fair.example/{number}", f"At the fair they ask for {low} before anything else is sold."
        ),
        page(f"http://mirror.example/{number}", lead, history, served, title=f"{name}, mirrored"),
        page(f"http://again.example/{number}", *told, "And again.", title=f"{name}, told again"),
    ]
    sections = [("History", history), ("Custom", served)]
    made = article(name, lead, sections, [pages[0]["url"], pages[1]["url"]])
    return made | {"id": f"article-{number}"}, pages


def odd() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return an article whose texts are all markup."""
    long = f"{ODD} odd bread stands in a very long line of words . " * 400
    pages = [
        page(f"javascript:document.title=3//{ODD}", f"This page says {ODD} about odd bread .", title=ODD),
        page("http://long.example/", long, f"Odd {ODD}"),
    ]
    lead = f"{ODD} is an odd bread \U0001f35e of Varn ."
    made = article(f"Odd bread {ODD}", lead, [(ODD, "Odd")], [dataset["url"] for dataset in pages])
    return made | {"id": "article-odd"}, pages


def corpus(
    folder: Path, *more: tuple[dict[str, Any], list[dict[str, Any]]], without: Iterable[str] = ()
) -> Everything:
    """Write the datasets of some dishes, an article without a lead, two lost articles, and `more`."""
    made = [dish(name, number) for number, name in enumerate(DISHES, start=1)] + list(more)
    alone = [
        article("Sorrel", "", [("History", "Nobody knows.")], ["http://abbey.example/1"]),
        article("Qqzx", "Qqzx is found nowhere."),
        article("Wwyv", "Wwyv is cited with a menu.", cites=["http://menu.example/"]),
    ]
    pages = [page for _, found in made for page in found] + [page("http://menu.example/", "Home", "Next")]
    steps = Steps(
        folder / "steps", [row for row, _ in made] + alone, pages,
        references=ReferenceParams(permutations=64), corpus=CHOOSING,
    )  # fmt: skip
    found: dict[str, Sequence[Outcome]] = {
        name: [steps.outcome(name)] for name in ("references", "corpus", "ranked")
    }
    ranked = steps.parts("ranked")
    found["tokenizer"] = list(tokenizer(ranked, SPLITS, TokenizerParams(vocabulary=500)))
    found["learned_ranker"] = list(learned_ranker(ranked, SPLITS, LearnedRankerParams(words=(20, 50))))
    pieces, ranker = (
        artifact(folder / name, getattr(schemas, name.upper()), found[name])
        for name in ("tokenizer", "learned_ranker")
    )
    found["examples"] = list(examples(ranked, pieces, ranker, SPLITS, PARAMS))
    found["statistics"] = list(
        statistics(
            ranked, steps.parts("corpus"), steps.parts("references"), PARAMS, CHOOSING, DispersionParams()
        )
    )
    found["summaries"] = [_written(found["examples"][0])]
    found["grid"] = [_of_grid(found["summaries"][0])]
    everything = Everything(graph=_graph())
    for name, outcomes in found.items():
        if name not in without:
            models = {"summaries": SUMMARIES, "grid": GRID}
            shape = models[name] if name in models else getattr(schemas, name.upper())
            month = MONTH if name in ("references", "corpus", "ranked", "examples") else ""
            place = folder / "data/wikisum" / name / (month or "all")
            place.mkdir(parents=True)
            write_outcomes(place, outcomes, shape)
            everything[f"wikisum/{name}"] = {month: place}
    return everything


def site(folder: Path, everything: Everything) -> Path:
    """Write the pages and the files that they load, and return their folder."""
    return write_site(folder, SYSTEM.pages(everything, {}))


def _graph() -> AssetGraph:
    """Return the declared datasets, with the params that made them."""
    found = dict(workspace().datasets)
    for name, params in (("wikisum/examples", PARAMS), ("wikisum/corpus", CHOOSING)):
        found[name] = replace(found[name])
        vars(found[name])["arguments"] = {"params": params}
    return AssetGraph(found.values())


def _written(made: Outcome) -> Outcome:
    """Return summaries of a set's test examples, as a model would write them."""
    tests = [row for row in made.kept.to_pylist() if row["set"] == "short" and row["split"] == "test"]
    kept = [
        {
            **{name: row[name] for name in ("article_id", "title", "set", "target", "licence")},
            "id": f"summary-{row['article_id']}", "source_ids": [row["id"]], "example_id": row["id"],
            "model": f"short-{ODD}", "architecture": "lstm", "prediction": f"a dish {ODD}", "tokens": 10,
            "cut": False, "nats": 25.0, **dict.fromkeys(METRICS, 0.25),
        }
        for row in tests
    ]  # fmt: skip
    return Outcome.of(SUMMARIES, [row["id"] for row in tests], kept)


def _of_grid(summaries: Outcome) -> Outcome:
    """Return summaries of the same examples by two models of the grid; one of them writes nothing."""
    cells = (("t_ed", "", "tf_idf"), ("t_dmca", f"a bread {ODD}", "cheating"))
    kept = [
        {
            **row, "id": f"{architecture}-{row['id']}", "architecture": architecture, "model": architecture,
            "prediction": text, "ranker": ranker, "corpus": "combined", "length": 100,
        }
        for row in summaries.kept.to_pylist() for architecture, text, ranker in cells
    ]  # fmt: skip
    return Outcome.of(GRID, summaries.units.to_pylist(), kept)
