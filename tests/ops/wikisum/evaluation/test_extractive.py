"""Extracted leads are the first words of a ranking, as many as the article's lead has."""

from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.wikisum.evaluation.scores import extracted_leads


def article(lead, texts, *rankings):
    return {
        "title": "salt bread",
        "lead": lead,
        "paragraphs": [
            {"text": text, "cited": True, "searched": False, "position": at} for at, text in enumerate(texts)
        ],
        "rankings": [
            {"ranker": ranker, "corpus": corpus, "scores": scores, "note": ""}
            for ranker, corpus, scores in rankings
        ],
    }


def test_the_best_paragraphs_come_first_and_are_truncated_at_the_length_of_the_lead():
    unit = article(
        "salt bread is flat .",
        ["the sea is wide .", "salt bread is a bread .", "it is flat ."],
        ("tf_idf", "combined", [0.0, 2.0, 1.0]),
        ("tf_idf", "search", [0.0, None, 1.0]),
        ("identity", "citations", [None, None, None]),
    )
    assert [tuple(lead) for lead in extracted_leads(unit, None)] == [
        ("tf_idf", "combined", "salt bread is a bread"),
        ("tf_idf", "search", "it is flat . the"),
    ]


@given(
    st.integers(1, 12),
    st.lists(
        st.tuples(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), st.integers(0, 3)),
        min_size=1,
        max_size=6,
    ),
)
def test_extraction_is_the_concatenation_truncated_at_a_number_of_words(words, paragraphs):
    texts = [" ".join(text) for text, _ in paragraphs]
    scores = [float(score) for _, score in paragraphs]
    ranked = sorted(range(len(texts)), key=lambda at: (-scores[at], at))
    slow = " ".join(" ".join(texts[at] for at in ranked).split(" ")[:words])
    [lead] = extracted_leads(article(" ".join("x" * words), texts, ("tf_idf", "combined", scores)), None)
    assert lead.text == slow


def test_the_learned_ranker_ranks_the_combined_corpus():
    class Backwards:
        def scores(self, title, paragraphs):
            return [float(paragraph["position"]) for paragraph in paragraphs]

    [lead] = extracted_leads(article("a b", ["first one .", "last one ."]), Backwards())
    assert tuple(lead) == ("learned", "combined", "last one")
