"""SciREX lines: spans, detokenising, bounded decompression."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.paper import Paper
from silverloom.ops.parse.papers.scirex import detokenised
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source

SENTENCES = [
    "Full - Resolution Networks",
    "We do it .",
    "section : Introduction",
    "See Fig .",
    "3 for 45 , 000 ( or so ) .",
    "subsection : Zebras",
    "section : Related Work",
    "They did not .",
]
SECTIONS = [2, 3, 1, 2]  # sentences in each


def record(**changed: object) -> dict[str, object]:
    words: list[str] = []
    spans = []
    for sentence in SENTENCES:
        start = len(words)
        words += sentence.split()
        spans.append([start, len(words)])
    sections = []
    first = 0
    for count in SECTIONS:
        sections.append([spans[first][0], spans[first + count - 1][1]])
        first += count
    return {"doc_id": "d1", "words": words, "sections": sections, "sentences": spans, **changed}


def parse(found: object) -> Paper:
    content = found if isinstance(found, bytes) else json.dumps(found).encode()
    return FORMATS["scirex"].parse(Raw("a.jsonl", "d1", content, 1))


def source(max_bytes: int = 10_000) -> Source:
    month = MonthRule(constant="2018-06")
    return Source(kind="scirex", path=".", month=month, licence="x", max_bytes=max_bytes)


def split(folder: Path, max_bytes: int = 10_000) -> list[Raw]:
    return list(FORMATS["scirex"].split(folder, source(max_bytes)))


def test_headings_titles_and_sentences_are_distinguished():
    paper = parse(record())
    assert paper.title == "Full-Resolution Networks"
    assert [(each.title, each.role) for each in paper.sections] == [
        ("Abstract", "abstract"),
        ("Introduction", "introduction"),
        ("Zebras", "introduction"),
        ("Related Work", "related work"),
    ]
    assert [(each.section, each.locator, each.text) for each in paper.sentences] == [
        (0, "words[4:8]", "We do it."),
        (1, "words[11:24]", "See Fig. 3 for 45,000 (or so)."),
        (3, "words[31:35]", "They did not."),
    ]


@pytest.mark.parametrize(
    ("given", "sentences"),
    [
        (
            ["They use memory", "[ reference ][ reference ] . Meanwhile , we do ."],
            ["They use memory [reference][reference].", "Meanwhile, we do."],
        ),
        (["It is shown [", "reference ] . We do ."], ["It is shown [reference].", "We do."]),
        (["It is supported by", "[ reference ] ."], ["It is supported by [reference]."]),
        (
            ["We use ResNet - 50", "[ reference ] as backbone ."],
            ["We use ResNet-50 [reference] as backbone."],
        ),
        (["The 36 - year", "- old man", "is here ."], ["The 36-year-old man is here."]),
        (["Encoder", ": We encode ."], ["Encoder: We encode."]),
        (["The state s t", "+ 1", "= RNN ( s t ) ."], ["The state s t + 1 = RNN (s t)."]),
        (["Let w 1 , ...", ", w n be it ."], ["Let w 1,..., w n be it."]),
        (
            ["We do .", "[ reference ] did .", "argmax is hard ."],
            ["We do.", "[reference] did.", "argmax is hard."],
        ),
        (["Memory", "The memory is here ."], ["Memory", "The memory is here."]),
    ],
)
def test_a_sentence_split_before_or_within_its_citation_is_rejoined(given, sentences):
    assert texts(given) == sentences


def test_debris_without_an_end_is_not_joined_to_a_sentence():
    assert [len(text.split()) for text in texts(["n02 n03 n04"] * 100)] == [153, 147]


def texts(given: list[str]) -> list[str]:
    words: list[str] = []
    spans = []
    for sentence in ["Title", "Abstract", *given]:
        spans.append([len(words), len(words) + len(sentence.split())])
        words += sentence.split()
    sections = [[0, 1], [1, len(words)]]
    found = {"doc_id": "d1", "words": words, "sections": sections, "sentences": spans}
    return [each.text for each in parse(found).sentences]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("( e.g. , state - of - the - art ) .", "(e.g., state-of-the-art)."),
        ('He said " go " ; it \'s done', 'He said "go"; it\'s done'),
        ("[ reference ][ reference ] , 71.8 %", "[reference][reference], 71.8%"),
        ("and / or https: // a.b / c", "and/or https://a.b/c"),
        ("", ""),
    ],
)
def test_tokens_become_text(tokens, text):
    assert detokenised(tokens.split()) == text


@pytest.mark.parametrize(
    ("found", "cause"),
    [
        (b"nonsense", "malformed JSON"),
        (b"[" * 100_000, "nested too deeply"),
        ({"doc_id": "a"}, "no key words"),
        (record(doc_id=None), "doc_id is empty"),
        (record(doc_id=7), "doc_id must be text"),
        (record(words=[1]), r"words\[0\] must be text"),
        (record(words="a b"), "words must be a list"),
        (record(sections=[]), "sections is empty"),
        (record(sections=[[0, 99]]), r"sections\[0\] = \[0, 99\] is outside the 35 words"),
        (record(sentences=[[0, True]]), r"sentences\[0\] must be two numbers"),
        (record(sentences=[[-1, 2]]), "is outside"),
        (record(sentences=[[0, 3], [2, 4]]), r"sentences\[1\] = \[2, 4\] begins before"),
        (record(sections=[[0, 2]]), "begins in no section"),
        (record(sentences=[]), "no sentences"),
        (record(words=["\x00"] * 35), r"U\+0000"),
    ],
)
def test_a_record_of_the_wrong_shape_is_refused_with_the_key(found, cause):
    with pytest.raises(ParseError, match=cause):
        parse(found)


def test_every_line_is_a_record_and_a_bad_one_affects_no_other(tmp_path):
    lines = [json.dumps(record()), "{", "", json.dumps(record(doc_id="d2")), json.dumps(record())]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    found = split(tmp_path)
    assert [(raw.row, raw.document) for raw in found] == [
        (1, "d1"),
        (2, "a.jsonl.gz#2"),
        (4, "d2"),
        (5, "d1"),
    ]
    assert found[3].error == "its document id 'd1' is already that of a.jsonl.gz, line 1"
    assert [raw.error and raw.error[:14] for raw in found[:3]] == [None, "malformed JSON", None]
