"""Scores and ratings of leads as handmade datasets on disk: nothing is trained, scored or rated."""

from __future__ import annotations

import json
from pathlib import Path

from silverloom.assets.declare.graph import Everything
from silverloom.ops.core.parts import FILES
from silverloom.ops.wikisum.evaluation.people import QUALITY
from silverloom.pages.systems.wikisum.site import leads_page
from tests.browser.evaluation_corpus import agreed, trained
from tests.browser.written import write_site

METRICS = (
    "rougeL_f",
    "rougeL_f_tensor2tensor",
    "bertscore_f",
    "rouge1_recall",
    "rouge1_precision",
    "rouge1_f",
)


def around(mean: float, half: float = 0.02) -> dict:
    return {"mean": mean, "low": mean - half, "high": mean + half}


def model(
    architecture: str,
    length: int,
    rouge: float,
    nats: float,
    ranker="tf_idf",
    corpus="combined",
    chosen=False,
) -> dict:
    """Return a cell of the grid, as in table.json."""
    scores = {**dict.fromkeys(METRICS, around(rouge)), "log_perplexity": around(nats, 0.1)}
    return {
        "system": architecture, "model": f"{ranker}-{corpus}-{length}", "ranker": ranker, "corpus": corpus,
        "length": length, "chosen": chosen, "articles": 40, "scores": scores,
    }  # fmt: skip


def alone(ranker: str, rouge: float, corpus="combined") -> dict:
    """Return extraction alone, as in table.json."""
    scores = dict.fromkeys(METRICS, around(rouge))
    return {
        "system": "extractive", "model": f"{ranker}-{corpus}", "ranker": ranker, "corpus": corpus, "length": None,
        "chosen": False, "articles": 40, "scores": scores,
    }  # fmt: skip


SYSTEMS = [
    model("t_ed", 100, 0.30, 3.1), model("t_ed", 500, 0.34, 2.5), model("t_ed", 500, 0.59, 1.7, "cheating"),
    model("t_ed", 500, 0.22, 3.0, corpus="citations"), model("t_dmca", 500, 0.36, 2.4),
    model("t_dmca", 4000, 0.38, 2.1, chosen=True), model("seq2seq", 500, 0.12, 5.0),
    alone("tf_idf", 0.15), alone("text_rank", 0.14), alone("cheating", 0.2),
]  # fmt: skip
TESTS = [
    {
        "first": {"system": "t_dmca", "model": "tf_idf-combined-4000"},
        "second": {"system": system["system"], "model": system["model"]},
        "articles": 40,
        "scores": {name: {"difference": 0.04, "low": 0.01, "high": 0.07, "p": 0.01} for name in ("rougeL_f", "rouge1_f")},
    }
    for system in SYSTEMS
    if not system["chosen"]
]  # fmt: skip
CATEGORIES = [
    {"model": "tf_idf-combined-4000", "category": name, "articles": count,
     "scores": dict.fromkeys(METRICS[3:], around(0.4)) if count else {}}
    for name, count in (("all", 40), ("Diseases", 7), ("American Actors", 0))
]  # fmt: skip
EVALUATION = {
    "metrics": ["log_perplexity", *METRICS],
    "systems": SYSTEMS,
    "tests": TESTS,
    "categories": CATEGORIES,
}


def rated() -> dict:
    """Return the table.json of wikisum/human_evaluation."""
    questions = [question.name for question in QUALITY.questions]
    test = {"t": -4.2, "degrees": 30.5, "p": 0.0002, "significant": True}
    unsure = {"t": None, "degrees": None, "p": None, "significant": False}
    scores = {
        "t_dmca (tf_idf-combined-4000)": {name: {**around(4.5, 0.3), "ratings": 75, "test": None} for name in questions},
        "extractive (tf_idf-combined)": {
            name: {**around(3.0, 0.3), "ratings": 75, "test": unsure if name == "focus" else test} for name in questions
        },
        "gone (x)": {},
    }  # fmt: skip
    pair = {
        "first": "t_ed (tf_idf-combined-100)",
        "second": "t_ed (tf_idf-combined-500)",
        "articles": 25,
        "ratings": 75,
    }
    return {
        "quality": [{"system": name, "articles": 25, "scores": of_system} for name, of_system in scores.items()],
        "preference": [
            {**pair, "prefer_first": 12, "prefer_second": 51, "neither": 12, "ratio": 4.25},
            {**pair, "first": "gone (x)", "prefer_first": 0, "prefer_second": 3, "neither": 0, "ratio": None},
        ],
        "agreement": [agreed("ann", 0.6, question="focus"), agreed("bob", None, question="preferred", rows=1)],
        "pairs": [agreed("ann", 0.5, other="bob", question="focus")],
    }  # fmt: skip


MODELS = [
    {
        **trained(
            f"{system['system']}/{system['model']}", {"log_perplexity": [8.0, 6.0], "loss": [9.0, 7.0]}
        ),
        "model": f"{system['system']}-{system['model']}",
        "chosen": system["chosen"],
        "metric": "log_perplexity",
        "best": system["scores"]["log_perplexity"]["mean"],
    }
    for system in SYSTEMS
    if system["length"]
]


def corpus(folder: Path, **tables: object) -> Everything:
    """Write datasets: `evaluation`, `human_evaluation` (their table.json), `grid` (models.json)."""
    everything = Everything()
    for name, content in tables.items():
        place = folder / "data/wikisum" / name
        (place / FILES).mkdir(parents=True)
        file = "models.json" if name == "grid" else "table.json"
        (place / FILES / file).write_text(json.dumps(content))
        everything[f"wikisum/{name}"] = {"": place}
    return everything


ALL = {"evaluation": EVALUATION, "human_evaluation": rated(), "grid": MODELS}


def site(folder: Path, everything: Everything) -> Path:
    """Write the page with the files that it loads, and return its folder."""
    return write_site(folder, leads_page(everything, {}))
