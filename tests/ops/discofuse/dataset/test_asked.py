"""Entities and lemmas where they are asked for: the rules yield what they yield with all of them."""

from pathlib import Path

import pytest

from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.dataset.asked import Entities
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.models.spacy_pipeline import SPACY_PIPELINE, load_pipeline

SAMPLE = Path(__file__).parents[4] / "data/sample/prose/encyclopedia"
TEXT = (
    "Helen Orr, a painter, ain't been in Lissa. She says it isn't far. the mill is old and the mill has closed.\n\n"
    "She was kind and ain't lazy. The king died in march, which was cold. c'mon, it got wet in the nineties.\n\n"
    "it was gonna rain for two days. Let's go, although the mill got wet in 1901."
)


def _made(annotation):
    return [(item.example, item.rule, item.sentence) for item in candidates(annotation, RuleParams())]


@pytest.fixture(scope="module")
def asked():
    """The pipeline as the rules use it."""
    return annotator(whole=False)


def test_the_rules_yield_the_same_candidates_as_with_all_entities_and_lemmas(asked):
    texts = [TEXT, *(path.read_text() for path in sorted(SAMPLE.rglob("[c-z]*.txt"))[:20])]
    for text in texts:
        assert _made(Annotation.of(asked(text))) == _made(Annotation.of(annotator()(text)))


def test_verbs_have_the_lemmas_of_the_whole_pipeline(asked):
    for token, other in zip(asked(TEXT), annotator()(TEXT), strict=True):
        assert (token.text, token.tag_, token.dep_) == (other.text, other.tag_, other.dep_)
        if token.tag_[:2] in ("VB", "MD"):
            assert token.lemma_ == other.lemma_


def test_only_sentences_that_may_hold_a_name_or_a_time_are_read(asked):
    read = []

    class Recogniser:
        def pipe(self, documents, batch_size):
            documents = list(documents)
            read.extend(document.text.strip() for document in documents)
            return documents

    class Pipeline:
        def get_pipe(self, name):
            return Recogniser()

    document = annotator()(
        "The mill is old. It lies in Gaul. It is wet. He left a day ago. Gaul is flat. All is well."
    )
    Entities(Pipeline())(document)
    assert read == ["It lies in Gaul. He left a day ago. Gaul is flat."]


def test_entities_lie_where_they_are_in_the_document(asked):
    document = asked("The mill is old. It lies in France. Nobody lives there. Ann saw it two days ago.")
    found = [(entity.text, entity.label_) for entity in document.ents]
    assert ("France", "GPE") in found
    assert ("two days ago", "DATE") in found
    assert all(document[entity.start : entity.end].text == entity.text for entity in document.ents)


def test_the_pipeline_for_everyone_has_parts_of_speech_and_all_lemmas():
    document = annotator()("The mills were old.")
    assert [token.pos_ for token in document] == ["DET", "NOUN", "AUX", "ADJ", "PUNCT"]
    assert [token.lemma_ for token in document] == ["the", "mill", "be", "old", "."]
    assert [chunk.text for chunk in document.noun_chunks] == ["The mills"]


def test_a_pipeline_with_components_of_its_own_does_all_that_they_do(tmp_path):
    pipeline = load_pipeline(SPACY_PIPELINE)
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "ORG", "pattern": "mill"}])
    pipeline.to_disk(tmp_path)
    document = annotator(str(tmp_path), whole=False)("The mill is old.")
    assert [(entity.text, entity.label_) for entity in document.ents] == [("mill", "ORG")]
