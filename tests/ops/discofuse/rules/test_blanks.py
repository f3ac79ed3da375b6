"""Examples as running text: the tokenised ones with other blanks, unchanged text as the document has it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import annotated
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.discofuse.rules.writing import sentence
from tests.projects import ROOT

WORDS = [
    "He",
    "film",
    "his",
    "n't",
    "'s",
    "ex",
    "1909",
    '"',
    "(",
    ")",
    ",",
    "-",
    "--",
    "$",
    ".",
    "\n",
    "…",
    "“",
    "”",
]


def made(text, kind, **more):
    """The running texts of the first example of a type."""
    annotation = annotated(text, annotator(), **{"space_tokenised": False, **more})
    made = [row for row in candidates(annotation, RuleParams()) if row.example.discourse_type == kind]
    return made[0].fused_detokenised, made[0].unfused_detokenised


@pytest.mark.parametrize(
    ("kind", "fused", "unfused"),
    [
        (
            "PAIR_CONN",
            'The film (which won a prize) was long. "However, it\'s a state-of-the-art film," he said.',
            'The film (which won a prize) was long. "It\'s a state-of-the-art film," he said.',
        ),
        (
            "PAIR_ANAPHORA",
            "Ruiz met the state-of-the-art team. His co-author, who wasn't there, liked it.",
            "Ruiz met the state-of-the-art team. Ruiz's co-author, who wasn't there, liked it.",
        ),
        (
            "PAIR_CONN_ANAPHORA",
            'Anna Hobb, who wrote "The Rain", lived in St. Ives. However, (she said) it rained.',
            'Anna Hobb, who wrote "The Rain", lived in St. Ives. (Anna Hobb said) it rained.',
        ),
        (
            "SINGLE_CONN_START",
            "Although 50% of it's new, the well-known \"Old House\" wasn't sold.",
            "50% of it's new. The well-known \"Old House\" wasn't sold.",
        ),
        (
            "SINGLE_CONN_INNER",
            "The club was founded in 1909 (in Paris) because we'd won the cup (twice).",
            "The club was founded in 1909 (in Paris). We'd won the cup (twice).",
        ),
        (
            "SINGLE_RELATIVE",
            "Kubler, who retired from cycling in 1957, remained a revered figure in the wealthy alpine nation.",
            "Kubler remained a revered figure in the wealthy alpine nation. Kubler retired from cycling in 1957.",
        ),
        (
            "SINGLE_APPOSITION",
            "The frigidarium, the last stop in the bathhouse, was where guests would cool off in a large pool.",
            "The frigidarium was where guests would cool off in a large pool. "
            "The frigidarium is the last stop in the bathhouse.",
        ),
    ],
)
def test_examples_have_the_blanks_of_their_document(kind, fused, unfused):
    assert made(fused, kind) == (fused, unfused)


def test_a_tokenised_document_stays_tokenised():
    text = "The Rovers pushed forward , but Bray defended well ."
    fused, unfused = made(text, "SINGLE_S_COORD")
    assert (fused, unfused) == (text, "The Rovers pushed forward . Bray defended well .")


@pytest.mark.parametrize(
    ("kind", "fused", "unfused"),
    [
        (
            "SINGLE_VP_COORD",
            "This extension (a short one) is similar to the method and can be found in the book .",
            "This extension (a short one) is similar to the method. This extension (a short one) can be found in "
            "the book.",
        ),
        (
            "SINGLE_S_COORD",
            "Invariance forbids transitions in the representations, and we have P_{g g} = 0\\,.",
            "Invariance forbids transitions in the representations. We have P_{g g} = 0\\,.",
        ),
        (
            "SINGLE_CONN_INNER",
            "The numbers were small, while the distributions indicated that its numbers were 1^- .",
            "The numbers were small. The distributions indicated that its numbers were 1^-.",
        ),
    ],
)
def test_a_full_stop_that_a_rule_adds_to_natural_text_follows_the_last_word_or_formula(kind, fused, unfused):
    assert made(fused, kind) == (fused, unfused)


def test_line_ends_become_blanks_and_a_missing_blank_between_sentences_stays_missing():
    text = "The rain\n  fell on the old town.\nThe river rose all day."
    assert made(text, "PAIR_NONE")[0] == "The rain fell on the old town. The river rose all day."


@given(st.data())
def test_both_forms_of_a_sentence_have_the_same_characters(data):
    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=12))
    spaces = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    nothing = [""] * len(words)
    annotation = Annotation(
        words, spaces, ["NN"] * len(words), nothing, range(len(words)), words, nothing, [(0, len(words))], ()
    )
    inserted = st.sampled_from(["'s", "'", "the", "is", "not"])
    token = st.integers(0, len(words) - 1) | inserted
    tokens = data.draw(st.lists(token, min_size=1, max_size=12))
    for end_given in (False, True):
        written = sentence(annotation, tokens, [0], len(words), end_given)
        if written is not None:
            assert written.running.split() and "".join(written.running.split()) == "".join(
                written.tokenised.split()
            )
            assert written.running == " ".join(written.running.split())


def sample_prose() -> list[str]:
    folder = ROOT / "data/sample/prose"
    texts = [path.read_text(errors="replace") for path in sorted((folder / "encyclopedia").glob("*.txt"))]
    for path in sorted((folder / "sports").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                texts.append(json.loads(line)["text"])
            except (ValueError, KeyError, TypeError):
                continue  # the sample has broken lines
    return [text for text in texts if isinstance(text, str)]


def test_every_fused_text_of_the_sample_occurs_in_its_document():
    count = 0
    for text in sample_prose():
        in_one_line = " ".join(text.split())
        for candidate in candidates(annotated(text, annotator(), space_tokenised=False), RuleParams()):
            example, count = candidate.example, count + 1
            assert candidate.fused_detokenised in in_one_line
            for tokenised, running in (
                (
                    example.coherent_first_sentence + example.coherent_second_sentence,
                    candidate.fused_detokenised,
                ),
                (
                    example.incoherent_first_sentence + example.incoherent_second_sentence,
                    candidate.unfused_detokenised,
                ),
            ):
                assert "".join(tokenised.split()) == "".join(running.split())
    assert count > 500
