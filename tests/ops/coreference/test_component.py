import importlib.util

import pytest
import spacy

from silverloom.ops.coreference.component import CLUSTERS, coreference, links_of, links_of_clusters
from silverloom.ops.coreference.ranker import ranker
from silverloom.ops.models.installed import ModelNotInstalledError
from tests.ops.coreference.parses import ANNA_MET_PAUL, PEOPLE, SHE_LIKED_HIM, parse

HARD = {
    "no token": (),
    "no verb": ("A/DT/det/1 museum/NN/ROOT/1 ././punct/1", "It/PRP/ROOT/0 ././punct/0", "His/PRP$/ROOT/0"),
    "only signs": ("././ROOT/0 !/./punct/0", ",/,/ROOT/0"),
    "emoji": ("😀/NNP/nsubj/1 saw/VBD/ROOT/1 🎉/NNP/dobj/1", "He/PRP/nsubj/1 saw/VBD/ROOT/1 it/PRP/dobj/1"),
    "treebank's brackets and quotes": (
        "``/``/punct/2 Anna/NNP/nsubj/2 left/VBD/ROOT/2 ''/''/punct/2 -LRB-/-LRB-/punct/2 she/PRP/nsubj/6 said/VBD/ccomp/2",
    ),
    "a circle of coordinations": ("Anna/NNP/conj/1 Paul/NNP/conj/0 she/PRP/conj/1",),
}


def component(backend="ranker", threshold=0.7, nominal_threshold=0.8):
    return coreference(spacy.blank("en"), "coreference", backend, threshold, nominal_threshold)


def test_a_document_has_links_and_clusters_above_the_threshold():
    document = component(threshold=0.3)(parse(ANNA_MET_PAUL, SHE_LIKED_HIM, entities=PEOPLE))
    best = {}
    for link in links_of(document):
        best.setdefault(document[slice(*link.mention)].text, document[slice(*link.antecedent)].text)
    assert best == {"She": "Anna", "him": "Paul"}
    named = sorted(
        [span.text for span in spans] for name, spans in document.spans.items() if name.startswith(CLUSTERS)
    )
    assert named == [["Anna", "She"], ["Paul", "him"]]


def test_clusters_depend_on_the_threshold_and_links_do_not():
    low, high = (
        component(threshold=threshold)(parse(ANNA_MET_PAUL, SHE_LIKED_HIM, entities=PEOPLE))
        for threshold in (0.3, 1.01)
    )
    assert links_of(low) == links_of(high) != ()
    assert list(high.spans) == []


@pytest.mark.parametrize("sentences", HARD.values(), ids=HARD.keys())
def test_odd_documents_are_accepted(sentences):
    document = parse(*sentences) if sentences else spacy.blank("en")("")
    document = component(threshold=0.0, nominal_threshold=0.0)(document)
    for link in links_of(document):
        assert link.antecedent[1] <= link.mention[0] < link.mention[1] <= len(document)
        assert 0.2 <= link.score <= 1.0


def test_a_sentence_of_a_thousand_tokens_has_no_more_links_than_its_pronouns_allow():
    words = " ".join(["she/PRP/nsubj/1000", "Anna/NNP/dobj/1000"] * 500)
    document = parse(words + " met/VBD/ROOT/1000", entities=PEOPLE)
    links = ranker()(document).links
    assert links and len(links) <= 500 * 2 * 4


def test_the_same_document_gives_the_same_links_with_and_without_others_before_it():
    find = ranker()
    document = parse(ANNA_MET_PAUL, SHE_LIKED_HIM, entities=PEOPLE)
    alone = find(document)
    find(parse("Tom/NNP/nsubj/1 left/VBD/ROOT/1"))
    assert find(document) == alone
    assert all(link.score == round(link.score, 4) for link in alone.links)


def test_a_back_end_may_find_nothing():
    document = component("none")(parse(ANNA_MET_PAUL, SHE_LIKED_HIM, entities=PEOPLE))
    assert links_of(document) == () and list(document.spans) == []


def test_an_unknown_back_end_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match="no coreference back end 'oracle': choose one of ranker, fastcoref, none"
    ):
        component("oracle")


@pytest.mark.skipif(importlib.util.find_spec("fastcoref") is not None, reason="it is installed")
def test_a_missing_back_end_says_how_to_install_it():
    with pytest.raises(
        ModelNotInstalledError, match=r"'fastcoref' is not installed: run `pip install fastcoref`"
    ):
        component("fastcoref")


def test_clusters_of_another_system_become_links_to_earlier_mentions():
    document = parse(
        "Anna/NNP/nsubj/1 saw/VBD/ROOT/1 the/DT/det/3 team/NN/dobj/1",
        "She/PRP/nsubj/1 liked/VBD/ROOT/1 the/DT/det/3 team/NN/dobj/1",
    )
    links = links_of_clusters(document, [[(0, 1), (4, 5)], [(2, 4), (6, 8)]])
    assert [(link.kind, link.mention, link.antecedent) for link in links] == [
        ("pronoun", (4, 5), (0, 1)),
        ("nominal", (6, 8), (2, 4)),
    ]


def test_he_never_refers_to_a_team():
    document = component(threshold=0.0)(
        parse(
            "Leeds/NNP/compound/1 United/NNP/nsubj/2 won/VBD/ROOT/2 ././punct/2",
            "He/PRP/nsubj/1 scored/VBD/ROOT/1 ././punct/1",
            entities=(("Leeds United", "PERSON"),),
        )
    )
    assert not links_of(document)


@pytest.mark.parametrize(("tag", "count"), [("DT", 1), ("WDT", 0)])
def test_that_before_a_noun_is_anaphoric_only_as_a_demonstrative(tag, count):
    document = component()(
        parse(
            "Anna/NNP/nsubj/1 built/VBD/ROOT/1 a/DT/det/4 new/JJ/amod/4 museum/NN/dobj/1",
            f"She/PRP/nsubj/1 knows/VBZ/ROOT/1 that/{tag}/det/3 museum/NN/dobj/1",
        )
    )
    assert sum(link.kind == "nominal" for link in links_of(document)) == count
