"""Fusions, their evaluation and people's ratings as datasets on disk: really scored, but neither trained nor rated."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import Counted
from silverloom.ops.core.parts import FILES, TABLES, part_name
from silverloom.ops.discofuse.evaluation.scores import EVALUATION, EvaluationParams, scored, table
from silverloom.ops.discofuse.schemas import BALANCED, EXAMPLES
from silverloom.orchestration.files.parquet import write_table
from silverloom.pages import dataset
from silverloom.pages.systems.discofuse.site import SYSTEM
from tests.browser.evaluation_corpus import agreed, trained
from tests.browser.written import write_site

SHAPES = {"discofuse/examples": EXAMPLES, "discofuse/balanced": BALANCED}

#: Source, connective, type and gold text, by name.
_TEXTS = (
    ("{0} came . {0} left .", ", but", "SINGLE_S_COORD_ANAPHORA", "{0} came , but {1} left ."),
    ("{0} came . {0} left .", "however ,", "PAIR_CONN_ANAPHORA", "{0} came . However , {1} left ."),
    ("{0} came . {0} is a name .", "", "SINGLE_APPOSITION", "{0} , a name , came ."),
    ("{0} came . Others left .", ", and", "SINGLE_S_COORD", "{0} came , and others left ."),
    ("{0} came . Others left .", "", "PAIR_NONE", "{0} came . Others left ."),
)
_PEOPLE = (("Ann", "she"), ("Bob", "he"), ("The Lions", "they"), ("It all", "it"))


def fusions(domains: Sequence[str] = ("sports", "wikipedia"), examples: int = 40) -> list[dict]:
    """Return fusions of every domain by COPY, each domain's model and the mixture's: some right, some wrong."""
    found = []
    for domain in domains:
        for number in range(examples):
            source, connective, kind, gold = _TEXTS[number % len(_TEXTS)]
            name, pronoun = _PEOPLE[number // 2 % len(_PEOPLE)]
            texts = [text.format(f"{name} of {number}", pronoun) for text in (source, gold)]
            for at, model in enumerate((None, *domains, "mixture")):
                wrong = texts[1].replace(" but ", " and ").replace(pronoun, "it")
                own = (
                    texts[0]
                    if model is None or number % 7 == at
                    else wrong
                    if number % 3 == at % 3
                    else texts[1]
                )
                found.append(
                    {
                        "id": f"fusion-{domain}-{number}-{model}", "source_ids": ["x"], "licence": "MIT",
                        "example_id": f"example-{domain}-{number}", "system": "model" if model else "copy",
                        "model": model, "domain": domain, "split": "test", "balanced": number % 2 == 0, "discourse_type": kind,
                        "connective_string": connective, "source": texts[0], "target": texts[1], "references": [texts[1]],
                        "prediction": own,
                    }
                )  # fmt: skip
    return found


def evaluated(rows: Sequence[Mapping], resamples: int = 20) -> dict:
    """Return the table.json of discofuse/evaluation."""
    scores = pa.Table.from_pylist([scored(row) for row in rows], EVALUATION.kept)
    return table(scores, EvaluationParams(resamples=resamples))


def ended(mean: float | None, half: float = 0.04) -> dict:
    return {
        "mean": mean,
        "low": None if mean is None else mean - half,
        "high": None if mean is None else mean + half,
    }


def transferred(**means: float) -> dict:
    """Return the table.json of discofuse/transfer, derived from the SARI of each system."""
    parts = {"sari": 0, "keep": 0.1, "add": -0.05, "delete": 0.02, "exact": -0.1}
    systems = [
        {"system": name, "chosen": name == "pretrained", "pairs": 60,
         "scores": {metric: ended(mean + more) for metric, more in parts.items()}}
        for name, mean in means.items()
    ]  # fmt: skip
    return {"metrics": list(parts), "systems": systems, "tests": []}


def rated() -> dict:
    """Return the table.json of discofuse/human_evaluation."""
    both = {"examples": 40, "agreement": ended(0.6)}
    return {
        "clarity": [
            {"domain": "sports", "examples": 50, "yes": 40, "no_majority": 6, "no": 4, "share": ended(0.8)},
            {"domain": "wikipedia", "examples": 50, "yes": 45, "no_majority": 0, "no": 5, "share": ended(0.9)},
        ],
        "decisions": [
            {"question": "merge", "all": both, "with_connectives": {"examples": 12, "agreement": ended(0.75)}},
            {"question": "anaphor", "all": both, "with_connectives": {"examples": 0, "agreement": ended(None)}},
            {"question": "connective", "all": both, "with_connectives": both},
        ],
        "detection": [
            {"domain": "sports", "fusions": 60, "same": 20, "rated": 40, "differ": ended(0.65), "total": ended(0.6)},
            {"domain": "wikipedia", "fusions": 9, "same": 9, "rated": 0, "differ": ended(None), "total": ended(0.5, 0)},
        ],
        "errors": [
            {
                "domain": domain, "examples": 20, "no_error": ended(0.8), "harmless": ended(0.15),
                "harmful": ended(0.05), "kinds": {"none": 16, "comma": 1, "determiner": 2, "pronoun": 1, "other": 0},
                "reasons": {"clear": 17, "text": 1, "context": 0, "split": 2},
            }
            for domain in ("sports", "wikipedia")
        ],
        "agreement": [agreed("ann", 0.6, question="understandable"), agreed("bob", None, question="human", rows=1)],
        "pairs": [agreed("ann", 0.5, other="bob", question="understandable")],
    }  # fmt: skip


MODELS = [
    {
        **trained("transformer/sports", {"exact": [0.1, 0.3], "loss": [3.0, 2.0]}),
        "model": "sports",
        "metric": "exact",
    }
]


def example(number: int, domain: str, kind: str, connective: str) -> dict:
    return {
        "id": f"example-{number}", "source_ids": ["x"], "licence": "MIT", "domain": domain, "discourse_type": kind,
        "connective_string": connective,
    }  # fmt: skip


EXAMPLES_OF = [
    example(number, domain, _TEXTS[number % len(_TEXTS)][2], _TEXTS[number % len(_TEXTS)][1])
    for domain in ("sports", "news")
    for number in range(200 if domain == "sports" else 33)
]


def corpus(
    folder: Path, examples: Mapping[str, Sequence[Mapping]] | None = None, **tables: object
) -> Everything:
    """Write datasets: `evaluation`, `transfer`, `human_evaluation` (their table.json), `fusion_model` (models.json)."""
    everything = Everything()
    for name, content in tables.items():
        place = folder / "data/discofuse" / name
        (place / FILES).mkdir(parents=True)
        file = "models.json" if name == "fusion_model" else "table.json"
        (place / FILES / file).write_text(json.dumps(content))
        everything[f"discofuse/{name}"] = {"": place}
    for name, rows in (examples or {}).items():
        place = folder / "data" / name
        place.mkdir(parents=True)
        shape = SHAPES[name]
        for kind in TABLES:
            schema = getattr(shape, kind)
            own = [dict.fromkeys(schema.names) | row for row in rows] if kind == "kept" else []
            path = place / part_name(kind, 0)
            path.parent.mkdir(exist_ok=True)
            write_table(pa.Table.from_pylist(own, schema=schema), path)
        everything[name] = {"": place}
    return everything


def _counted(name: str, kept: int) -> Counted:
    """Return the counts of a dataset, of which only the columns are declared here."""
    function = SimpleNamespace(__doc__="Fusion examples.")
    item = SimpleNamespace(
        name=name, measures=[], shape=SHAPES[name], values={}, function=function, consumes=None, inputs=()
    )
    return Counted(item, {"": dict.fromkeys(TABLES, 0) | {"kept": kept}}, {"": {}}, 0)


def site(folder: Path, everything: Everything) -> Path:
    """Write the page and the pages of the examples' datasets with the files they load, and return their folder."""
    of_datasets = {name: _counted(name, len(EXAMPLES_OF)) for name in SHAPES if name in everything}
    return write_site(folder, [*SYSTEM.pages(everything, {}), *dataset.pages(everything, of_datasets)])
