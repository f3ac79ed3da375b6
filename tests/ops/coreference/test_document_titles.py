import pytest

from silverloom.ops.coreference.entities import Reading, Window
from silverloom.ops.coreference.feature_names import WIDTH
from silverloom.ops.coreference.features import features
from silverloom.ops.coreference.network import network
from silverloom.ops.coreference.ranker import resolve
from silverloom.ops.coreference.titles import Title, with_title
from silverloom.ops.coreference.tokens import DocumentTokens
from tests.ops.coreference.parses import parse

MET = "Anna/NNP/compound/1 Lee/NNP/nsubj/2 met/VBD/ROOT/2 Eve/NNP/compound/4 Roe/NNP/dobj/2 ././punct/2"
LEFT = "She/PRP/nsubj/1 left/VBD/ROOT/1 ././punct/1"
PEOPLE = (("Anna Lee", "PERSON"), ("Eve Roe", "PERSON"))


def probabilities(reading):
    (item,) = resolve(reading, network())
    named = [" ".join(candidate.entity.words) for candidate in item.candidates]
    return dict(zip([*named, None], item.probabilities.tolist(), strict=True))


def read(title, *sentences, entities=PEOPLE):
    return Reading.of(DocumentTokens.of(with_title(parse(*sentences, entities=entities), title)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Anna Lee", ("Anna", "Lee")),
        ("Anna Lee (singer)", ("Anna", "Lee")),
        ("Lee, Anna", ("Anna", "Lee")),
        ("Dr. Anna Lee (singer) (born 1970)", ("Anna", "Lee")),
        ("Anna_Lee", ("Anna", "Lee")),
        ("Anna, and what came of it", ("Anna", "and", "what", "came", "of", "it")),
        ("Mr.", ("Mr.",)),
        ("Stephen King", ("Stephen", "King")),
        ("Prince Rogers Nelson", ("Rogers", "Nelson")),
        ("Robert Downey, Jr.", ("Robert", "Downey", "Jr.")),
        ("Anne, Princess Royal", ("Anne", "Princess", "Royal")),
        ("Lee, Anna Maria", ("Anna", "Maria", "Lee")),
        ("Zoë O'Hara-Völker", ("Zoë", "O'Hara-Völker")),
    ],
)
def test_a_title_has_the_words_of_a_name_without_its_disambiguation(text, words):
    assert Title.of(text).words == words


@pytest.mark.parametrize("text", [None, "", "  ", "(film)", '", :'])
def test_a_title_without_a_word_is_ignored(text):
    assert Title.of(text) is None


def test_no_title_is_too_long():
    assert Title.of("Anna" + " " * 1_000_000 + "Lee").words == ("Anna",)


@pytest.mark.parametrize("text", ["Anna and John Lee", "Anna & John Lee"])
def test_a_title_with_several_people_determines_no_gender(text):
    assert Title.of(text).female == 0.5


def test_a_title_with_two_names_keeps_their_first_names_apart():
    reading = read(
        "Anna Paul Roe",
        "Anna/NNP/nsubj/1 met/VBD/ROOT/1 Paul/NNP/dobj/1 ././punct/1",
        "Roe/NNP/nsubj/1 left/VBD/ROOT/1 ././punct/1",
        entities=(("Anna", "PERSON"), ("Paul", "PERSON"), ("Roe", "PERSON")),
    )
    anna, paul, roe = (reading.tokens.title.gender_of(entity.words) for entity in reading.people)
    assert anna == roe > 0.9 and paul == 0.5


def test_a_person_in_the_title_becomes_more_probable_and_others_less():
    anna, nobody, eve = (
        probabilities(read(title, MET, LEFT)) for title in ("Anna Lee (singer)", None, "Eve Roe")
    )
    assert anna["Anna Lee"] > nobody["Anna Lee"] > eve["Anna Lee"]
    assert eve["Eve Roe"] > nobody["Eve Roe"] > anna["Eve Roe"]


def test_the_first_name_in_a_title_determines_the_gender_of_a_surname():
    surnames = "Vek/NNP/nsubj/1 met/VBD/ROOT/1 Roe/NNP/dobj/1 ././punct/1"
    entities = (("Vek", "PERSON"), ("Roe", "PERSON"))
    anna, paul = (
        probabilities(read(title, surnames, LEFT, entities=entities)) for title in ("Anna Vek", "Paul Vek")
    )
    assert anna["Vek"] > paul["Vek"]


@pytest.mark.parametrize("title", [None, "Anna Lee", "Anna", "A street in Lissa"])
def test_rows_have_one_width_with_and_without_a_title(title):
    reading = read(title, MET, LEFT)
    (anaphor,) = reading.anaphors
    rows = features(reading.tokens, anaphor, Window(reading.people).before(anaphor), [])
    assert {len(row) for row in rows} == {WIDTH}


def test_a_title_that_names_nobody_differs_from_no_title():
    rows = {}
    for title in (None, "A street in Lissa"):
        reading = read(title, MET, LEFT)
        (anaphor,) = reading.anaphors
        rows[title] = features(reading.tokens, anaphor, Window(reading.people).before(anaphor), [])
    assert rows[None] != rows["A street in Lissa"]
