"""A finite conjunct without its own subject after a comma gives two candidates, one of which becomes an example."""

import pyarrow as pa
import pytest

from silverloom.ops.discofuse import annotator, fusion_examples
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.dataset.examples import ExampleParams
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import PROSE
from tests.ops.discofuse.example_cases import made_of

PARAMS = AnnotationParams()
BOTH = (
    "The band recorded an album in London , but toured Europe in the same year .",
    "The old company built a bridge over the river , and sold it to the state .",
)
SENTENCE_ALONE = "They lost three of the best players in May , but were still able to win the cup ."
VERB_PHRASE_ALONE = "The band recorded an album in London and toured Europe in the same year ."


def types(text):
    return [example.discourse_type for example in fusion_examples(text, annotator())]


def rows(text):
    prose = {
        **dict.fromkeys(PROSE.kept.names, "x"),
        "source_ids": ["file"],
        "holes": [],
        "text": text.replace(" ,", ","),
    }
    parsed = annotate(pa.Table.from_pylist([prose], schema=PROSE.kept), PARAMS)
    outcome = made_of(candidates(parsed.kept, PARAMS, RuleParams()).kept, ExampleParams())
    return outcome.kept["discourse_type"].to_pylist(), outcome.dropped["reason"].to_pylist()


@pytest.mark.parametrize("text", BOTH)
def test_one_text_gives_both_and_the_dataset_keeps_sentence_coordination(text):
    assert types(text) == ["SINGLE_S_COORD", "SINGLE_VP_COORD"]
    assert rows(text) == (["SINGLE_S_COORD"], ["repeated"])


def test_be_after_a_comma_is_sentence_coordination_only():
    assert types(SENTENCE_ALONE) == ["SINGLE_S_COORD"]
    assert rows(SENTENCE_ALONE) == (["SINGLE_S_COORD"], [])


def test_without_a_comma_it_is_verb_phrase_coordination_only():
    assert types(VERB_PHRASE_ALONE) == ["SINGLE_VP_COORD"]
    assert rows(VERB_PHRASE_ALONE) == (["SINGLE_VP_COORD"], [])
