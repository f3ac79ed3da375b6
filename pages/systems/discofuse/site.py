"""DiscoFuse's additions to the site: a page of fusion models, and statistics on the pages of its examples.

Belongs here: reading the datasets behind the page, counting the rows of discofuse/examples and
discofuse/balanced, and which datasets link to the page. Not here: the layout of scores and ratings
(scores.py), learning curves (pages/evaluation.py), drawing (static), the paper's numbers (published.yaml).

Geva et al. (2019), section 3.2, Figure 4 and Table 16.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import Counted, side_file, tables
from silverloom.ops.discofuse.evaluation.alignment import words
from silverloom.pages.evaluation import values
from silverloom.pages.html import render
from silverloom.pages.system import DatasetPart, SystemPages
from silverloom.pages.systems.discofuse import scores
from silverloom.pages.systems.discofuse.scores import PUBLISHED

EVALUATION, MODEL, PEOPLE = "discofuse/evaluation", "discofuse/fusion_model", "discofuse/human_evaluation"

#: The dataset before down-sampling. The paper prints connectives only for the one after it.
FULL = "discofuse/examples"

#: The most domains on a page, those with the most examples, and the most connectives of each.
MOST_DOMAINS = 12
MOST_CONNECTIVES = 10
_COUNTED = ["domain", "discourse_type", "connective_string"]


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page, which names missing datasets. Raises ValueError naming a file that cannot be read."""
    content = side_file(everything, EVALUATION, "table.json")
    table = scores.read(content)
    shared = values(everything, numbers, EVALUATION, [MODEL], PEOPLE)
    matrices = {"connective": scores.connectives(table), "pronoun": scores.pronouns(table)}
    drawn = {gold: [part["matrix"] for part in parts] for gold, parts in matrices.items()}
    rated = shared["ratings"] and shared["ratings"]["agreement"]
    yield render(
        "fusion.html",
        "discofuse/fusion.html",
        "Fusion",
        data={"models": shared["models"], "matrices": drawn},
        name_of=lambda name: scores.METRICS.get(name, name),
        scores=scores.scores(table),
        published=scores.published(),
        split=content["split"] if content else "",
        fewest=scores.fewest(table),
        tests=scores.tests(table),
        phenomena=scores.phenomena(table),
        matrices=matrices,
        numbers_of=scores.numbers_of,
        transfer=scores.transferred(side_file(everything, "discofuse/transfer", "table.json")),
        people=scores.people(shared["ratings"]) if rated else [],
        statistics=[name for name in scores.PUBLISHED["sizes"] if name in everything],
        **shared,
    )


def statistics(name: str, folders: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Return as `statistics` the counts that the page of a dataset draws from its kept rows.

    `domains`, largest first: examples, types and connectives as [name, count], and how many examples have
    anaphora, "and" or "but". `all`: the number of domains. Each domain comes with the paper's numbers for the
    domain of the same name, or for all of the paper's domains if none has that name.
    """
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for folder in folders:
        for table in tables(folder, "kept", _COUNTED):
            for row in table.group_by(_COUNTED).aggregate([([], "count_all")]).to_pylist():
                connective = " ".join(words(row["connective_string"]))
                counts[row["domain"]][row["discourse_type"], connective] += row["count_all"]
    domains = [_domain(name, domain, of_domain) for domain, of_domain in counts.items()]
    domains.sort(key=lambda domain: (-domain["examples"], domain["domain"]))
    shown = domains[:MOST_DOMAINS]
    return {"statistics": {"full": name == FULL, "all": len(domains), "domains": shown}}


SYSTEM = SystemPages(
    pages=pages,
    navigation=(("fusion.html", "Fusion"),),
    pictures={
        "discofuse/fusion_model": "fusion.html#learning",
        "discofuse/fusions": "fusion.html",
        "discofuse/evaluation": "fusion.html",
        "discofuse/transfer": "fusion.html#transfer",
        "discofuse/rating_sheets": "fusion.html#people",
        "discofuse/human_evaluation": "fusion.html#people",
    },
    dataset_parts={
        name: DatasetPart("discofuse/statistics.html", "discofuse/statistics.js", partial(statistics, name))
        for name in PUBLISHED["sizes"]
    },
)


def _domain(name: str, domain: str, counts: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    types: Counter[str] = Counter()
    connectives: Counter[str] = Counter()
    skewed = 0
    for (kind, connective), rows in counts.items():
        types[kind] += rows
        connectives[connective] += rows
        skewed += rows * (kind.endswith("ANAPHORA") or connective in ("and", "but"))
    del connectives[""]
    shares, full = PUBLISHED["table_16"], name == FULL
    published = [domain.lower()] if domain.lower() in shares else list(shares)
    common = sorted(connectives, key=lambda name: (-connectives[name], name))[:MOST_CONNECTIVES]
    in_paper = [] if full else [name for paper in published for name in shares[paper]]
    return {
        "domain": domain,
        "examples": types.total(),
        "skewed": skewed,
        "types": [[label, types[kind]] for kind, (label, *_) in PUBLISHED["table_7"].items()],
        "connectives": [[name, connectives[name]] for name in dict.fromkeys([*common, *in_paper])],
        "published": [
            {
                "domain": paper,
                "examples": PUBLISHED["sizes"][name][paper],
                "skewed": PUBLISHED["skewed"][paper] if full else None,
                "connectives": {} if full else shares[paper],
            }
            for paper in published
        ],
    }
