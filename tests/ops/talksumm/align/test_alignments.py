import numpy as np
import pyarrow as pa
import pytest

from silverloom.ops.models.registry import word_vectors
from silverloom.ops.talksumm import HmmParams, align, align_words
from silverloom.ops.talksumm.schemas import ALIGNMENTS, PAIRS

#: Table 4 of Lev et al. (2019): the paper's sentences, in the order of its Introduction.
SENTENCES = [
    "Processing long, complex sentences is challenging.",
    "This is true either for humans in various circumstances or in NLP tasks like parsing and machine "
    "translation.",
    "An automatic system capable of breaking a complex sentence into several simple sentences that convey "
    "the same meaning is very appealing.",
    "A recent work by Narayan et al. (2017) introduced a dataset, evaluation method and baseline systems "
    "for the task, naming it Split-and Rephrase.",
    "The dataset includes 1,066,115 instances mapping a single complex sentence to a sequence of "
    "sentences that express the same meaning, together with RDF triples that describe their semantics.",
    "Digging further, we find that 99% of the simple sentences (more than 89% of the unique ones) in the "
    "validation and test sets also appear in the training set, which coupled with the good memorization "
    "capabilities of SEQ2SEQ models and the relatively small number of distinct simple sentences helps to "
    "explain the high BLEU score.",
    "To aid further research on the task, we propose a more challenging split of the data.",
]

#: The human transcript, run by run, with the sentence that the authors marked as correct, or None.
RUNS = [
    ("Let's begin with the motivation so processing long complex sentences is a hard task", 0),
    (
        "this is true for arguments like children people with reading disabilities second language "
        "learners but this is also true for sentence level and NLP systems",
        1,
    ),
    (
        "previous work show that dependency parsers degrade performance when they're introduced with "
        "longer and longer sentences",
        None,
    ),
    ("similar result was shown for neural machine translation where neural machine translation", 1),
    (
        "systems introduced with longer sentences starting degrading performance the question rising here "
        "is can we automatically break a complex sentence into several simple ones while preserving the "
        "meaning or the semantics and this can be a useful component in NLP",
        2,
    ),
    (
        "for example the split and rephrase task was introduced in the last EMNLP by Narayan Gardent and "
        "Shimarina where they introduced a dataset an evaluation method and baseline models for this task",
        3,
    ),
    (
        "we can see that the task requires first identifying independence semantics units in the source "
        "sentence and then rephrasing those units into a single sentences on the target site",
        None,
    ),
    (
        "In this work we first show the simple neural models seem to perform very well on the original "
        "benchmark but this is only due to memorization of the training set",
        5,
    ),
    (
        "we propose a more challenging data split for the task to discourage this memorization and we "
        "perform automatic evaluation in error analysis on the new benchmark showing that the task is "
        "still very far from being solved",
        6,
    ),
]


@pytest.mark.parametrize("model", ["paper", "robust"])
def test_the_papers_own_example_is_aligned_as_its_authors_marked_it(model):
    words, truth = [], []
    for text, sentence in RUNS:
        words += text.split()
        truth += [sentence] * len(text.split())
    alignment = align_words(words, SENTENCES, word_vectors(), HmmParams(model=model))
    ticked = right = 0
    start = 0
    for text, sentence in RUNS:
        end = start + len(text.split())
        states = alignment.states[(alignment.origins >= start) & (alignment.origins < end)]
        if sentence is not None:
            ticked += 1
            right += np.bincount(states, minlength=len(SENTENCES)).argmax() == sentence
        start = end
    assert ticked == right == 7, f"{right} of {ticked}: {alignment.states}"


def test_a_short_talk_about_a_long_paper_does_not_end_in_its_last_sentences():
    topics = ("parser", "banana", "harvest", "telescope", "violin", "glacier", "passport", "diabetes")
    sentences = [
        f"The {topic} of part {chr(97 + part)} is described here." for part in range(8) for topic in topics
    ]
    words = [word for topic in topics[:6] for word in ("the", topic, "is", "described")]
    counts = {
        model: align_words(words, sentences, word_vectors(), HmmParams(model=model)).counts
        for model in ("paper", "robust")
    }
    assert counts["robust"][-3:].sum() == 0 and counts["robust"][:8].sum() >= 9


def test_counts_are_steps_and_kept_names_the_remaining_words():
    words = ["So", "the", "neural", "parsers,", "%HESITATION", "and", "the", "data", "."]
    alignment = align_words(words, ["Neural parsers parse.", "Data is data."], word_vectors())
    assert [words[index] for index in alignment.origins] == ["neural", "parsers,", "data"]
    assert alignment.states.shape == alignment.origins.shape
    assert alignment.counts.tolist() == np.bincount(alignment.states, minlength=2).tolist()


def test_a_talk_begins_in_the_introduction():
    sentences = ["Cats.", "Dogs.", "Birds."]
    assert align_words(["cats"], sentences, word_vectors(), introduction=range(1, 2)).states.tolist() == [1]
    assert align_words(["birds"], sentences, word_vectors(), HmmParams(start_sentences=2)).states[0] < 2


def test_equal_input_gives_equal_bits():
    words = " ".join(text for text, _ in RUNS).split()
    one, two = (align_words(words, SENTENCES, word_vectors()) for _ in range(2))
    assert one.log_probability == two.log_probability and one.states.tolist() == two.states.tolist()


@pytest.mark.parametrize(
    ("words", "sentences", "introduction", "message"),
    [
        (["word"], [], None, "no sentences"),
        (["the", "."], ["Cats."], None, "no word of the talk is left"),
        (["cats"], ["Cats."], range(0), "introduction"),
        (["cats"], ["Cats."], range(2), "introduction"),
    ],
)
def test_impossible_alignments_are_refused(words, sentences, introduction, message):
    with pytest.raises(ValueError, match=message):
        align_words(words, sentences, word_vectors(), introduction=introduction)


def word(text, start=None):
    return {"text": text, "offset": 0, "start": start, "end": None if start is None else start + 0.25}


def pair(words, sentences, name="pair-1"):
    rows = [
        {
            "id": f"{name}-state-{position}",
            "sentence_id": f"sentence-{position}",
            "position": position,
            "section_title": role.title(),
            "role": role,
            "text": text,
            "holes": position % 2,
        }
        for position, (role, text) in enumerate(sentences)
    ]
    row = dict.fromkeys(PAIRS.kept.names)
    row |= {
        "id": name,
        "source_ids": ["talk", "paper"],
        "licence": "MIT",
        "talk_id": "talk",
        "paper_id": "paper",
    }
    return row | {"words": words, "sentences": rows}


def aligned(*pairs, **params):
    params = {"model": "paper", **params}
    return align(pa.Table.from_pylist(list(pairs), schema=PAIRS.kept), HmmParams(**params))


PAPER = [
    ("abstract", "We align the talks of a conference with papers."),
    ("introduction", "Dependency parsers analyse the grammar of a sentence."),
    ("introduction", "Short one."),
    ("related work", "Others have aligned recipes with cooking videos."),
    ("method", "Neural networks translate languages into other languages."),
    ("conclusion", "Bananas and oranges are kept in the refrigerator."),
]


def test_every_sentence_is_kept_or_dropped_with_its_reason():
    outcome = aligned(pair([word("parsers"), word("the"), word("networks")], PAPER))
    assert outcome.units.to_pylist() == [f"pair-1-state-{position}" for position in range(6)]
    assert outcome.kept.schema == ALIGNMENTS.kept
    assert outcome.kept["position"].to_pylist() == [1, 4, 5]
    assert outcome.kept["state"].to_pylist() == [0, 1, 2]
    assert outcome.kept["count"].to_pylist() == [1, 1, 0]
    assert outcome.kept["holes"].to_pylist() == [1, 0, 1]
    reasons = dict(
        zip(outcome.dropped["position"].to_pylist(), outcome.dropped["reason"].to_pylist(), strict=True)
    )
    assert reasons == {0: "role_abstract", 2: "short", 3: "role_related_work"}
    assert outcome.kept["source_ids"].to_pylist() == [
        ["pair-1", sentence] for sentence in outcome.kept["sentence_id"].to_pylist()
    ]


def test_spans_and_seconds_run_from_the_first_to_the_last_word_of_a_run(tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("parsers 1 0 0\ngrammar 1 0 0\nnetworks 0 1 0\nbananas 0 0 1\n")
    params = HmmParams(
        model="paper", vectors=str(vectors), epsilon=0.5
    )  # a talk this short would hardly ever stay
    said = ["parsers", "of", "grammar", "networks", "parsers", "grammar"]
    words = [word(text, float(second)) for second, text in enumerate(said)]
    kept = align(pa.Table.from_pylist([pair(words, PAPER)], schema=PAIRS.kept), params).kept
    assert kept["spans"].to_pylist() == [
        [{"first": 0, "last": 2}, {"first": 4, "last": 5}],
        [{"first": 3, "last": 3}],
        [],
    ]
    assert kept["count"].to_pylist() == [4, 1, 0]
    assert kept["seconds"].to_pylist() == [3.5, 0.25, 0.0]


def test_without_times_there_are_no_seconds():
    assert aligned(pair([word("parsers"), word("networks")], PAPER)).kept["seconds"].to_pylist() == [None] * 3


def test_a_missing_time_leaves_only_its_own_sentence_without_seconds():
    words = [word("parsers", 1.0), word("networks")]
    assert aligned(pair(words, PAPER)).kept["seconds"].to_pylist() == [0.25, None, 0.0]


def test_a_talk_without_words_drops_its_states():
    outcome = aligned(pair([word("the"), word(".")], PAPER))
    assert outcome.kept.num_rows == 0
    assert outcome.dropped["reason"].to_pylist() == [
        *("role_abstract", "short", "role_related_work"),
        *["talk_without_words"] * 3,
    ]


def test_a_pair_with_too_many_words_and_sentences_is_dropped_and_its_neighbours_are_not():
    large = pair([word("parsers"), word("the"), word("networks")], PAPER)
    small = pair([word("parsers")], PAPER, "pair-2")
    outcome = aligned(large, small, cells=5)
    assert outcome.kept.equals(aligned(small).kept)
    lost = outcome.dropped.to_pylist()[:6]
    assert [(unit["pair_id"], unit["reason"]) for unit in lost] == [
        *(("pair-1", reason) for reason in ("role_abstract", "short", "role_related_work")),
        *[("pair-1", "too_large")] * 3,
    ]
    assert [(unit["score"], unit["detail"]) for unit in lost[3:]] == [(6.0, "3 words, 3 sentences")] * 3
    assert aligned(large, small, cells=6).kept.num_rows == 6


def test_a_paper_without_states_or_sentences_loses_nothing():
    outcome = aligned(pair([word("parsers")], PAPER[:1]), pair([word("parsers")], [], "pair-2"))
    assert outcome.kept.num_rows == 0 and outcome.dropped["reason"].to_pylist() == ["role_abstract"]


def test_the_preamble_is_excluded_unless_the_paper_has_nothing_else():
    preamble = ("preamble", "Dependency parsers analyse the grammar of a sentence.")
    assert (
        "role_preamble" in aligned(pair([word("parsers")], [preamble, *PAPER])).dropped["reason"].to_pylist()
    )
    alone = aligned(pair([word("parsers")], [PAPER[0], preamble]))
    assert alone.kept["role"].to_pylist() == ["preamble"]


def test_pairs_do_not_influence_each_other():
    first, second = pair([word("parsers")], PAPER), pair([word("bananas"), word("oranges")], PAPER, "pair-2")
    both = aligned(first, second).kept
    assert both.slice(0, 3).equals(aligned(first).kept) and both.slice(3).equals(aligned(second).kept)
