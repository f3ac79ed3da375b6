"""The methods as functions on texts: what they return, what they refuse, and that the datasets have the same."""

import os
import subprocess
import sys
import tomllib
from itertools import repeat
from pathlib import Path

import pytest

import silverloom
from silverloom.metrics import BertScorer, bertscore_items, bleu_items, means
from silverloom.ops.metrics import sentence_bleu
from silverloom.orchestration.workspace.environment import STRICT
from silverloom.talksumm import Budget, summarize
from silverloom.wikisum import example, rank
from tests.projects import ROOT

SAMPLE = ROOT / "data/sample"
TALK = (SAMPLE / "talks/agreement.txt").read_text()
PAPER = (SAMPLE / "papers/text/agreement-is-not-accuracy.txt").read_text()
SEA = "The sea around the island is wide and cold. Few ships cross it in winter."
BREAD = "Salt bread is baked without yeast, on a flat stone. It is eaten warm."


def test_a_paper_is_summarised_from_its_talk():
    made = summarize(TALK, PAPER)
    assert made.lost is None and 100 < len(made.target.split()) <= 150
    assert made.explained > 0.44 and made.coverage > 0 and made.last_three < 0.3
    shorter = summarize(TALK, PAPER, Budget(sentences=2))
    assert len(shorter.target) < len(made.target) and made.source == shorter.source


@pytest.mark.parametrize(
    ("talk", "paper", "lost"),
    [
        ("um", PAPER, "talk_without_words"),
        ("Today I show how to bake bread, and how to keep it warm for your guests.", PAPER, "other_paper"),
        (TALK, "A title\n\n# Introduction\n\nToo short.", "short"),
    ],
)
def test_a_summary_that_the_dataset_would_lack_has_no_text_and_a_reason(talk, paper, lost):
    made = summarize(talk, paper)
    assert (made.target, made.lost) == ("", lost)


def test_a_paper_that_cannot_be_read_is_told_in_a_line():
    with pytest.raises(ValueError, match=r"paper\.txt: the file is empty"):
        summarize(TALK, "")


def test_examples_of_several_texts_are_those_of_each_and_texts_are_read_as_they_are_needed():
    nlp = silverloom.discofuse.annotator()
    texts = ["The ferry was old, but it carried the mail.", "It rained , so we stayed .", "It was late.", ""]
    each = [silverloom.discofuse.fusion_examples(text, nlp) for text in texts]
    assert list(silverloom.discofuse.fusion_examples(texts, nlp, batch_size=2)) == each
    assert each[0][0].source == "The ferry was old. The ferry carried the mail."
    assert each[0][0].target == texts[0] and each[2] == each[3] == []
    endless = silverloom.discofuse.fusion_examples(repeat(texts[0]), nlp, batch_size=2)
    assert [next(endless), next(endless)] == [each[0], each[0]]
    with pytest.raises(TypeError, match="the text is no string but 1"):
        list(silverloom.discofuse.fusion_examples([1], nlp))


def test_a_title_may_come_with_each_of_several_texts():
    nlp = silverloom.discofuse.annotator()
    text, title = "Ruth Varga was born here. She sang.", "Ruth Varga (singer)"
    [told] = silverloom.discofuse.fusion_examples([(text, title)], nlp)
    assert told == silverloom.discofuse.fusion_examples(text, nlp, title=title)


def test_the_paragraphs_of_pages_that_fit_a_title_come_first():
    made = example("Salt bread", [SEA, f"{BREAD}\n\n{SEA}\n\nToo short."], "Salt bread is a bread.")
    assert made.source.split("\n\n") == ["Salt bread", BREAD, SEA]
    assert (made.target, made.pages) == ("Salt bread is a bread.", [1, 0])
    shorter = example("Salt bread", [SEA, BREAD], words=5)
    assert shorter.source == f"Salt bread\n\n{' '.join(BREAD.split()[:5])}" and shorter.pages == [1]
    assert rank("Salt bread", [SEA, BREAD], "tf_idf").order == [1, 0]


def test_a_page_may_be_html_whose_menus_are_left_out():
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in ("Home", "About us", "Log in"))
    body = "".join(f"<p>{text}</p>" for text in (BREAD * 3, SEA * 3))
    page = f"<html><body><nav><ul>{menu}</ul></nav><main>{body}</main></body></html>"
    made = example("Salt bread", [page])
    assert made.pages == [0, 0] and "Log in" not in made.source


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: example("Salt", SEA), TypeError, "pages are a list"),
        (lambda: example("Salt", ["Too short."]), ValueError, "1 pages have no paragraph worth reading"),
        (lambda: silverloom.parasci.pairs(PAPER), TypeError, "papers are a list"),
        (lambda: silverloom.parasci.pairs([""]), ValueError, "papers/0.txt: the file is empty"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_line(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_sentences_that_say_the_same_are_rated_higher():
    first, second = "We release all data and code.", "All data and code are released."
    same, other = (silverloom.parasci.consistency(first, text) for text in (second, SEA))
    assert other < 3 < same and silverloom.parasci.consistency(first, second) == same


def test_pairs_are_found_within_and_across_papers():
    definitions = [
        "The goal of topic segmentation is to divide a text into passages that each have one topic.",
        "Topic segmentation (TS) is the task of dividing a text into passages of one topic each.",
    ]
    papers = [f"Paper {n}\n\n# Introduction\n\n{text}" for n, text in enumerate(definitions)]
    [pair] = silverloom.parasci.pairs(papers)
    assert {pair.source, pair.target} == {*definitions}
    assert (pair.origin, pair.papers) == ("definitions", [0, 1]) and pair.consistency > 3


def test_scores_of_items_have_one_shape():
    predictions, references = ["a b c d", "e f"], [["a b c d", "x"], ["e g"]]
    bleus = bleu_items(predictions, references)
    assert bleus["bleu"].to_pylist() == [
        sentence_bleu(*item) for item in zip(predictions, references, strict=True)
    ]
    scores = bertscore_items(predictions, references)
    assert scores.column_names == ["bertscore_precision", "bertscore_recall", "bertscore_f"]
    assert scores["bertscore_f"][1].as_py() == pytest.approx(BertScorer().score(["e f"], ["e g"]).f1[0])
    assert means(scores)["bertscore_f"].high == pytest.approx(1, abs=1e-5)
    assert bertscore_items([], []).num_rows == bleu_items([], []).num_rows == 0


@pytest.mark.long
def test_the_functions_return_what_the_datasets_of_the_sample_have(made_sample_project):
    def rows(dataset):
        return silverloom.load(dataset, root=made_sample_project.root).to_pylist()

    talks, papers = ({row["id"]: row for row in rows(f"sources/{name}")} for name in ("talks", "papers"))
    summaries = 0
    for row in rows("talksumm/summaries"):
        source, _, name = papers[row["paper_id"]]["source_ids"][0].partition("/")
        if row["budget"] == "words_150" and source == "text":
            words = " ".join(word["text"] for word in talks[row["talk_id"]]["words"])
            assert summarize(words, Path(SAMPLE, "papers/text", name).read_text()).target == row["text"]
            summaries += 1
    assert summaries > 3
    annotated = {row["document_id"] for row in rows("discofuse/annotated")}
    prose = [row for row in rows("sources/prose") if row["id"] in annotated]
    texts = ((row["text"], row["title"]) for row in prose)
    of_texts = silverloom.discofuse.fusion_examples(texts, silverloom.discofuse.annotator())
    found = {(one.source, one.target, one.discourse_type) for several in of_texts for one in several}
    assert found == {
        (row["unfused_detokenised"], row["fused_detokenised"], row["discourse_type"])
        for row in rows("discofuse/candidates")
    }
    for row in rows("parasci/scored")[:20]:
        rated = silverloom.parasci.consistency(row["first"], row["second"], strict=True)
        assert rated == row["consistency"]
    ranked = {row["id"]: row for row in rows("wikisum/ranked")}
    for row in rows("wikisum/examples"):
        if row["set"] == "lead":
            pages: dict[str, list[str]] = {}
            for paragraph in ranked[row["source_ids"][0]]["paragraphs"]:
                pages.setdefault(paragraph["page_id"], []).append(paragraph["natural"])
            made = example(row["title"], ["\n\n".join(page) for page in pages.values()], words=10_000)
            assert made.source.startswith(row["source_text"])


LOADED_ELSEWHERE = """
import sys, spacy
nlp = spacy.load(sys.argv[1])
assert "silverloom.discofuse" not in sys.modules
document = nlp("Ruth Varga was born here. She sang.")
print(nlp.pipe_names[0], nlp.pipe_names[-1], [[str(span) for span in spans] for spans in document.spans.values()])
"""


def test_a_saved_pipeline_loads_in_a_process_that_does_not_import_silverloom(tmp_path):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    metadata = tmp_path / "installed/silverloom_entries-0.dist-info"  # as an installer writes it
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: silverloom-entries\nVersion: 0\n")
    lines = [f"{name} = {place}\n" for name, place in declared["spacy_factories"].items()]
    (metadata / "entry_points.txt").write_text(f"[spacy_factories]\n{''.join(lines)}")
    silverloom.discofuse.annotator().to_disk(tmp_path / "saved")
    bare = {name: value for name, value in os.environ.items() if name not in STRICT}
    ended = subprocess.run(
        [sys.executable, "-c", LOADED_ELSEWHERE, str(tmp_path / "saved")],
        cwd=tmp_path,
        env={**bare, "PYTHONPATH": os.pathsep.join([str(metadata.parent), str(ROOT)])},
        capture_output=True,
        text=True,
    )
    assert ended.stdout == "sentence_ends coreference [['Ruth Varga', 'She']]\n", ended.stderr
