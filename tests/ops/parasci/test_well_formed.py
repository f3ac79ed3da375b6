import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parasci.dataset.filtered import FilterParams
from silverloom.ops.parasci.well_formed import garbled_marks, well_formed

LEAST = FilterParams().well_formed


@pytest.mark.parametrize(
    ("sentence", "mark"),
    [
        ("on the standard metric the model is better than all others.", "lower_start"),
        ("3 Results We compare both models on the test set of last year.", "odd_start"),
        ("We also show that both of the models can be", "no_end"),
        ("We compare the results of the model with those of.", "torn_end"),
        ("We compare the results of the model, which were.", "torn_end"),
        ("We find that the size of the corpus may.", "torn_end"),
        ("The model is fast (e.g., ) and small.", "hole"),
        ("The rule assigns the word?s sense to it.", "question"),
        ("The parser is trained on the treebank.2 The model is small.", "footnote"),
        ("We compare both models. they differ in size and in speed.", "glued"),
        ("Both models are large This paper compares them on texts.", "glued"),
        ("We read the corpus of last year In contrast to others, it is large.", "glued"),
        ("We set | to the number of words and add ~ to it.", "symbol"),
        ("Let x and y be the words of the text that we read.", "letter"),
        ("Write to someone@example.org if you want to have the data.", "address"),
        ("We show that the the model is better than others.", "doubled"),
        ("We study a new problem of identifying the which is hard.", "lost"),
        ("Recently, propose a model that reads the words of a text.", "lost"),
        ("The model reads the sen tences of a text one by one.", "split"),
        ("The highestranking words of each list are shown in the table.", "merged"),
        ("This allows the parser tohandle all of these sentences.", "merged_function"),
        ("We use one model (and a second one for the other task.", "unbalanced"),
        ("Precision Recall F-score baseline model parser accuracy results.", "few_stop_words"),
    ],
)
def test_a_garbled_sentence_has_its_mark_and_a_lower_score(sentence, mark):
    assert garbled_marks(sentence)[mark] >= 1
    assert well_formed(sentence) < well_formed("We compare both of the models on the same texts.")


@pytest.mark.parametrize(
    "sentence",
    [
        "We compare both models on texts of the Penn Treebank (Section 23), i.e. on news.",
        "Gdf5 is expressed in the joints of mice that lack both copies of Tbx15.",
        "We measured 1) the size and 2) the weight of all animals in the study.",
        "Topic segmentation is the task of dividing a text into passages of one topic each.",
        "The state of the art is a model that was trained on unlabelled texts, too.",
        "Let \\\\alpha = 0.5 be the weight of the first term in the sum above.",
        "Nonterminals are rewritten by the rules of the grammar that we have learnt.",
    ],
)
def test_a_sound_sentence_passes(sentence):
    assert well_formed(sentence) >= LEAST


@given(st.text())
def test_any_text_has_a_probability(text):
    assert 0 <= well_formed(text) <= 1
