import hashlib

import numpy as np
import pytest

from silverloom.ops.coreference.entities import ENTITIES, SENTENCES, Reading, Window
from silverloom.ops.coreference.feature_names import NAMES, WIDTH
from silverloom.ops.coreference.features import features
from silverloom.ops.coreference.mentions import anaphors, names
from silverloom.ops.coreference.network import network
from silverloom.ops.coreference.pairs import controls, violates_binding
from silverloom.ops.coreference.ranker import resolve
from silverloom.ops.coreference.titles import with_title
from silverloom.ops.coreference.tokens import DocumentTokens
from tests.ops.coreference.parses import ANNA_MET_PAUL, PEOPLE, SHE_LIKED_HIM, parse


def read(*sentences, entities=PEOPLE):
    return Reading.of(DocumentTokens.of(parse(*sentences, entities=entities)))


@pytest.mark.parametrize(
    ("sentence", "forbidden"),
    [
        ("Paul/NNP/nsubj/1 saw/VBD/ROOT/1 him/PRP/dobj/1", True),
        ("Paul/NNP/nsubj/1 saw/VBD/ROOT/1 himself/PRP/dobj/1", False),
        ("Paul/NNP/nsubj/1 sold/VBD/ROOT/1 his/PRP$/poss/3 car/NN/dobj/1", False),
        ("Anna/NNP/nsubj/1 saw/VBD/ROOT/1 her/PRP$/poss/3 Paul/NNP/dobj/1", False),
        ("Paul/NNP/nsubj/3 and/CC/cc/0 him/PRP/conj/0 left/VBD/ROOT/3", True),
        ("Paul/NNP/nsubj/1 said/VBD/ROOT/1 he/PRP/nsubj/3 left/VBD/ccomp/1", False),
        ("Anna/NNP/nsubj/5 ,/,/punct/0 who/WP/nsubj/3 lost/VBD/relcl/0 her/PRP$/poss/5 job/NN/dobj/3", False),
    ],
)
def test_an_object_is_not_the_subject_of_its_clause_but_a_possessive_or_a_reflexive_may_be(
    sentence, forbidden
):
    tokens = DocumentTokens.of(parse(sentence, entities=PEOPLE))
    (anaphor,) = anaphors(tokens)
    assert violates_binding(tokens, anaphor, names(tokens)[0]) is forbidden


def test_a_possession_is_not_its_owner():
    tokens = DocumentTokens.of(
        parse(
            "I/PRP/nsubj/1 met/VBD/ROOT/1 her/PRP$/poss/3 friend/NN/dobj/1 Anna/NNP/appos/3", entities=PEOPLE
        )
    )
    (anaphor,) = anaphors(tokens)
    assert violates_binding(tokens, anaphor, names(tokens)[0])


def test_a_controlled_clause_has_the_right_governor():
    tokens = DocumentTokens.of(
        parse(
            "Anna/NNP/nsubj/1 asked/VBD/ROOT/1 Paul/NNP/dobj/1 to/TO/aux/4 help/VB/xcomp/1 her/PRP/dobj/4",
            entities=PEOPLE,
        )
    )
    (anaphor,) = anaphors(tokens)
    assert [controls(tokens, anaphor, name) for name in names(tokens)] == [True, True]
    tokens = DocumentTokens.of(parse("Paul/NNP/nsubj/1 sold/VBD/ROOT/1 his/PRP$/poss/3 car/NN/dobj/1"))
    (anaphor,) = anaphors(tokens)
    assert not controls(tokens, anaphor, names(tokens)[0])


def test_each_candidate_has_a_row_and_so_does_no_candidate():
    reading = read(ANNA_MET_PAUL, SHE_LIKED_HIM)
    window = Window(reading.people)
    for anaphor in reading.anaphors:
        antecedents = window.before(anaphor)
        rows = features(reading.tokens, anaphor, antecedents, [])
        assert len(rows) == len(antecedents) + 1 == 3
        assert {len(row) for row in rows} == {WIDTH}


ROWS, DIGEST = 70, "3ab72b3990d8a0cab585db8a43107566"
#: One of each: binding, control, a possessive, a list, a relative clause, a passive, a name after its pronoun.
DOCUMENTS = [
    [ANNA_MET_PAUL, SHE_LIKED_HIM, "Then/RB/advmod/2 she/PRP/nsubj/2 left/VBD/ROOT/2"],
    ["Paul/NNP/nsubj/1 said/VBD/ROOT/1 he/PRP/nsubj/3 left/VBD/ccomp/1", SHE_LIKED_HIM],
    [
        "Anna/NNP/nsubj/1 asked/VBD/ROOT/1 Paul/NNP/dobj/1 to/TO/aux/4 help/VB/xcomp/1 her/PRP/dobj/4",
        "Paul/NNP/nsubj/1 sold/VBD/ROOT/1 his/PRP$/poss/3 car/NN/dobj/1",
        "Paul/NNP/nsubj/1 saw/VBD/ROOT/1 himself/PRP/dobj/1",
    ],
    [
        "Anna/NNP/nsubj/5 ,/,/punct/0 who/WP/nsubj/3 lost/VBD/relcl/0 her/PRP$/poss/5 job/NN/dobj/3",
        "Paul/NNP/nsubj/3 and/CC/cc/0 him/PRP/conj/0 left/VBD/ROOT/3",
        "In/IN/prep/4 her/PRP$/poss/2 youth/NN/pobj/0 Anna/NNP/nsubj/4 sang/VBD/ROOT/4",
    ],
    [
        "Anna/NNP/nsubjpass/2 was/VBD/auxpass/2 seen/VBN/ROOT/2 by/IN/agent/2 Paul/NNP/pobj/3",
        "He/PRP/nsubj/1 smiled/VBD/ROOT/1",
    ],
]


def test_the_features_are_those_that_the_weights_were_fitted_to():
    """The order of the names is that of the weights: another name, or another value, gives another digest."""
    rows = [
        row
        for title in (None, "Anna Lee")
        for document in DOCUMENTS
        for item in resolve(
            Reading.of(DocumentTokens.of(with_title(parse(*document, entities=PEOPLE), title))), network()
        )
        for row in item.rows
    ]
    assert len(rows) == ROWS
    content = np.asarray(rows, np.float64).round(6) + 0.0
    assert hashlib.md5(content.tobytes(), usedforsecurity=False).hexdigest() == DIGEST


def test_features_are_read_by_their_names():
    assert len(NAMES) == len(set(NAMES)) == WIDTH == 132
    reading = read(ANNA_MET_PAUL, SHE_LIKED_HIM)
    she = reading.anaphors[0]
    candidates_of_she = Window(reading.people).before(she)
    *rows, none = (
        dict(zip(NAMES, row, strict=True)) for row in features(reading.tokens, she, candidates_of_she, [])
    )
    anna = next(row for row in rows if row["role.subject"])
    assert anna["distance.one_sentence_back"] and anna["grammar.subject_for_subject"]
    assert anna["kind.gender_fit"] > 0.9 and not anna["distance.same_sentence"]
    assert anna["pronoun.feminine"] and anna["place.first_in_sentence"]
    assert none["distance.is_candidate"] == 0.0


def test_without_a_candidate_no_antecedent_is_certain():
    (item,) = resolve(read("She/PRP/nsubj/1 left/VBD/ROOT/1"), network())
    assert item.candidates == [] and item.probabilities.tolist() == [1.0]


def test_candidates_precede_the_pronoun_or_follow_it_in_its_sentence():
    reading = read(
        "In/IN/prep/4 her/PRP$/poss/2 youth/NN/pobj/0 Anna/NNP/nsubj/4 sang/VBD/ROOT/4", ANNA_MET_PAUL
    )
    (candidate,) = Window(reading.people).before(reading.anaphors[0])
    assert (candidate.before, [mention.start for mention in candidate.after]) == ([], [3])


def test_a_pronoun_in_a_long_document_looks_no_further_than_the_window():
    name = "{}/NNP/nsubj/1 left/VBD/ROOT/1 ././punct/1"
    people = [name.format(f"X{number}q") for number in range(300)]
    reading = read(*people, "He/PRP/nsubj/1 left/VBD/ROOT/1", entities=())
    assert len(reading.people) == 300
    antecedents = Window(reading.people).before(reading.anaphors[0])
    assert len(antecedents) == SENTENCES
    one_sentence = " ".join(f"X{number}q/NNP/nsubj/300" for number in range(300))
    reading = read(one_sentence + " met/VBD/ROOT/300 him/PRP/dobj/300", entities=())
    assert len(Window(reading.people).before(reading.anaphors[0])) <= ENTITIES


def test_women_and_men_are_distinguished():
    she, him = resolve(read(ANNA_MET_PAUL, SHE_LIKED_HIM), network())
    named = {item.anaphor.mention.start: item for item in (she, him)}
    for start, name in ((4, 0), (6, 2)):
        item = named[start]
        best = item.candidates[int(item.probabilities.argmax())]
        assert best.entity.mentions[0].start == name
