"""The filled rating sheets of the sample corpus are as data/sample/README.md says, and match its own sheets."""

import json
from collections import Counter
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from silverloom.assets.declare.params_file import section, settings
from silverloom.ops.discofuse.evaluation.people import PEOPLE as FUSION_PEOPLE
from silverloom.ops.evaluation.answers import parse_answers
from silverloom.ops.evaluation.table import TABLE
from silverloom.ops.parasci.evaluation.people import PEOPLE
from silverloom.ops.parse.papers import parse_papers
from silverloom.ops.parse.schemas import PAPERS, SENTENCES
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences
from silverloom.ops.talksumm.align.alignments import align
from silverloom.ops.talksumm.align.hmm import HmmParams
from silverloom.ops.talksumm.evaluation.human_evaluation import human_evaluation, rating_sheets
from silverloom.ops.talksumm.evaluation.people import RATING_SHEETS, HumanEvaluationParams, RatingSheetParams
from silverloom.ops.talksumm.matching import matches
from silverloom.ops.talksumm.pairing import PairParams, pairs
from silverloom.ops.talksumm.schemas import ALIGNMENTS, MATCHES, PAIRS, SUMMARIES, TALKS
from silverloom.ops.talksumm.sources.talks import parse_talks
from silverloom.ops.talksumm.summarise import SummaryParams, summaries
from silverloom.ops.wikisum.evaluation.people import QUALITY
from silverloom.ops.wikisum.evaluation.people import RatingSheetParams as LeadSheetParams
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.state.sources import corpus
from tests.parts import parts

RATINGS = Path(__file__).resolve().parents[2] / "data" / "sample" / "ratings"


def files_of(system):
    """The sheets of a system's questionnaires."""
    found = RATINGS.rglob(f"{system}_*")
    return sorted(path.relative_to(RATINGS).as_posix() for path in found)


@pytest.fixture(scope="module")
def everything():
    """The answers of all sheets."""
    months = settings().partitions.names
    outcomes = list(
        chain.from_iterable(
            corpus(workspace(), "ratings").records(month).map(parse_answers) for month in months
        )
    )
    assert not any(outcome.rejected.num_rows for outcome in outcomes)
    return pa.concat_tables(outcome.kept for outcome in outcomes)


@pytest.fixture(scope="module")
def answers(everything):
    """The answers about TalkSumm's summaries."""
    return everything.filter(pc.starts_with(everything["questionnaire"], "talksumm_"))


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory, answers):
    """The sample's answers about summaries made from the sample: the sheets, and the outcome."""
    folder = tmp_path_factory.mktemp("sample")

    def stored(schema, tables):
        return parts(folder, schema, pa.concat_tables([schema.empty_table(), *tables]))

    def parsed(name, op):
        for month in settings().partitions.names:
            yield from (outcome.kept for outcome in corpus(workspace(), name).records(month).map(op))

    papers = stored(PAPERS.kept, parsed("papers", parse_papers))
    talks = stored(TALKS.kept, parsed("talks", parse_talks))
    told = filter_sentences(papers.read(), section(SentenceParams)).kept
    sentences = stored(SENTENCES.kept, [told])
    scores = stored(MATCHES.kept, [outcome.kept for outcome in matches(talks, papers)])
    found = pairs(talks, scores, papers, sentences, section(PairParams))
    paired = stored(PAIRS.kept, [outcome.kept for outcome in found])
    alignments = stored(ALIGNMENTS.kept, [align(paired.read(), section(HmmParams)).kept])
    made = summaries(alignments.read(), paired.read(["id", "paper_title"]), section(SummaryParams)).kept
    [sheets] = rating_sheets(stored(SUMMARIES.kept, [made]), alignments, talks, section(RatingSheetParams))
    rated = stored(RATING_SHEETS.kept, [sheets.kept])
    ratings = stored(answers.schema, [answers])
    [outcome] = human_evaluation(ratings, rated, section(RatingSheetParams), section(HumanEvaluationParams))
    return sheets, outcome


def test_there_are_six_files_by_three_raters(answers):
    files = files_of("talksumm")
    assert files == [
        "ann/talksumm_sentences.csv",
        "ann/talksumm_summaries.csv",
        "bob/talksumm_sentences.csv",
        "bob/talksumm_summaries.csv",
        "chi/talksumm_sentences.csv",
        "chi/talksumm_summaries.json",
    ]
    assert Counter(answers["rater"].to_pylist()) == {"ann": 93, "bob": 93, "chi": 31}
    assert len(set(answers["row_id"].to_pylist())) == 93


def test_two_raters_rate_everything_and_the_third_one_paper(answers):
    papers = {}
    for row in answers.to_pylist():
        [title] = [one["text"] for one in row["shown"] if one["column"] == "paper_title"]
        papers.setdefault(row["rater"], set()).add(title)
    assert {rater: len(titles) for rater, titles in papers.items()} == {"ann": 3, "bob": 3, "chi": 1}


def test_the_sheets_made_from_the_sample_are_those_that_were_filled_in(evaluated, answers):
    sheets, _ = evaluated
    assert set(answers["row_id"].to_pylist()) == set(sheets.kept["id"].to_pylist())


def test_every_answer_but_two_counts(evaluated, answers):
    _, outcome = evaluated
    assert outcome.dropped.select(["reason", "detail"]).to_pylist() == [
        {"reason": "no_answer", "detail": "people/bob/talksumm_sentences.csv, line 12"}
    ]
    [error] = outcome.rejected["error"].to_pylist()
    assert error.startswith("people/bob/talksumm_sentences.csv, line 22: row 'rated-")
    assert error.endswith("question 'considered': 'perhaps' is none of yes, no")
    assert sum(outcome.kept["raters"].to_pylist()) == answers.num_rows - 2 == 215


def test_the_table_is_the_documented_one(evaluated):
    _, outcome = evaluated
    table = json.loads(outcome.files[TABLE])
    shown = Path(__file__).resolve().parents[2] / "docs/how-to/human-evaluation.md"
    text = shown.read_text(encoding="utf-8")
    for one in table["questions"]:
        numbers = f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}] of {one['ratings']} ratings"
        assert f"{one['question']}: {numbers}; the paper {one['paper']['mean']}" in text
    for one in table["agreement"]:
        kappa = one["kappa"] and round(one["kappa"], 3)
        assert f"{one['question']} {one['rater']} kappa {kappa}\n" in text


def test_two_raters_rate_leads_and_a_third_compares_them(everything):
    own = everything.filter(pc.starts_with(everything["questionnaire"], "wikisum_"))
    assert files_of("wikisum") == [
        "ann/wikisum_preference.csv",
        "ann/wikisum_quality.csv",
        "bob/wikisum_preference.csv",
        "bob/wikisum_quality.csv",
        "chi/wikisum_preference.csv",
    ]
    assert Counter(own["rater"].to_pylist()) == {"ann": 34, "bob": 34, "chi": 4}
    asked = section(LeadSheetParams)
    assert own.num_rows == asked.articles * (2 * 5 * len(asked.systems) + 3 * len(asked.pairs))


def test_one_answer_about_leads_is_missing_and_one_is_outside_the_scale(everything):
    own = everything.filter(pc.equal(everything["questionnaire"], QUALITY.name)).to_pylist()
    odd = [
        (row["file"], row["place"], row["answer"])
        for row in own
        if row["answer"] not in QUALITY.questions[0].scale.values
    ]
    assert odd == [
        ("people/bob/wikisum_quality.csv", "line 4", None),
        ("people/bob/wikisum_quality.csv", "line 5", "6"),
    ]


def test_three_raters_rate_pairs_and_two_count_their_phenomena(everything):
    own = everything.filter(pc.starts_with(everything["questionnaire"], "parasci_"))
    assert files_of("parasci") == [
        "ann/parasci_pairs.csv",
        "ann/parasci_phenomena.csv",
        "bob/parasci_pairs.csv",
        "bob/parasci_phenomena.csv",
        "chi/parasci_pairs.csv",
    ]
    assert Counter(own["rater"].to_pylist()) == {"ann": 92, "bob": 92, "chi": 44}
    scales = {question.name: question.scale for question in PEOPLE.questions}
    odd = [
        (row["file"], row["place"], row["question"], row["answer"])
        for row in own.to_pylist()
        if row["answer"] not in scales[row["question"]].values
    ]
    assert odd == [
        ("people/bob/parasci_pairs.csv", "line 4", "phrasal", None),
        ("people/bob/parasci_pairs.csv", "line 5", "lexical", "7"),
    ]


def test_two_raters_rate_examples_and_a_third_decides_nothing(everything):
    own = everything.filter(pc.starts_with(everything["questionnaire"], "discofuse_"))
    assert files_of("discofuse") == [
        "ann/discofuse_clarity.csv",
        "ann/discofuse_decisions.csv",
        "ann/discofuse_detection.csv",
        "bob/discofuse_clarity.csv",
        "bob/discofuse_decisions.csv",
        "bob/discofuse_detection.csv",
        "chi/discofuse_clarity.csv",
        "chi/discofuse_detection.csv",
    ]
    assert Counter(own["rater"].to_pylist()) == {"ann": 44, "bob": 44, "chi": 20}
    scales = {question.name: question.scale for question in FUSION_PEOPLE.questions}
    odd = [
        (row["file"], row["place"], row["question"], row["answer"])
        for row in own.to_pylist()
        if row["answer"] not in scales[row["question"]].values
    ]
    assert odd == [
        ("people/bob/discofuse_clarity.csv", "line 5", "understandable", None),
        ("people/bob/discofuse_decisions.csv", "line 6", "merge", "perhaps"),
    ]
