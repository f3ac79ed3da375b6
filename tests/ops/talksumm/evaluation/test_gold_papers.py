import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from silverloom.ops.metrics.rouge import rouge_of_references
from silverloom.ops.parse.schemas import PAPERS, SENTENCES
from silverloom.ops.talksumm.evaluation.gold_papers import (
    GOLD_PAPERS,
    GoldPaperParams,
    gold_papers,
    greedy,
    split,
)
from silverloom.ops.talksumm.schemas import HUMAN_SUMMARIES
from tests.ops.talksumm.summary_cases import text
from tests.parts import parts

PARAMS = GoldPaperParams()


def summary(name, document, sentences=("Alpha beta gamma.",), kind="human", **more):
    return {"id": name, "document": document, "kind": kind, "sentences": list(sentences), **more}


def paper(name, document, **more):
    return {"id": name, "document": document, "title": f"Title of {document}", **more}


def spoken(paper, *told):
    """Return the sentences of a paper, shuffled, from (section, role, text) in order."""
    rows = [
        {
            "id": f"{paper}-{place}", "paper_id": paper, "position": place, "section": section, "role": role,
            "section_title": role.title(), "text": words,
        }
        for place, (section, role, words) in enumerate(told)
    ]  # fmt: skip
    return rows[::-1]


def made(folder, summaries, papers, sentences, params=PARAMS):
    tables = ((HUMAN_SUMMARIES.kept, summaries), (PAPERS.kept, papers), (SENTENCES.kept, sentences))
    [outcome] = gold_papers(*(parts(folder, schema, rows) for schema, rows in tables), params)
    assert outcome.kept.schema == GOLD_PAPERS.kept
    assert sorted(outcome.units.to_pylist()) == sorted(row["id"] for row in summaries)
    return outcome.kept.to_pylist(), outcome.dropped.to_pylist()


WHOLE = spoken(
    "p1",
    (0, "abstract", "We align talks."),
    (0, "abstract", "It works."),
    (1, "introduction", "Nothing of interest stands here."),
    (1, "introduction", "Alpha beta gamma."),
    (2, "related work", "Others did delta epsilon."),
    (3, "method", "Delta zeta eta theta."),
    (4, "method", "Iota."),
    (5, "acknowledgments", "Alpha beta gamma thanks."),
    (6, "references", "Alpha beta gamma 1999."),
)


def test_a_paper_has_its_extractable_sentences_its_abstract_and_all_references(tmp_path):
    summaries = [
        summary("s1", "P1", ["Alpha beta gamma."], annotator="A", licence="CC0"),
        summary("s2", "P1", ["Delta zeta eta.", "The end."], "gold"),
    ]
    [row], dropped = made(tmp_path, summaries, [paper("p1", "P1", licence="CC-BY-4.0")], WHOLE)
    assert dropped == []
    assert row["sentences"] == [
        "Nothing of interest stands here.", "Alpha beta gamma.", "Others did delta epsilon.",
        "Delta zeta eta theta.", "Iota.",
    ]  # fmt: skip
    assert row["roles"] == ["introduction", "introduction", "related work", "method", "method"]
    assert row["sections"] == [0, 0, 1, 2, 3]
    assert row["labels"] == [0, 1, 0, 1, 0]
    assert row["abstract"] == ["We align talks.", "It works."]
    assert row["references"] == [
        {"id": "s1", "kind": "human", "annotator": "A", "sentences": ["Alpha beta gamma."]},
        {"id": "s2", "kind": "gold", "annotator": None, "sentences": ["Delta zeta eta.", "The end."]},
    ]
    assert (row["paper_id"], row["document"], row["title"]) == ("p1", "P1", "Title of P1")
    assert (row["source_ids"], row["licence"]) == (["s1", "s2", "p1"], "CC-BY-4.0 AND CC0 AND MIT")
    assert row["split"] == split("p1", PARAMS)


def test_other_excluded_roles_let_other_sentences_be_extracted(tmp_path):
    params = GoldPaperParams(excluded_roles=("introduction", "related work", "references"))
    [row], _ = made(tmp_path, [summary("s1", "P1")], [paper("p1", "P1")], WHOLE, params)
    assert row["roles"] == ["abstract", "abstract", "method", "method", "acknowledgments"]


def test_a_sentence_with_a_hole_may_not_be_extracted_by_default(tmp_path):
    holed = [{**row, "holes": int(row["text"] in ("Iota.", "It works."))} for row in WHOLE]
    [row], _ = made(tmp_path, [summary("s1", "P1")], [paper("p1", "P1")], holed)
    assert (row["sentences"][-1], row["abstract"]) == ("Delta zeta eta theta.", ["We align talks."])
    lenient = GoldPaperParams(holes=1)
    [row], _ = made(tmp_path, [summary("s1", "P1")], [paper("p1", "P1")], holed, lenient)
    assert (row["sentences"][-1], len(row["abstract"])) == ("Iota.", 2)


def test_a_summary_that_is_not_a_reference_or_has_no_paper_is_dropped_with_the_reason(tmp_path):
    summaries = [
        summary("kind", "P1", kind="abstract"), summary("paper", "P9"), summary("two", "P2"),
        summary("empty", "P3"), summary("bare", "P4"), summary("good", "P1"),
    ]  # fmt: skip
    papers = [paper("p1", "P1"), paper("p2", "P2"), paper("p2b", "P2"), paper("p3", "P3"), paper("p4", "P4")]
    sentences = [*WHOLE, *spoken("p2", (0, "method", "Alpha.")), *spoken("p3", (0, "abstract", "Alpha."))]
    [row], dropped = made(tmp_path, summaries, papers, sentences)
    assert [one["id"] for one in row["references"]] == ["good"]
    assert [(one["id"], one["reason"], one["detail"]) for one in dropped] == [
        ("kind", "not_a_reference", "abstract summary of P1"),
        ("paper", "no_paper", "human summary of P9"),
        ("two", "ambiguous_paper", "human summary of P2"),
        ("empty", "no_sentences", "human summary of P3"),
        ("bare", "no_sentences", "human summary of P4"),
    ]


def test_the_kinds_that_count_are_those_of_the_params(tmp_path):
    summaries = [summary("a", "P1", kind="human"), summary("b", "P1", kind="community")]
    params = GoldPaperParams(kinds=("community",))
    [row], [lost] = made(tmp_path, summaries, [paper("p1", "P1")], WHOLE, params)
    assert ([one["id"] for one in row["references"]], lost["id"]) == (["b"], "a")


def in_table(*splits, file="official.csv"):
    return {"splits": [{"file": file, "split": split} for split in splits]}


OFFICIAL = GoldPaperParams(split={"file": "official.csv"})


def test_a_table_names_the_splits_and_papers_that_it_does_not_name_are_in_train(tmp_path):
    summaries = [
        summary("a", "P1", **in_table("validation")),
        summary("b", "P2", **in_table("test")),
        summary("c", "P3", **in_table("test", file="other.csv")),
    ]
    papers = [paper(f"p{number}", f"P{number}") for number in (1, 2, 3)]
    sentences = [*WHOLE, *spoken("p2", (0, "method", "Alpha.")), *spoken("p3", (0, "method", "Alpha."))]
    rows, _ = made(tmp_path, summaries, papers, sentences, OFFICIAL)
    assert [row["split"] for row in rows] == ["validation", "test", "train"]


def test_a_table_that_names_no_paper_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"no table 'official.csv' in a folder of sources.human_summaries"):
        made(tmp_path, [summary("a", "P1", **in_table("test", file="x.csv"))], [], [], OFFICIAL)


def test_tables_of_two_sources_that_disagree_are_an_error(tmp_path):
    summaries = [summary("a", "P1", **in_table("test")), summary("b", "P1", **in_table("train"))]
    with pytest.raises(ValueError, match=r"official.csv of several sources puts P1 in test and train"):
        made(tmp_path, summaries, [paper("p1", "P1")], WHOLE, OFFICIAL)


def test_without_summaries_there_are_no_papers(tmp_path):
    assert made(tmp_path, [], [paper("p1", "P1")], WHOLE) == ([], [])


@pytest.mark.parametrize("words", [["Alpha beta."], ["No word of it."], ["Alpha beta gamma.", *text(40, 0)]])
def test_a_paper_of_one_sentence_is_kept_whatever_its_summary(tmp_path, words):
    one = spoken("p1", (0, "method", "Alpha beta delta."))
    [row], _ = made(tmp_path, [summary("s", "P1", words)], [paper("p1", "P1")], one)
    assert row["sentences"] == ["Alpha beta delta."]
    assert row["labels"] == [int("Alpha" in words[0])]


def slow_greedy(sentences, references, words):
    """Add the sentence that raises ROUGE-1 F most, according to the metric itself."""

    def score(chosen):
        predicted = [sentences[index] for index in chosen]
        found = rouge_of_references(predicted, references, digits=None)
        return found["rouge1"].f

    chosen = []
    while True:
        used = sum(len(sentences[index].split()) for index in chosen)
        fits = [
            index
            for index in range(len(sentences))
            if index not in chosen and (not chosen or used + len(sentences[index].split()) <= words)
        ]
        best = max(fits, key=lambda index: (score([*chosen, index]), -index), default=None)
        if best is None or score([*chosen, best]) <= score(chosen) + 1e-12:
            return chosen
        chosen.append(best)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 40))
def test_with_single_words_labels_are_those_of_a_slow_greedy_search(seed, count, words):
    # Sentences of distinct single words have no bigrams, so only ROUGE-1 counts.
    sentences = [one.split()[0] for one in text(count, seed)]
    references = [[one.split()[0] for one in text(2, seed + more)] for more in (1, 2, 3)]
    assert greedy(sentences, references, words) == slow_greedy(sentences, references, words)


def test_greedy_labels_stay_within_the_words_of_a_summary():
    sentences = ["a b c d", "e f g h", "i j k l"]
    assert greedy(sentences, [["a b c d"], ["e f g h i j k l"]], 8) == [0, 1]
    assert greedy(sentences, [["a b c d"], ["e f g h i j k l"]], 7) == [0]


IDS = [f"paper-{number}" for number in range(3000)]


def test_the_split_depends_only_on_the_paper_and_the_seed():
    params = GoldPaperParams(validation=0.2, test=0.3)
    found = [split(one, params) for one in IDS]
    assert found.count("test") == pytest.approx(900, abs=100)
    assert found.count("validation") == pytest.approx(600, abs=90)
    assert found != [split(one, params.model_copy(update={"seed": 1})) for one in IDS]


def test_shares_that_sum_to_more_than_all_papers_are_refused():
    with pytest.raises(ValidationError, match=r"validation 0\.6 and test 0\.5 are more than all papers"):
        GoldPaperParams(validation=0.6, test=0.5)


def test_papers_with_the_same_title_are_in_the_split_that_is_learnt_from_least(tmp_path):
    params = GoldPaperParams(validation=0.3, test=0.3)
    by_split = {
        name: [one for one in IDS if split(one, params) == name] for name in ("train", "validation", "test")
    }
    pairs = [("train", "test"), ("validation", "test"), ("train", "validation"), ("train", "train")]
    papers, expected = [], {}
    for number, pair in enumerate(pairs):
        for side, name in enumerate(pair):
            titles = (f"Läuse: part {number}", f"LAUSE - Part {number}.")
            one = paper(by_split[name].pop(), f"P{number}{side}", title=titles[side])
            papers.append(one)
            expected[one["id"]] = pair[1]
    for name in ("train", "test"):
        one = paper(by_split[name].pop(), f"bare {name}", title=None)
        papers.append(one)
        expected[one["id"]] = name
    summaries = [summary(f"s {one['id']}", one["document"]) for one in papers]
    sentences = [row for one in papers for row in spoken(one["id"], (0, "method", "Alpha beta."))]
    rows, _ = made(tmp_path, summaries, papers, sentences, params)
    assert {row["paper_id"]: row["split"] for row in rows} == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kinds": ("human", "humans")}, r"kinds\n.*'humans' is not one of human, community, abstract, gold"),
        (
            {"excluded_roles": ("abstracts",)},
            r"excluded_roles\n.*'abstracts' is not one of abstract, preamble, .*other",
        ),
    ],
)
def test_an_unknown_kind_or_role_is_refused_with_the_known_ones(given, message):
    with pytest.raises(ValidationError, match=message):
        GoldPaperParams(**given)
