"""Sentence boundaries: what the words on both sides of a full stop tell, offsets, linear work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.text.sentences import goes_on, sentence_spans
from tests.work import lines_run


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def assert_split(marked: str) -> None:
    """Check the sentences of a text in which every boundary is marked by "\u2016"."""
    expected = marked.split(" \u2016 ")
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "The noise is i.i.d. and Gaussian. \u2016 It holds.",
        "We tested P. syringae pv. tabaci and S. aureus subsp. aureus strains. \u2016 Both grew.",
        "It was read at the Int. Conf. on Mach. Learn. in 2018. \u2016 We read it.",
        "See Cor. 4 and Ex. 5. \u2016 We use both.",
        "See Rem. 4 and Asm. 2. \u2016 It works.",
        "It was read in Adv. Neural Inf. Process. Syst. 2010. \u2016 We read it.",
        "It is in J. Mach. Learn. Res. 3 and in IEEE Trans. Pattern Anal. Mach. Intell. \u2016 The cells grew.",
        "See Nat. Rev. Genet. 5 and Curr. Opin. Struct. Biol. 2005. \u2016 It works.",
        "Okay. \u2016 Right. \u2016 We saw London. \u2016 Paris. \u2016 Rome. \u2016 He left with Smith. \u2016 Dr. Jones left.",
        "They live in Paris. \u2016 2010 was good.",
        "He lives in China. \u2016 Approx. 20 people came.",
        "It was the same as the Pilot. \u2016 Exp. 2 had 30 people.",
        "The capital is Oslo. \u2016 Pop. 700,000 in 2020. \u2016 It was in Munich. \u2016 Ed. 2 of the book came out.",
        "It is a Ford. \u2016 Max. 5 people fit. \u2016 It was read in J. Clin. Exp. 2 and in J. Chem. Ed. 5, too.",
        "It maps to chr. 9 and cat. #12 in chap. 4 of vol. 2.",
        "We follow what was shown (e.g. by Brown and others) before. \u2016 It works.",
        "We follow what was shown (Fig. Brown and others) before. \u2016 It works.",
        "They were treated (by Lee et al.) The same way. \u2016 It works.",
        "It was found by Lee et al. 2020. \u2016 The rates fell.",
        "It was found by Lee et al. \u2016 The rates fell.",
        "We keep apples, pears, plums etc. \u2016 I want more of them.",
        "We built the app. \u2016 Then we left.",
        "The answer is no. \u2016 Mills are old.",
        "The law of the U.S. Government is old. \u2016 He lives in the U.S. \u2016 She lives there too.",
        "He came at 5 p.m. Monday. \u2016 He left at 6 a.m. \u2016 Nobody knew.",
        "Dr. Smith met Mrs. Jones and Gen. Lee on Jan. 5. \u2016 They talked.",
        "The A.D.G. and the A.-K.H. are partners.",
        "It is Quercus robur L. and Q. petraea (Matt.) Liebl. in Europe. \u2016 (Applause.) \u2016 They are oaks.",
        "It has accession no. AH0115. \u2016 The answer is No. 7.",
    ],
)
def test_the_word_after_an_abbreviation_tells_whether_a_sentence_ends(marked):
    assert_split(marked)


@pytest.mark.parametrize(
    "ending", ["{} 7 has it.", "It is in {} 2011.", "It is in {} 4 and in {} 5, too. \u2016 We read it."]
)
@pytest.mark.parametrize(
    "journal",
    [
        "Commun. ACM",
        "Inf. Process. Manag.",
        "Lect. Notes Comput. Sci.",
        "Eur. J. Oper. Res.",
        "Found. Trends Mach. Learn.",
        "Appl. Opt.",
        "Opt. Lett.",
        "Mon. Not. R. Astron. Soc.",
        "Comput. Graph. Forum",
        "Nucl. Instrum. Methods Phys. Res. A",
        "Ann. N. Y. Acad. Sci.",
        "Biochim. Biophys. Acta",
        "Proc. R. Soc. Lond. B",
        "Trends Ecol. Evol.",
        "Semin. Cell Dev. Biol.",
        "Nat. Commun.",
        "Q. J. R. Meteorol. Soc.",
        "Eur. Phys. J. C",
        "Electron. Notes Theor. Comput. Sci.",
        "Knowl. Inf. Syst.",
    ],
)
def test_no_sentence_ends_within_the_name_of_a_journal(journal, ending):
    assert_split(ending.format(journal, journal))


@pytest.mark.parametrize(
    "marked",
    [
        "It is in Eur. J. Oper. Res. and in Found. Trends Mach. Learn. in 2018. \u2016 We agree.",
        "He lives in Paris. \u2016 On Jan. 5 he left.",
        "He came to Rome. \u2016 Apollo 11 landed.",
        "He met Brown. \u2016 See Fig. 3 for it.",
        "He came with Brown. \u2016 J. Smith left. \u2016 He met Jones.",
        "He left Oxford. \u2016 Mr. Smith came on Dec. 7 with Dr. Brown.",
        "It is in Oslo. \u2016 IBM 360 machines were there.",
        "He went to Paris. \u2016 Oxford Univ. and others stayed.",
        "We went to Lyon. \u2016 Dr. Lee, Mr. Brown and I stayed.",
        "They came from Spain. \u2016 Acme Inc. 5 years later closed.",
    ],
)
def test_cut_words_up_to_a_number_are_a_name_and_others_are_not(marked):
    assert_split(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "It binds to factor kappa B. \u2016 The cells were lysed.",
        "They used proteinase K. \u2016 Lysates were then kept.",
        "It takes 2n-1 actions to n. \u2016 This results in one state.",
        "We see all but E and F. \u2016 Embryos grow.",
        "It was shown by J. R. Smith and (S. Powell) alone. \u2016 A. Jones agrees.",
        "We thank A. Davidson for help. \u2016 E. coli grew.",
        "World War I. \u2016 In 1918 it ended.",
        "The navigator I. Fyodorov came. \u2016 He was older than I. \u2016 Mills are old.",
        "Martin E. Hellman lives at 2100 W. Franklin Street with M. Roe and I. Doe.",
    ],
)
def test_a_letter_is_an_initial_or_the_end_of_a_sentence(marked):
    assert_split(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "Cells were kept for 20 min. \u2016 Data were read after 2 h. \u2016 Slides were dried.",
        "It weighs 5 kg. \u2016 Mills are 6 ft. 2 in. tall.",
        "It ran for 5 min. at 20 °C. \u2016 It lasted 3 hrs. on average and weighed 3 lbs. and 4 oz. in all.",
        "Bars are 10 μm. \u2016 b-f: Detail of the wall.",
        "Mice had less fat mass. \u2016 Of these, BAT. \u2016 Studies go on.",
    ],
)
def test_units_and_short_words_end_sentences(marked):
    assert_split(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "Bias is common. [10] \u2016 In many fields it is studied. [11, 12] \u2016 We count it.",
        "It is known. [1], [2] \u2016 We use it. \u2016 [3] shows why.",
        "[1] A. Smith. \u2016 Mills. \u2016 [2] B. Jones. \u2016 Bells.",
        "It is known.[258] \u2016 The word is old.[n 9] \u2016 We use it.",
        "Results improved.12 \u2016 Next we tested it.2,3 \u2016 It works.",
        "Lee et al. [2004] count words. \u2016 They rose.",
        "Bars show means. \u2016 * p < 0.05. \u2016 ** p < 0.01 against the control.",
    ],
)
def test_the_mark_of_a_citation_or_note_is_in_the_sentence_that_it_belongs_to(marked):
    assert_split(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "We test: 1. the lead 2. the whole text. \u2016 Steps: 1. Mix it. \u2016 2. Bake it.",
        "1. Introduction",
        "2.1. Data and tools",
        "Figure 3. The mill from above. \u2016 It is old.",
        "1) The first item \u2016 2) The second item",
        "a. The first item \u2016 b. The second item",
        "\u2022 The first item \u2016 \u2022 The second item",
        "1) SC from the group, 2) AMC from the center, and 3) UTSW from Hobbs.",
    ],
)
def test_no_number_of_an_item_is_a_sentence(marked):
    assert_split(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "That huh? is a word is our claim. \u2016 She works at Yahoo! in sales.",
        "He works at Yahoo! Inc. in the valley. \u2016 She left.",
        "The Yahoo! Answers set is used. \u2016 We search Yahoo! \u2016 The set is old.",
        '"What?" she asked. \u2016 "Stop!" John cried. \u2016 "This is it." \u2016 He left.',
        'They made "Alive!" (1975) in a day.',
        "Let i be of { 1 .. 4 } here.",
        "I never meant that.... \u2016 She was ... well, tired.",
        "The holiday shall not count. \u2016 (This holds for all clerks).",
        "that was cool. \u2016 i think so. \u2016 it is late",
        "Yeah. \u2016 so i was like, what? \u2016 no way! \u2016 they left",
        "It was cloned. \u2016 cDNA was kept. \u2016 \u03b2-Actin was low.",
    ],
)
def test_other_signs_end_sentences_only_before_what_can_begin_one(marked):
    assert_split(marked)


def test_a_missing_space_does_not_join_two_sentences():
    assert sentences("It is old.We keep it in node.js here.") == ["It is old.", "We keep it in node.js here."]


def test_a_blank_line_ends_a_sentence_unless_the_text_goes_on_in_lower_case():
    assert sentences("The mill\n\nIt is old, but\n\nit turns.") == ["The mill", "It is old, but\n\nit turns."]


def test_a_line_break_is_a_space():
    assert sentences("See Fig.\n3 for more.\nIt works.") == ["See Fig.\n3 for more.", "It works."]


@pytest.mark.parametrize(
    "parts", [("as seen (cf.", "Fig. 3)."), ("by Lee et al.", "[reference]"), ("1.", "Mix it.")]
)
def test_a_sentence_that_was_cut_goes_on(parts):
    assert goes_on(*parts)


@pytest.mark.parametrize("parts", [("We left the metal.", "Then"), ("a heading", "Then"), ("It ends.", "")])
def test_a_sentence_that_has_ended_does_not_go_on(parts):
    assert not goes_on(*parts)


def test_empty_and_blank_text_has_no_sentence():
    assert sentence_spans("") == sentence_spans(" \n\t ") == []


@given(st.text(st.sampled_from("aB .?!\n\"'()1-\u2026é"), max_size=300) | st.text(max_size=200))
def test_every_character_except_white_space_is_in_exactly_one_sentence(text):
    spans = sentence_spans(text)
    covered = 0
    for start, end in spans:
        assert covered <= start < end
        assert not text[covered:start].strip()
        assert text[start:end] == text[start:end].strip()
        covered = end
    assert not text[covered:].strip()
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "seed",
    [
        "?",
        "?!",
        "a",
        ". ",
        "Fig. ",
        "a. 1A ",
        " ",
        "(",
        ". [1]",
        ". [1] ",
        ".1,",
        "\n \n",
        "1. A ",
        "\u2022 ",
        ".\n",
        "A.",
    ],
)
def test_work_is_linear_in_the_length_of_a_line(seed):
    def work(size: int) -> int:
        return lines_run(sentence_spans, seed * (size // len(seed)))[0]

    assert work(80_000) <= 5 * work(20_000) + 100


SEEDS = ["?", ". ", "(", "a", " ", ". [1]", ".1,", "1,", "\n ", "\u2022", " (A 1", "A-"]


@pytest.mark.parametrize(
    "seed", [*SEEDS[:3], *(pytest.param(seed, marks=pytest.mark.long) for seed in SEEDS[3:])]
)
def test_a_line_of_a_megabyte_is_split(seed):
    """Quadratic work on it takes hours: the limit of every test ends it."""
    text = seed * (1_000_000 // len(seed))
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
