from silverloom.ops.coreference.entities import entities
from silverloom.ops.coreference.lexicon import ending, first_names
from silverloom.ops.coreference.mentions import anaphors, names, nouns
from silverloom.ops.coreference.tokens import DocumentTokens
from tests.ops.coreference.parses import ANNA_MET_PAUL, PEOPLE, SHE_LIKED_HIM, parse


def texts(tokens, mentions):
    return [" ".join(tokens.words[mention.start : mention.end]) for mention in mentions]


def test_the_census_distinguishes_women_and_men_and_leaves_rare_names_open():
    known = first_names()
    assert known["mary"] > 0.95 and known["james"] < 0.05
    assert 0.1 < known["jordan"] < 0.9
    assert "the" not in known


def test_the_ending_of_a_name_outside_the_census_determines_its_gender():
    assert "kavita" not in first_names() and "raffaello" not in first_names()
    assert ending("kavita") > 0.9 and ending("raffaello") < 0.2
    assert ending("qqq") == 0.5
    tokens = DocumentTokens.of(parse("Kavita/NNP/compound/1 Subram/NNP/nsubj/2 left/VBD/ROOT/2"))
    (name,) = names(tokens)
    assert 0.7 < name.female < 0.9


def test_a_first_name_tagged_as_a_common_word_is_a_name_and_so_is_a_word_of_another_name():
    tokens = DocumentTokens.of(
        parse(
            "Ellen/JJ/nsubj/1 saw/VBD/ROOT/1 Jo/NNP/compound/3 Robles/NNP/dobj/1 ././punct/1",
            "Robles/NNS/nsubj/1 left/VBD/ROOT/1 ././punct/1",
            "Many/JJ/nsubj/1 left/VBD/ROOT/1 ././punct/1",
            "Critics/NNS/nsubj/1 left/VBD/ROOT/1 ././punct/1",
        )
    )
    assert texts(tokens, names(tokens)) == ["Ellen", "Jo Robles", "Robles"]


def test_names_are_entities_and_runs_of_proper_nouns_that_no_entity_covers():
    tokens = DocumentTokens.of(
        parse(
            "Captain/NNP/compound/2 Ana/NNP/compound/2 Ruiz/NNP/nsubj/3 beat/VBD/ROOT/3 Zorg/NNP/dobj/3 in/IN/prep/3 "
            "May/NNP/pobj/5 ././punct/3",
            entities=(("Ana Ruiz", "PERSON"), ("May", "DATE")),
        )
    )
    mentions = names(tokens)
    assert texts(tokens, mentions) == ["Captain Ana Ruiz", "Zorg"]
    assert [mention.role for mention in mentions] == ["subject", "object"]
    assert mentions[0].person == 1.0 and mentions[0].female > 0.9


def test_a_possessive_s_and_an_article_are_not_part_of_a_name_but_the_article_is_recorded():
    tokens = DocumentTokens.of(
        parse(
            "The/DT/det/1 Lions/NNPS/poss/3 's/POS/case/1 coach/NN/nsubj/4 won/VBD/ROOT/4",
            entities=(("The Lions 's", "ORG"),),
        )
    )
    (name,) = names(tokens)
    assert texts(tokens, [name]) == ["Lions"]
    assert name.determined and name.plural


def test_an_apposition_determines_the_gender_that_a_name_leaves_open():
    tokens = DocumentTokens.of(
        parse(
            "Quxa/NNP/nsubj/6 ,/,/punct/0 a/DT/det/4 bright/JJ/amod/4 girl/NN/appos/0 ,/,/punct/0 won/VBD/ROOT/6"
        )
    )
    (name,) = names(tokens)
    assert name.female > 0.9 and name.person == 1.0


def test_noun_phrases_go_from_the_article_to_the_head_and_exclude_names():
    tokens = DocumentTokens.of(
        parse("The/DT/det/2 old/JJ/amod/2 team/NN/nsubj/3 beat/VBD/ROOT/3 Anna/NNP/dobj/3", entities=PEOPLE)
    )
    assert texts(tokens, nouns(tokens, names(tokens))) == ["The old team"]


def test_a_surname_or_a_first_name_joins_the_full_name_but_another_first_name_does_not():
    tokens = DocumentTokens.of(
        parse(
            "Anna/NNP/compound/1 Ruiz/NNP/nsubj/2 met/VBD/ROOT/2 Tom/NNP/compound/4 Lee/NNP/dobj/2 ././punct/2",
            "Ruiz/NNP/nsubj/1 saw/VBD/ROOT/1 Bob/NNP/compound/3 Lee/NNP/dobj/1 ././punct/1",
            "Anna/NNP/nsubj/1 left/VBD/ROOT/1 ././punct/1",
            entities=tuple((name, "PERSON") for name in ("Anna Ruiz", "Tom Lee", "Bob Lee")),
        )
    )
    clusters = entities(tokens, names(tokens))
    assert [texts(tokens, entity.mentions) for entity in clusters] == [
        ["Anna Ruiz", "Ruiz", "Anna"],
        ["Tom Lee"],
        ["Bob Lee"],
    ]


def test_every_third_person_pronoun_is_found_with_its_clause_and_others_are_not():
    tokens = DocumentTokens.of(
        parse(ANNA_MET_PAUL, SHE_LIKED_HIM, "I/PRP/nsubj/1 know/VBP/ROOT/1 you/PRP/dobj/1")
    )
    pronouns = anaphors(tokens)
    assert [tokens.words[item.mention.start] for item in pronouns] == ["She", "him"]
    assert [item.mention.verb for item in pronouns] == [5, 5]
    assert [item.possessive for item in pronouns] == [False, False]
