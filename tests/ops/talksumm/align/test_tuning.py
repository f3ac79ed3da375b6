"""The report on manually aligned talks: compared with an obvious slow version, on the sample, and in edge cases."""

import math
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from silverloom.ops.models.registry import word_vectors
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import Raw
from silverloom.ops.talksumm import HmmParams
from silverloom.ops.talksumm.align.emission import observe
from silverloom.ops.talksumm.align.hmm import stay_probability
from silverloom.ops.talksumm.align.tuning import KnobSetting, TuningParams, intervals, tune
from silverloom.ops.talksumm.schemas import GOLD_ALIGNMENTS, PAIRS, TALKS, TUNING
from silverloom.ops.talksumm.sources.gold import parse_gold_alignments
from tests.parts import parts

SAMPLE = Path(__file__).resolve().parents[4] / "data" / "sample"
DEFAULTS = HmmParams(model="paper")
ONE_POINT = TuningParams.model_validate(
    {"lambda": [0.75], "gamma": [0.5], "delta": [0.33], "epsilon": [0.1], "resamples": 100}
)
SENTENCES = [
    "Annotators are expensive and they disagree about rare labels.",
    "A parser reads the sentence from left to right with a stack.",
    "Neural networks translate speech into written text.",
    "The corpus contains letters of farmers and merchants.",
    "Farmers wrote letters about harvests and prices.",
]
SPEECH = [
    ("so our annotators are expensive and disagree about labels", 0),
    ("a parser reads from left to right with its stack", 1),
    ("um you know", None),
    ("networks translate speech into text", 2),
    ("the corpus has letters of farmers and merchants", 3),
]


def words(texts):
    return [{"text": word, "offset": 0, "start": None, "end": None} for word in " ".join(texts).split()]


def pair(talk="talk-1", speech=SPEECH, sentences=SENTENCES, roles=None, licence="CC-BY-4.0"):
    roles = roles or ["introduction", *["other"] * (len(sentences) - 1)][: len(sentences)]
    return {
        "id": f"pair-{talk}",
        "source_ids": [talk, "paper-1"],
        "licence": licence,
        "talk_id": talk,
        "paper_id": "paper-1",
        "talk_title": f"Title of {talk}",
        "paper_title": "Title",
        "paper_month": "2018-06",
        "similarity": 1.0,
        "words": words(text for text, _ in speech),
        "sentences": [
            {
                "id": f"state-{k}",
                "sentence_id": f"sentence-{k}",
                "position": k,
                "section_title": "",
                "role": role,
                "text": text,
                "holes": 0,
            }
            for k, (text, role) in enumerate(zip(sentences, roles, strict=True))
        ],
    }


def talk(talk_id="talk-1", document="one"):
    return {
        "id": talk_id,
        "source_ids": [f"talks/{document}"],
        "licence": "CC-BY-4.0",
        "document": document,
        "title": f"Title of {talk_id}",
        "date": "2018-06-01",
        "month": "2018-06",
        "url": None,
        "words": [],
    }


def label(first, last, sentence, document="one", licence="CC0-1.0"):
    return {
        "id": f"label-{document}-{first}",
        "source_ids": [f"hand/{document}.csv"],
        "licence": licence,
        "document": document,
        "month": "2018-06",
        "first_word": first,
        "last_word": last,
        "sentence": sentence,
    }


def labels_of(speech, sentences=SENTENCES, document="one"):
    rows, first = [], 0
    for text, state in speech:
        last = first + len(text.split()) - 1
        rows.append(label(first, last, None if state is None else sentences[state][:40], document))
        first = last + 1
    return rows


def report(labels, pairs, talks, hmm=DEFAULTS, params=ONE_POINT):
    with tempfile.TemporaryDirectory() as name:
        shapes = (GOLD_ALIGNMENTS, PAIRS, TALKS)
        inputs = [
            parts(name, shape.kept, rows[: len(rows) // 2], rows[len(rows) // 2 :])
            for shape, rows in zip(shapes, (labels, pairs, talks), strict=True)
        ]
        (outcome,) = tune(*inputs, hmm, params)
    assert outcome.units.to_pylist() == [row["id"] for row in labels]
    used = {name for row in outcome.kept.to_pylist() for name in row["source_ids"]}
    lost = outcome.dropped["id"].to_pylist()
    assert sorted([*used, *lost]) == sorted(row["id"] for row in labels), "each label has one fate"
    return outcome


def dropped(outcome):
    return {row["id"]: row["reason"] for row in outcome.dropped.to_pylist()}


# The obvious slow version: a dense matrix, and loops over everything that the fast one shares or skips.


def slow_path(words, sentences, hmm, starts):
    """Viterbi with a dense transition matrix, and emissions by definition, word by word."""
    vectors = word_vectors()
    from silverloom.ops.talksumm.align.emission import content_tokens, log_emission

    tokens, origins = observe(words)
    vocabulary = sorted(set(tokens))
    table = log_emission(vocabulary, [content_tokens(text) for text in sentences], vectors, hmm.similarity)
    count = len(sentences)
    stay = stay_probability(count, len(tokens), hmm.delta, hmm.epsilon)
    moves = [[0.0] * count for _ in range(count)]
    for k in range(count):
        for to in range(count):
            step = to - k
            if step > 0:
                moves[k][to] = hmm.lambda_ ** (step - 1)
            elif step < 0:
                moves[k][to] = hmm.gamma * hmm.lambda_ ** (-step - 1)
        total = sum(moves[k])
        moves[k] = [value * (1 - stay) / total for value in moves[k]]
        moves[k][k] = stay
    best = [math.log(1 / len(starts)) if k in starts else -math.inf for k in range(count)]
    best = [best[k] + table[vocabulary.index(tokens[0]), k] for k in range(count)]
    back = []
    for token in tokens[1:]:
        scores = np.array(best)[:, np.newaxis] + np.log(moves)
        came = [int(k) for k in scores.argmax(axis=0)]
        best = [scores[k, to] + table[vocabulary.index(token), to] for to, k in enumerate(came)]
        back.append(came)
    path = [max(range(count), key=lambda k: best[k])]
    for came in reversed(back):
        path.append(came[path[-1]])
    return origins, path[::-1]


@pytest.mark.parametrize("point", [(0.75, 0.5, 0.33, 0.1), (0.6, 0.25, 0.5, 0.3), (0.9, 1.0, 0.2, 0.05)])
def test_scores_equal_those_of_a_dense_decoder_counted_word_by_word(point):
    grid = {name: [value] for name, value in zip(("lambda", "gamma", "delta", "epsilon"), point, strict=True)}
    params = TuningParams.model_validate({**grid, "resamples": 100})
    outcome = report(labels_of(SPEECH), [pair()], [talk()], params=params)
    row = next(
        row
        for row in outcome.kept.to_pylist()
        if [row[name] for name in ("model", *grid)] == ["paper", *point]
    )
    spoken = " ".join(text for text, _ in SPEECH).split()
    truth = [state for text, state in SPEECH for _ in text.split()]
    origins, path = slow_path(spoken, SENTENCES, KnobSetting("paper", *point).applied(HmmParams()), {0})
    scored = [
        (state, truth[word]) for word, state in zip(origins, path, strict=True) if truth[word] is not None
    ]
    assert row["words"] == len(scored)
    assert row["accuracy"] == round(sum(a == b for a, b in scored) / len(scored), 6)
    assert row["within_two"] == round(sum(abs(a - b) <= 2 for a, b in scored) / len(scored), 6)
    assert row["talks"] == [
        {
            "talk_id": "talk-1",
            "title": "Title of talk-1",
            "words": len(scored),
            "correct": sum(a == b for a, b in scored),
        }
    ]


def test_every_point_of_the_grid_has_a_row_and_the_current_one_is_marked():
    params = TuningParams.model_validate(
        {"lambda": [0.9, 0.5], "gamma": [0.5], "delta": [0.33], "resamples": 100}
    )
    outcome = report(labels_of(SPEECH), [pair()], [talk()], params=params)
    *rows, robust = outcome.kept.to_pylist()
    assert robust["model"] == "robust" and not robust["current"]
    points = [(row["lambda"], row["gamma"], row["delta"], row["epsilon"]) for row in rows]
    wanted = [(one, 0.5, 0.33, epsilon) for one in (0.5, 0.9) for epsilon in (0.05, 0.1, 0.3)]
    assert points == sorted([*wanted, (0.75, 0.5, 0.33, 0.1)]), "params.yaml's own point is added"
    assert [point for point, row in zip(points, rows, strict=True) if row["current"]] == [
        (0.75, 0.5, 0.33, 0.1)
    ]
    assert len({row["id"] for row in rows}) == 7
    assert {row["licence"] for row in rows} == {"CC-BY-4.0 AND CC0-1.0"}
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in rows)


def test_a_current_point_on_the_grid_appears_once():
    outcome = report(labels_of(SPEECH), [pair()], [talk()], params=TuningParams(resamples=100))
    assert outcome.kept.num_rows == 82
    assert outcome.kept["current"].to_pylist().count(True) == 1
    assert outcome.kept.schema == TUNING.kept


def test_the_other_params_are_those_of_params_yaml():
    roles = ["introduction", "related work", "other", "other", "other"]
    outcome = report(labels_of(SPEECH), [pair(roles=roles)], [talk()])
    assert "no_such_state" in dropped(outcome).values(), "an excluded role gives no state"
    every = HmmParams(excluded_roles=())
    assert (
        "no_such_state"
        not in dropped(report(labels_of(SPEECH), [pair(roles=roles)], [talk()], every)).values()
    )
    short = HmmParams(minimum_characters=60)
    assert (
        Counter(dropped(report(labels_of(SPEECH), [pair()], [talk()], short)).values())["no_such_state"] > 1
    )


def test_labels_that_cannot_be_scored_are_dropped_each_with_its_reason():
    spoken = " ".join(text for text, _ in SPEECH).split()
    stop = spoken.index("into")
    twice = [*SENTENCES, "The corpus contains letters of farmers and merchants too."]
    labels = [
        label(0, 8, SENTENCES[0][:40]),
        label(9, 18, None),
        label(19, 20, "Nobody wrote this sentence in the paper."),
        label(21, 22, "The corpus contains letters of farmers a"),
        label(stop, stop, SENTENCES[2][:40]),
        label(26, len(spoken), SENTENCES[3]),
        label(0, 3, SENTENCES[0], "stranger"),
        label(0, 3, SENTENCES[0], "twins"),
        label(0, 3, SENTENCES[0], "lonely"),
    ]
    talks = [talk(), talk("talk-2", "twins"), talk("talk-3", "twins"), talk("talk-4", "lonely")]
    outcome = report(labels, [pair(sentences=twice)], talks)
    assert dropped(outcome) == {
        "label-one-9": "no_sentence",
        "label-one-19": "no_such_state",
        "label-one-21": "ambiguous_sentence",
        f"label-one-{stop}": "no_words",
        "label-one-26": "beyond_the_talk",
        "label-stranger-0": "no_such_talk",
        "label-twins-0": "ambiguous_talk",
        "label-lonely-0": "talk_without_paper",
    }
    assert outcome.kept["source_ids"].to_pylist() == [["label-one-0"]] * 2
    details = {row["id"]: row["detail"] for row in outcome.dropped.to_pylist()}
    assert details["label-twins-0"] == "talk-2, talk-3"
    assert details["label-one-26"] == f"word {len(spoken)} of {len(spoken)} words"


@pytest.mark.parametrize(
    "one",
    [
        pair(speech=[("you and the", None)]),
        pair(sentences=[]),
        pair(roles=["references"] * 5),
    ],
    ids=["only stop words", "no sentences", "no states"],
)
def test_a_talk_that_cannot_be_aligned_gives_no_rows_and_loses_no_label(one):
    outcome = report([label(0, 1, SENTENCES[0])], [one], [talk()])
    assert outcome.kept.num_rows == 0
    assert outcome.dropped.num_rows == 1


def test_without_labels_there_is_nothing_to_report():
    outcome = report([], [pair()], [talk()])
    assert (outcome.kept.num_rows, outcome.dropped.num_rows, outcome.rejected.num_rows) == (0, 0, 0)
    assert outcome.kept.schema == TUNING.kept


def test_a_talk_over_a_single_sentence_is_aligned():
    outcome = report(
        [label(0, 2, SENTENCES[0])], [pair(speech=SPEECH[:1], sentences=SENTENCES[:1])], [talk()]
    )
    row, _ = outcome.kept.to_pylist()
    assert (row["accuracy"], row["low"], row["high"], row["within_two"]) == (1.0, 1.0, 1.0, 1.0)


def test_the_order_of_labels_talks_and_pairs_changes_nothing_but_the_order_of_sources():
    speech = [*SPEECH[:2], *SPEECH[3:]]
    labels = [*labels_of(SPEECH), *labels_of(speech, document="two")]
    pairs = [pair(), pair("talk-2", speech)]
    talks = [talk(), talk("talk-2", "two")]
    one = report(labels, pairs, talks).kept.to_pylist()
    other = report(labels, pairs[::-1], talks[::-1]).kept.to_pylist()
    assert one == other


def test_a_value_that_a_grid_lists_twice_is_refused():
    with pytest.raises(ValidationError, match="is listed twice"):
        TuningParams.model_validate({"lambda": [0.5, 0.5]})


# Intervals


@st.composite
def runs(draw):
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=8))
    points = draw(st.integers(1, 3))
    return sizes, [[draw(st.integers(0, size)) for size in sizes] for _ in range(points)]


@given(runs(), st.integers(0, 3))
def test_intervals_equal_those_of_resampling_runs_one_by_one(found, seed):
    sizes, correct = found
    draws = np.random.Generator(np.random.PCG64(seed))
    shares = []
    for _ in range(100):
        chosen = [int(index) for index in draws.integers(0, len(sizes), len(sizes))]
        total = sum(sizes[index] for index in chosen)
        shares.append([sum(row[index] for index in chosen) / total for row in correct])
    slow = []
    for column in zip(*shares, strict=True):
        ordered = sorted(column)
        bounds = []
        for share in (0.025, 0.975):
            place = share * (len(ordered) - 1)
            below = math.floor(place)
            above = min(below + 1, len(ordered) - 1)
            bounds.append(ordered[below] + (ordered[above] - ordered[below]) * (place - below))
        slow.append(bounds)
    fast = intervals(np.array(sizes, np.int64), np.array(correct, np.int64), seed, 100)
    assert np.allclose(fast, slow, atol=1e-6)


# The sample


@pytest.fixture(scope="module")
def sample():
    """The report on the sample corpus, made from its files."""
    from silverloom.ops.parse.papers import parse_papers
    from silverloom.ops.parse.sentences import SentenceParams, filter_sentences
    from silverloom.ops.parse.source import MonthRule, Source
    from silverloom.ops.talksumm.sources.talks import FORMATS as TRANSCRIPTS
    from silverloom.ops.talksumm.sources.talks import parse_talks

    def records(kind, raws, name="any"):
        return [Record(f"{name}/{raw.path}", name, kind, "Apache-2.0", "2018-06", raw) for raw in raws]

    def read(folder, pattern):
        return [
            Raw(path.name, path.stem, path.read_bytes()) for path in sorted((SAMPLE / folder).glob(pattern))
        ]

    rule = MonthRule(constant="2018-06")
    source = Source(kind="transcripts", path="talks", month=rule, licence="Apache-2.0")
    transcripts = TRANSCRIPTS["transcripts"].split(SAMPLE / "talks", source)
    talks = parse_talks(records("transcripts", transcripts, "talks")).kept
    papers = parse_papers(records("plain_text", read("papers/text", "*.txt"))).kept
    sentences = filter_sentences(papers, SentenceParams()).kept.to_pylist()
    labels = parse_gold_alignments(records("word_runs", read("alignments", "*.csv"))).kept
    pairs = []
    of_talk = {"agreement": "agreement-is-not-accuracy", "ask-back": "crowd-paraphrases"}
    named = {row["document"]: row["id"] for row in papers.to_pylist()}
    for row in talks.to_pylist():
        paper = named.get(of_talk.get(row["document"], row["document"]))
        if paper is not None:
            own = [one for one in sentences if one["paper_id"] == paper]
            one = pair(row["id"], [], [s["text"] for s in own], [s["role"] for s in own])
            pairs.append({**one, "words": row["words"], "talk_title": row["title"]})
    return report(labels.to_pylist(), pairs, talks.to_pylist(), params=TuningParams())


def test_the_samples_words_are_aligned_as_people_aligned_them(sample):
    assert sample.kept.num_rows == 82
    assert Counter(dropped(sample).values()) == {"no_sentence": 13}
    (row,) = [row for row in sample.kept.to_pylist() if row["current"]]
    shares = {one["title"].split(":")[0]: one["correct"] / one["words"] for one in row["talks"]}
    assert {title: round(share, 2) for title, share in shares.items()} == {
        "Agreement Is Not Accuracy": 0.82,
        "Ask Back": 0.72,
        "How Much Silver Is Enough? Mixing Hand-Labelled and Automatic Annotation for Small Taggers": 0.89,
    }
    assert (row["words"], row["accuracy"], row["within_two"]) == (815, 0.814724, 0.920245)
    assert (row["low"], row["high"]) == (0.756999, 0.86586)


def test_the_papers_params_are_near_the_best_on_the_sample(sample):
    rows = sample.kept.to_pylist()
    (row,) = [row for row in rows if row["current"]]
    assert max(one["accuracy"] for one in rows if one["model"] == "paper") - row["accuracy"] < 0.02


def test_the_robust_model_is_not_worse_than_the_papers_on_the_sample(sample):
    (robust,) = [row for row in sample.kept.to_pylist() if row["model"] == "robust"]
    (paper,) = [row for row in sample.kept.to_pylist() if row["current"]]
    assert robust["accuracy"] > paper["accuracy"] and robust["within_two"] > paper["within_two"]
