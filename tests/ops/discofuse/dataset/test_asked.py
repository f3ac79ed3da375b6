"""Entities and lemmas where they are asked for: the rules yield what they yield with all of them."""

from pathlib import Path

import pytest

from silverloom.ops.coreference.component import COMPONENT
from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.dataset.asked import Entities
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.models.spacy_pipeline import SPACY_PIPELINE, load_pipeline

SAMPLE = Path(__file__).parents[4] / "data/sample/prose/encyclopedia"
TEXT = (
    "Helen Orr, a painter, ain't been in Lissa. She says it isn't far. the mill is old and the mill has closed.\n\n"
    "it was gonna rain for two days. Let's go, although the mill got wet in 1901."
)


def _made(annotation):
    return [(item.example, item.rule, item.sentence) for item in candidates(annotation, RuleParams())]


@pytest.fixture(scope="module")
def everything():
    """The pipeline with spaCy's own components on all tokens."""
    nlp = load_pipeline(str(SPACY_PIPELINE))
    nlp.add_pipe("sentence_ends", first=True)
    nlp.add_pipe(COMPONENT, last=True)
    return nlp


def test_the_rules_yield_the_same_candidates_as_with_all_entities_and_lemmas(everything):
    texts = [TEXT, *(path.read_text() for path in sorted(SAMPLE.rglob("[c-z]*.txt"))[:20])]
    for text in texts:
        asked, whole = Annotation.of(annotator()(text)), Annotation.of(everything(text))
        assert _made(asked) == _made(whole)


def test_verbs_have_the_lemmas_of_the_whole_pipeline(everything):
    for token, other in zip(annotator()(TEXT), everything(TEXT), strict=True):
        assert (token.text, token.tag_, token.dep_) == (other.text, other.tag_, other.dep_)
        if token.tag_[:2] in ("VB", "MD") and token.lower_ not in ("ai", "gon"):
            assert token.lemma_ == other.lemma_


def test_only_sentences_that_may_hold_a_name_or_a_time_are_read():
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


def test_entities_lie_where_they_are_in_the_document():
    document = annotator()("The mill is old. It lies in France. Nobody lives there. Ann saw it two days ago.")
    found = [(entity.text, entity.label_) for entity in document.ents]
    assert ("France", "GPE") in found
    assert ("two days ago", "DATE") in found
    assert all(document[entity.start : entity.end].text == entity.text for entity in document.ents)
