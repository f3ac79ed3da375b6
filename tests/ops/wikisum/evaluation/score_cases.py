"""Tiny ranked articles, and the summaries that cells of a grid wrote for them."""

import json

from silverloom.ops.core.parts import Artifact
from silverloom.ops.core.sampling import split_of
from silverloom.ops.metrics.rouge import rouge
from silverloom.ops.parse.schemas import ARTICLES
from silverloom.ops.wikisum.evaluation.scores import EVALUATION, EvaluationParams, evaluation
from silverloom.ops.wikisum.models.grid import GRID, NOT_DRAWN
from silverloom.ops.wikisum.models.summaries import METRICS
from silverloom.ops.wikisum.schemas import RANKED, SplitParams
from tests.parts import dealt, parts

SPLITS = SplitParams(validation=0.2, test=0.5)
PARAMS = EvaluationParams(
    categories={"people": {"category": "actors$", "lead": r"\bwas an? actor\b"}, "rivers": "river"},
    resamples=100,
)
TITLES = [f"Ann {number}" for number in range(24)]
TESTS = [title for title in TITLES if split_of(title, SPLITS) == "test"]


def lead_of(title):
    return (
        f"{title.lower()} was an actor of the north ."
        if TITLES.index(title) % 2
        else f"{title.lower()} is a town ."
    )


def ranked(title):
    texts = [f"{title.lower()} was an actor , they say .", "the north is cold in the long winter ."]
    number = TITLES.index(title)
    return {
        "id": f"ranked-{number}", "licence": "CC-BY-SA-4.0", "article_id": f"article-{number}", "title": title,
        "lead": lead_of(title), "citations": 1, "sections": [], "filtered": [],
        "paragraphs": [
            {"page_id": "page", "position": at, "cited": True, "searched": False, "text": text}
            for at, text in enumerate(texts)
        ],
        "rankings": [
            {"corpus": "combined", "ranker": "tf_idf", "scores": [1.0, 0.0], "note": ""},
            {"corpus": "combined", "ranker": "identity", "scores": [0.0, 1.0], "note": ""},
        ],
    }  # fmt: skip


def article(title):
    """Return an article with the columns that are read; every fourth has categories, one of them an actor's."""
    number = TITLES.index(title)
    named = {1: ["Northern actors", "1879 births"], 0: ["Towns"]}
    return {"id": f"article-{number}", "categories": named[number % 2] if number % 4 < 2 else []}


def written(title, architecture="t_d", prediction=None, nats=10.0, tokens=5):
    number, target = TITLES.index(title), lead_of(title)
    text = prediction if prediction is not None else f"{title.lower()} was a town ."
    found = rouge(text, target)
    return {
        "id": f"summary-{number}-{architecture}", "source_ids": [f"example-{number}"], "licence": "MIT",
        "example_id": f"example-{number}", "article_id": f"article-{number}", "title": title,
        "model": f"{architecture}-tf_idf-combined-8", "architecture": architecture, "set": "tf_idf-combined-8",
        "ranker": "tf_idf", "corpus": "combined", "length": 8, "prediction": text, "target": target,
        "tokens": tokens, "nats": nats,
        **{name: getattr(found[name.split("_")[0]], name.split("_")[1]) for name in METRICS},
    }  # fmt: skip


def made(folder, rows, titles=TITLES, params=PARAMS, chosen="t_d-tf_idf-combined-8", not_drawn=()):
    """Return the kept rows, the dropped ones by reason, and table.json."""
    place = folder / "grid"
    stored = dealt(place, GRID.kept, rows)
    models = sorted({row["model"] for row in rows})
    (place / "models.json").write_text(
        json.dumps([{"model": name, "chosen": name == chosen} for name in models])
    )
    (place / NOT_DRAWN).write_text(json.dumps([f"article-{TITLES.index(title)}" for title in not_drawn]))
    (folder / "learned_ranker").mkdir(exist_ok=True)
    outcomes = list(
        evaluation(
            parts(folder / "ranked", RANKED.kept, *([ranked(title)] for title in titles)),
            parts(folder / "articles", ARTICLES.kept, *([article(title)] for title in TITLES)),
            Artifact(stored, place),
            Artifact(None, folder / "learned_ranker"),
            SPLITS,
            params,
        )
    )
    assert all(outcome.kept.schema == EVALUATION.kept for outcome in outcomes)
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    dropped = [row for outcome in outcomes for row in outcome.dropped.to_pylist()]
    table = next((json.loads(outcome.files["table.json"]) for outcome in outcomes if outcome.files), None)
    return kept, dropped, table
