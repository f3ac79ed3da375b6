import pytest

from silverloom.ops.coreference.component import NOMINAL_THRESHOLD
from silverloom.ops.coreference.entities import Reading
from silverloom.ops.coreference.neuter_pronouns import is_impersonal, neuter_pronouns
from silverloom.ops.coreference.nominals import nominals
from silverloom.ops.coreference.tokens import DocumentTokens
from tests.ops.coreference.parses import parse

MUSEUM_OPENED = "The/DT/det/1 museum/NN/nsubj/2 opened/VBD/ROOT/2 in/IN/prep/2 Oslo/NNP/pobj/3 ././punct/2"


def best(*sentences, entities=()):
    tokens = DocumentTokens.of(parse(*sentences, entities=entities))
    by_pronoun = {}
    for item in neuter_pronouns(Reading.of(tokens)):
        mention = item.mention
        text = " ".join(tokens.words[mention.start : mention.end])
        by_pronoun.setdefault(tokens.words[item.anaphor.mention.start], (text, item.score))
    return by_pronoun


@pytest.mark.parametrize(
    "sentence",
    [
        "It/PRP/nsubj/1 is/VBZ/ROOT/1 clear/JJ/acomp/1 that/IN/mark/5 we/PRP/nsubj/5 lost/VBD/ccomp/1",
        "It/PRP/nsubjpass/2 is/VBZ/auxpass/2 known/VBN/ROOT/2 that/IN/mark/5 we/PRP/nsubj/5 lost/VBD/ccomp/2",
        "It/PRP/nsubj/3 can/MD/aux/3 be/VB/aux/3 challenging/VBG/ROOT/3 to/TO/aux/5 win/VB/xcomp/3",
        "It/PRP/nsubj/1 seems/VBZ/ROOT/1 that/IN/mark/4 we/PRP/nsubj/4 lost/VBD/ccomp/1",
        "It/PRP/nsubj/1 rained/VBD/ROOT/1",
        "This/DT/nsubj/1 makes/VBZ/ROOT/1 it/PRP/nsubj/3 easy/JJ/ccomp/1 to/TO/aux/5 win/VB/xcomp/3",
    ],
)
def test_an_it_for_a_clause_or_the_weather_has_no_antecedent(sentence):
    tokens = DocumentTokens.of(parse(sentence))
    assert is_impersonal(tokens, tokens.lower.index("it"))


@pytest.mark.parametrize(
    "sentence",
    [
        "It/PRP/nsubj/1 closed/VBD/ROOT/1 in/IN/prep/1 May/NNP/pobj/2",
        "We/PRP/nsubj/1 sold/VBD/ROOT/1 it/PRP/dobj/1",
        "It/PRP/nsubj/1 is/VBZ/ROOT/1 large/JJ/acomp/1",
        "It/PRP/nsubj/2 is/VBZ/aux/2 trying/VBG/ROOT/2 to/TO/aux/4 win/VB/xcomp/2",
    ],
)
def test_an_it_with_a_clause_of_its_own_has_an_antecedent(sentence):
    tokens = DocumentTokens.of(parse(sentence))
    assert not is_impersonal(tokens, tokens.lower.index("it"))


def test_it_refers_to_the_subject_of_the_previous_sentence():
    antecedents = best(MUSEUM_OPENED, "It/PRP/nsubj/1 closed/VBD/ROOT/1 ././punct/1")
    text, score = antecedents["It"]
    assert text == "The museum" and score > 0.6


def test_they_refers_to_plurals_and_it_to_singulars():
    sentence = "The/DT/det/1 birds/NNS/nsubj/2 left/VBD/ROOT/2 the/DT/det/4 nest/NN/dobj/2 ././punct/2"
    antecedents = best(
        sentence,
        "They/PRP/nsubj/1 fly/VBP/ROOT/1 ././punct/1",
    )
    assert antecedents["They"][0] == "The birds"
    assert best(sentence, "It/PRP/nsubj/1 fell/VBD/ROOT/1")["It"][0] == "the nest"


def test_they_refers_to_a_whole_coordination():
    antecedents = best(
        "Anna/NNP/nsubj/3 and/CC/cc/0 Paul/NNP/conj/0 left/VBD/ROOT/3 ././punct/3",
        "They/PRP/nsubj/1 sang/VBD/ROOT/1",
        entities=(("Anna", "PERSON"), ("Paul", "PERSON")),
    )
    assert antecedents["They"][0] == "Anna and Paul"


def links(*sentences, entities=()):
    tokens = DocumentTokens.of(parse(*sentences, entities=entities))
    return [
        (
            " ".join(tokens.words[item.mention.start : item.mention.end]),
            " ".join(tokens.words[item.antecedent.start : item.antecedent.end]),
        )
        for item in nominals(Reading.of(tokens))
    ]


CITY = "The/DT/det/1 city/NN/nsubj/2 grew/VBD/ROOT/2"


OSLO = ("We/PRP/nsubj/1 left/VBD/ROOT/1 Oslo/NNP/dobj/1", (("Oslo", "GPE"),))
OLD_DOGS = "The/DT/det/2 old/JJ/amod/2 dogs/NNS/nsubj/3 ran/VBD/ROOT/3"


@pytest.mark.parametrize(
    ("first", "entities", "second", "link"),
    [
        (*OSLO, CITY, ("The city", "Oslo")),
        (*OSLO, "A/DT/det/1 city/NN/nsubj/2 grew/VBD/ROOT/2", None),
        (*OSLO, "The/DT/det/2 old/JJ/amod/2 city/NN/nsubj/3 grew/VBD/ROOT/3", None),
        (*OSLO, "The/DT/det/1 city/NN/nsubj/4 of/IN/prep/1 Rome/NNP/pobj/2 grew/VBD/ROOT/4", None),
        (*OSLO, "The/DT/det/1 cities/NNS/nsubj/2 grew/VBD/ROOT/2", None),
        (*OSLO, "The/DT/det/1 man/NN/nsubj/2 grew/VBD/ROOT/2", None),
        (OLD_DOGS, (), "These/DT/det/1 dogs/NNS/nsubj/2 ate/VBD/ROOT/2", ("These dogs", "The old dogs")),
        (OLD_DOGS, (), "The/DT/det/1 dogs/NNS/nsubj/2 ate/VBD/ROOT/2", None),
        (
            "The/DT/det/2 only/JJ/amod/2 dog/NN/nsubj/3 ran/VBD/ROOT/3", (),
            "The/DT/det/1 dog/NN/nsubj/2 ate/VBD/ROOT/2", None,
        ),
        (
            "A/DT/det/2 new/JJ/amod/2 museum/NN/nsubj/3 opened/VBD/ROOT/3", (),
            "The/DT/det/1 museum/NN/nsubj/2 closed/VBD/ROOT/2", ("The museum", "A new museum"),
        ),
        (
            "A/DT/det/2 different/JJ/amod/2 model/NN/nsubj/3 won/VBD/ROOT/3", (),
            "The/DT/det/1 model/NN/nsubj/2 failed/VBD/ROOT/2", None,
        ),
        (
            "Paul/NNP/nsubj/1 sang/VBD/ROOT/1", (("Paul", "PERSON"),),
            "The/DT/det/1 woman/NN/nsubj/2 left/VBD/ROOT/2", None,
        ),
    ],
)  # fmt: skip
def test_a_nominal_refers_to_the_name_or_the_phrase_that_it_may_mean(first, entities, second, link):
    assert links(first, second, entities=entities) == ([link] if link else [])


def scores_of(*sentences, entities=()):
    tokens = DocumentTokens.of(parse(*sentences, entities=entities))
    return [item.score for item in nominals(Reading.of(tokens))]


def test_this_means_the_nearer_of_two_noun_phrases_and_the_may_mean_either():
    first = "The/DT/det/2 old/JJ/amod/2 dog/NN/nsubj/3 ran/VBD/ROOT/3"
    second = "The/DT/det/2 new/JJ/amod/2 dog/NN/nsubj/3 ran/VBD/ROOT/3"
    surely = scores_of(first, second, "This/DT/det/1 dog/NN/nsubj/2 ate/VBD/ROOT/2")
    maybe = scores_of(first, second, "The/DT/det/1 dog/NN/nsubj/2 ate/VBD/ROOT/2")
    assert surely[0] >= NOMINAL_THRESHOLD > maybe[0]


@pytest.mark.parametrize(("verb", "sure"), [("won", True), ("grew", False)])
def test_a_team_needs_a_sentence_about_sports(verb, sure):
    name = f"Arsenal/NNP/nsubj/1 {verb}/VBD/ROOT/1"
    scores = scores_of(name, "The/DT/det/1 team/NN/nsubj/2 left/VBD/ROOT/2", entities=(("Arsenal", "ORG"),))
    assert (min(scores) >= NOMINAL_THRESHOLD) == sure


@pytest.mark.parametrize(
    ("first", "second", "entities", "link"),
    [
        (
            "The/DT/det/1 Lions/NNPS/nsubj/2 won/VBD/ROOT/2",
            "The/DT/det/1 team/NN/nsubj/2 left/VBD/ROOT/2",
            (("Lions", "ORG"),),
            ("The team", "Lions"),
        ),
        (
            "Aruba/NNP/nsubj/1 has/VBZ/ROOT/1 mills/NNS/dobj/1",
            "They/PRP/nsubj/1 love/VBP/ROOT/1 the/DT/det/3 island/NN/dobj/1",
            (("Aruba", "GPE"),),
            ("the island", "Aruba"),
        ),
    ],
)
def test_a_team_or_a_place_surely_refers_to_the_subject_before_it(first, second, entities, link):
    tokens = DocumentTokens.of(parse(first, second, entities=entities))
    assert all(item.score >= NOMINAL_THRESHOLD for item in nominals(Reading.of(tokens)))
    named = links(first, second, entities=entities)
    assert [(mention, name.removeprefix("The ")) for mention, name in named] == [link]


def test_the_nation_does_not_surely_refer_to_a_first_name_that_was_taken_for_a_place():
    first = "Neville/NNP/nsubj/1 read/VBD/ROOT/1 poems/NNS/dobj/1"
    second = "They/PRP/nsubj/1 love/VBP/ROOT/1 that/DT/det/3 nation/NN/dobj/1"
    assert max(scores_of(first, second, entities=(("Neville", "GPE"),))) < NOMINAL_THRESHOLD


@pytest.mark.parametrize(
    ("name", "label", "noun"),
    [
        ("Anna", "PERSON", "judge"),
        ("Anna", "PERSON", "doctor"),
        ("Nokia", "ORG", "bank"),
        ("Nokia", "ORG", "union"),
        ("Nokia", "ORG", "team"),
    ],
)
def test_somebody_elses_role_is_not_surely_the_only_name(name, label, noun):
    first = f"{name}/NNP/nsubj/1 fell/VBD/ROOT/1"
    second = f"The/DT/det/1 {noun}/NN/nsubj/2 spoke/VBD/ROOT/2"
    tokens = DocumentTokens.of(parse(first, second, entities=((name, label),)))
    assert all(item.score < NOMINAL_THRESHOLD for item in nominals(Reading.of(tokens)))


@pytest.mark.parametrize(
    ("first", "second", "entities", "nominal", "antecedent"),
    [
        (
            "Toyota/NNP/nsubj/1 opened/VBD/ROOT/1 shops/NNS/dobj/1",
            "The/DT/det/1 company/NN/nsubj/2 grew/VBD/ROOT/2",
            (("Toyota", "ORG"),),
            "The company",
            "Toyota",
        ),
        (
            "Anna/NNP/nsubj/1 spoke/VBD/ROOT/1",
            "The/DT/det/2 former/JJ/amod/2 president/NN/nsubj/3 left/VBD/ROOT/3",
            (("Anna", "PERSON"),),
            "The former president",
            "Anna",
        ),
        (
            "They/PRP/nsubj/1 lived/VBD/ROOT/1 in/IN/prep/1 Oslo/NNP/pobj/2",
            CITY,
            (("Oslo", "GPE"),),
            "The city",
            "Oslo",
        ),
    ],
)
def test_a_nominal_surely_refers_to_the_only_name_of_its_kind(first, second, entities, nominal, antecedent):
    def scores(*sentences, entities):
        tokens = DocumentTokens.of(parse(*sentences, entities=entities))
        return [item.score for item in nominals(Reading.of(tokens))]

    assert links(first, second, entities=entities) == [(nominal, antecedent)]
    assert min(scores(first, second, entities=entities)) >= NOMINAL_THRESHOLD
    # Another name of the same kind, or a sentence between, makes it unsure.
    name, label = entities[0]
    rival = f"Zeta/NNP/nsubj/2 and/CC/cc/0 {name}/NNP/conj/0 won/VBD/ROOT/2".replace("/nsubj/2", "/nsubj/3")
    rivals = (*entities, ("Zeta", label))
    assert all(score < NOMINAL_THRESHOLD for score in scores(rival, first, second, entities=rivals))
    between = "It/PRP/nsubj/1 rained/VBD/ROOT/1"
    assert all(score < NOMINAL_THRESHOLD for score in scores(first, between, second, entities=entities))
