"""Scores of the grid and ratings of leads on pages, next to those of Liu et al. (2018).

Belongs here: Tables 3 to 7, Figures 2 and 3: names and order of extractors, corpora, architectures and
questions, and which cells a table compares. Not here: reading files (site.py), inter-rater agreement
(pages/evaluation.py), drawing (static/leads.js), any computation (ops/wikisum/evaluation).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from silverloom.ops.core.outcome import Row
from silverloom.ops.evaluation.table import EvaluationTable, named, read_table
from silverloom.ops.metrics.bootstrap import Interval
from silverloom.ops.wikisum.evaluation.scores import (
    BERTSCORE,
    EXTRACTIVE,
    LOG_PERPLEXITY,
    RELEASED_ROUGE_L,
    ROUGE_L,
)
from silverloom.pages.evaluation import Bar, Grid, GridLine, bar, published_values, tests_grid

PUBLISHED = published_values(__file__)
RANKERS = {
    "cheating": "cheating",
    "tf_idf": "tf-idf",
    "learned": "learned",
    "text_rank": "TextRank",
    "sum_basic": "SumBasic",
    "identity": "identity",
}
ARCHITECTURES = {
    "seq2seq": "seq2seq-attention",
    "t_ed": "T-ED",
    "t_d": "T-D",
    "t_dmca": "T-DMCA",
    "t_dmca_moe": "T-DMCA, MoE-128",
    "t_dmca_moe_256": "T-DMCA, MoE-256",
}
METRICS = {
    LOG_PERPLEXITY: "log-perplexity",
    ROUGE_L: "ROUGE-L F1",
    RELEASED_ROUGE_L: "ROUGE-L of tensor2tensor",
    BERTSCORE: "BERTScore F1",
    "rouge1_f": "ROUGE-1 F1",
}

#: The extractor and corpus of Table 4 and Figure 3.
FIXED = ("tf_idf", "combined")
_ALONE = ", extraction alone"

#: In the paper's order.
QUESTIONS = {
    "focus": "Focus",
    "grammaticality": "Grammar",
    "non_redundancy": "Non-redundancy",
    "referential_clarity": "Referential clarity",
    "structure": "Structure and coherence",
}


class ScoredCell(NamedTuple):
    """A model of the grid, or extraction alone, with its scores."""

    architecture: str
    ranker: str
    corpus: str
    length: int | None
    chosen: bool
    articles: int
    scores: Mapping[str, Interval]

    @property
    def label(self) -> str:
        """A readable name of the cell."""
        if self.length is None:
            return f"{_ranking(self.ranker, self.corpus)}{_ALONE}"
        return label(self.architecture, self.length, self.ranker, self.corpus)


def label(name: str, length: int, ranker: str, corpus: str) -> str:
    """Return a readable name of a grid model."""
    return f"{architecture(name)}, L = {length}, {_ranking(ranker, corpus)}"


def architecture(name: str) -> str:
    """Return a readable name of an architecture."""
    return ARCHITECTURES.get(name, name)


def read(content: Mapping[str, Any] | None) -> tuple[EvaluationTable, dict[str, ScoredCell]]:
    """Return the evaluation in table.json, and its systems by the names that tests use."""
    table = read_table(content, "articles", breakdowns={"categories": "category"})
    rows = {named(row["system"], row["model"]): row for row in (content or {}).get("systems", ())}
    cells = {
        system.name: ScoredCell(
            system.system,
            rows[system.name]["ranker"],
            rows[system.name]["corpus"],
            rows[system.name]["length"],
            system.chosen,
            system.items,
            system.scores,
        )
        for system in table.systems
    }
    return table, cells


def extractors(cells: Iterable[ScoredCell]) -> Grid:
    """Return Table 3 for the architecture and L with the most cells, next to extraction alone."""
    scored = list(cells)
    places: dict[tuple[str, int], dict[tuple[str, str], ScoredCell]] = {}
    alone: dict[tuple[str, str], ScoredCell] = {}
    for cell in scored:
        own = alone if cell.length is None else places.setdefault((cell.architecture, cell.length), {})
        own[cell.ranker, cell.corpus] = cell
    main = max(places, key=lambda place: (len(places[place]), place[1], place[0]), default=None)
    models = places[main] if main else {}
    paper = {(ranker, corpus): values for ranker, corpus, *values in PUBLISHED["table_3"]}
    keys = [*paper, *sorted((models.keys() | alone.keys()) - paper.keys(), key=_place)]
    lines = [
        GridLine(
            RANKERS.get(key[0], key[0]),
            [
                key[1],
                _articles(models.get(key) or alone.get(key)),
                perplexity(models.get(key)),
                _rouge(models.get(key), models.values()),
                _rouge(alone.get(key), alone.values()),
                *paper.get(key, (None, None)),
            ],
            key=f"{key[0]} {key[1]}",
        )
        for key in keys
        if scored
    ]
    head = ("extractor", "corpus", "n", "log-perplexity", "ROUGE-L", "ROUGE-L", "log-perplexity", "ROUGE-L")
    name = f"{architecture(main[0])}, L = {main[1]}" if main else "models"
    groups = (("", 3), (name, 2), ("extraction alone", 1), ("the paper, T-ED, L = 500", 2))
    return Grid("Extractors and corpora", head, lines, "scores", groups)


def architectures(cells: Iterable[ScoredCell], reports: Iterable[Row]) -> Grid:
    """Return Table 4: each architecture at its best L on validation, with tf-idf over both corpora."""
    best = {report["model"]: report["best"] for report in reports if report["best"] is not None}
    by_architecture: dict[str, ScoredCell] = {}
    for cell in sorted(_fixed(cells), key=lambda cell: best.get(_model(cell), float("inf"))):
        by_architecture.setdefault(cell.architecture, cell)
    paper = {name: values for name, *values in PUBLISHED["table_4"]}
    lines = []
    for name in [*paper, *sorted(by_architecture.keys() - paper.keys())] if by_architecture else ():
        ours = by_architecture.get(name)
        own = [
            ours.length if ours else None,
            _articles(ours),
            perplexity(ours),
            _rouge(ours, by_architecture.values()),
        ]
        printed, *values = paper.get(name, ("", None, None, None))
        lines.append(GridLine(architecture(name), [*own, *values], printed, name))
    head = ("model", "L", "n", "log-perplexity", "ROUGE-L", "L", "log-perplexity", "ROUGE-L")
    return Grid("Architectures", head, lines, "scores", (("", 1), ("ours", 4), ("the paper", 3)))


def figure_2(cells: Iterable[ScoredCell]) -> list[dict[str, Any]]:
    """Return the bars of Figure 2: ROUGE-L in percent of extraction, the chosen model and the paper's."""
    shown = [cell for cell in cells if cell.architecture == EXTRACTIVE or cell.chosen]
    ours = [
        {
            "name": cell.label.removesuffix(_ALONE),
            "kind": "extraction alone" if cell.length is None else "the chosen model",
            **_percent(cell.scores[ROUGE_L]),
        }
        for cell in sorted(
            shown, key=lambda cell: (cell.length is not None, _place((cell.ranker, cell.corpus)))
        )
    ]
    name, _, length, _, rouge = max(PUBLISHED["table_4"], key=lambda line: float(line[-1]))
    best = f"the paper: {architecture(name)}, L = {length}"
    return [*ours, {"name": best, "kind": "the paper", "mean": float(rouge)}] if ours else []


def figure_3(cells: Iterable[ScoredCell]) -> list[dict[str, Any]]:
    """Return the points of Figure 3: log-perplexity by L and architecture, ours and the paper's."""
    ours = [
        {
            "architecture": architecture(cell.architecture),
            "length": cell.length,
            **cell.scores[LOG_PERPLEXITY]._asdict(),
            "of": "ours",
        }
        for cell in sorted(_fixed(cells), key=lambda cell: (cell.architecture, cell.length or 0))
    ]
    paper = [
        {"architecture": architecture(name), "length": length, "mean": mean, "of": "the paper"}
        for name, points in PUBLISHED["figure_3"].items()
        for length, mean in points
    ]
    return [*ours, *paper] if ours else []


def whole(cells: Iterable[ScoredCell]) -> Grid:
    """Return all cells of the grid, and extraction alone, by all metrics."""
    ordered = sorted(cells, key=lambda cell: (cell.length is None, cell.label))
    metrics = (ROUGE_L, RELEASED_ROUGE_L, BERTSCORE)
    lines = [
        GridLine(
            cell.label,
            [perplexity(cell), *(_bar(cell, ordered, metric) for metric in metrics), cell.articles],
            "chosen on validation" if cell.chosen else "",
        )
        for cell in ordered
    ]
    head = ("system", *(METRICS[name] for name in (LOG_PERPLEXITY, *metrics)), "articles")
    return Grid("Every system", head, lines)


def tests(table: EvaluationTable, cells: Mapping[str, ScoredCell]) -> Grid:
    """Return the tests of the chosen model against every other."""
    metrics = {name: METRICS[name] for name in (ROUGE_L, "rouge1_f")}
    named_tests = (([cells[test.second].label], test) for test in table.tests)
    return tests_grid("Paired tests", ("the chosen model, against",), named_tests, metrics, "articles")


def categories(table: EvaluationTable) -> Grid:
    """Return Table 7: ROUGE-1 of the chosen model by category, and the paper's."""
    metrics = ("rouge1_recall", "rouge1_precision", "rouge1_f")
    rows = table.breakdowns.get("categories", ())
    lines = [
        GridLine(row.kind, [row.items, *(bar(row.scores.get(name)) for name in metrics)], key=row.kind)
        for row in rows
    ]
    if rows:
        lines += [GridLine(name, values, "the paper") for name, *values in PUBLISHED["table_7"]]
    return Grid("ROUGE-1 by category", ("articles", "n", "recall", "precision", "F1"), lines, "scores")


def perplexity(cell: ScoredCell | None) -> str | None:
    """Return a log-perplexity with its interval as text; it has no upper bound, and so no bar."""
    score = cell.scores.get(LOG_PERPLEXITY) if cell else None
    return score and f"{score.mean:.3f} ({score.low:.3f} to {score.high:.3f})"


def quality(ratings: Mapping[str, Any], cells: Mapping[str, ScoredCell]) -> Grid:
    """Return Table 5 by question: the mean of each system, with its test against the first system."""
    systems, paper = ratings["quality"], PUBLISHED["table_5"]
    lines = [
        GridLine(
            label,
            [*(_answered(row["scores"].get(name)) for row in systems), *(row[at] for row in paper)],
            key=name,
        )
        for at, (name, label) in enumerate(QUESTIONS.items(), start=1)
    ]
    lines.append(GridLine("Articles", [*(row["articles"] for row in systems), *(25 for _ in paper)]))
    head = ("question", *(_label(row["system"], cells) for row in systems), *(row[0] for row in paper))
    groups = (("", 1), ("ours", len(systems)), ("the paper", len(paper)))
    return Grid("Linguistic quality", head, lines, "quality", groups)


def preference(ratings: Mapping[str, Any], cells: Mapping[str, ScoredCell], table: EvaluationTable) -> Grid:
    """Return Table 6: pairs of systems, their ROUGE-L, and which one raters prefer."""
    rouge = {system.name: system.scores.get(ROUGE_L) for system in table.systems}
    lines = [
        GridLine(
            _label(row["first"], cells),
            [
                _label(row["second"], cells),
                bar(rouge.get(row["first"])),
                bar(rouge.get(row["second"])),
                _ratio(row),
                f"{row['prefer_first']}, {row['neither']}, {row['prefer_second']}",
            ],
        )
        for row in ratings["preference"]
    ]
    lines += [GridLine(first, [*values, None], "the paper") for first, *values in PUBLISHED["table_6"]]
    head = ("model A", "model B", "ROUGE-L of A", "ROUGE-L of B", "prefer B / prefer A", "A, neither, B")
    return Grid("Side by side", head, lines, "scores")


def _articles(cell: ScoredCell | None) -> int | None:
    """Return the number of test articles that a cell is scored on."""
    return cell.articles if cell else None


def _rouge(cell: ScoredCell | None, among: Iterable[ScoredCell]) -> Bar | None:
    return _bar(cell, among, ROUGE_L)


def _bar(cell: ScoredCell | None, among: Iterable[ScoredCell], metric: str) -> Bar | None:
    """Return a score on the scale shared by the given cells."""
    top = max((scored.scores[metric].high for scored in among), default=0) or 1
    return Bar(cell.scores[metric], top) if cell else None


def _ranking(ranker: str, corpus: str) -> str:
    return f"{RANKERS.get(ranker, ranker)}, {corpus}"


def _fixed(cells: Iterable[ScoredCell]) -> list[ScoredCell]:
    return [cell for cell in cells if (cell.ranker, cell.corpus) == FIXED and cell.length is not None]


def _model(cell: ScoredCell) -> str:
    return f"{cell.architecture}-{cell.ranker}-{cell.corpus}-{cell.length}"


def _place(key: Sequence[str]) -> tuple[int, str]:
    order = list(RANKERS)
    return order.index(key[0]) if key[0] in order else len(order), key[1]


def _percent(score: Interval) -> dict[str, float]:
    return {name: 100 * value for name, value in score._asdict().items()}


def _label(name: str, cells: Mapping[str, ScoredCell]) -> str:
    return cells[name].label if name in cells else name


def _answered(score: Mapping[str, Any] | None) -> str | None:
    """Return a mean with its interval and p, starred if it differs from the first system."""
    if score is None:
        return None
    test = score["test"]
    star = "*" if test and test["significant"] else ""
    text = f"{score['mean']:.2f}{star} ({score['low']:.2f} to {score['high']:.2f})"
    return text if not test or test["p"] is None else f"{text}, {_p(test['p'])}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _ratio(row: Mapping[str, Any]) -> str | None:
    if row["ratio"] is not None:
        return f"{row['ratio']:.2f}"
    return "nobody prefers A" if row["prefer_second"] else None
