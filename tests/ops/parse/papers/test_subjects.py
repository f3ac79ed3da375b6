"""Subjects of papers, from every place where a format has them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.parse.papers import FORMATS, parse_papers
from ops.parse.papers.paper import categories_in, subjects_of
from ops.parse.records import Record
from ops.parse.source import Raw
from tests.poison.parsers import PARSERS

TEXT = "Labels are dear, and we ask how far cheap labels carry."


def of(kind, content):
    return list(FORMATS[kind].parse(Raw("p", "p", content)).subjects)


def with_fields(kind, **fields):
    record = json.loads(PARSERS[kind].make("p", "Noise", TEXT))
    return of(kind, json.dumps({**record, **fields}).encode())


BULK = {"text": TEXT, "annotations": {"paragraph": [{"start": 0, "end": len(TEXT)}]}}


@pytest.mark.parametrize(
    ("fields", "subjects"),
    [
        ({"metadata": {"title": "N", "mag_field_of_study": ["Physics"], "venue": "PRL", "journal": "PRL"}},
         ["Physics", "PRL"]),
        ({"s2fieldsofstudy": [{"category": "Computer Science", "source": "s2-fos-model"}], "venue": "ACL"},
         ["Computer Science", "ACL"]),
        ({"metadata": {"acl_id": "P18-1001", "arxiv_id": None}}, ["ACL Anthology"]),
        ({"metadata": {"acl_id": None, "arxiv_id": "cond-mat/0001001"}}, ["cond-mat"]),
        ({"arxiv_id": "math.GT/0309136"}, ["math"]),
        ({"arxiv_id": "1806.00001"}, []),
        ({"journal": {"name": "Nature", "volume": "1"}}, ["Nature"]),
        ({"venue": 7, "mag_field_of_study": {"a": 1}, "externalids": "x"}, ["7"]),
        ({"content": BULK, "externalids": {"acl": "2020.acl-main.1", "arxiv": None}}, ["ACL Anthology"]),
    ],
)  # fmt: skip
def test_subjects_in_s2orc_are_fields_of_study_ids_and_venues(fields, subjects):
    assert with_fields("s2orc", **fields) == subjects


def test_subjects_in_unarxive_are_categories_with_the_primary_one_first_and_the_discipline():
    metadata = {"title": "N", "categories": "cs.CL hep-th math-ph"}
    found = with_fields("unarxive", metadata=metadata, discipline="Computer Science")
    assert found == ["cs.CL", "hep-th", "math-ph", "Computer Science"]


def test_subjects_in_jats_are_the_categories_of_the_article_and_the_journal():
    groups = (
        '<article-categories><subj-group subj-group-type="heading"><subject>Review</subject></subj-group>'
        '<subj-group subj-group-type="Discipline"><subject>Physical <i>sciences</i></subject>'
        "<subj-group><subject>Physics</subject></subj-group></subj-group></article-categories>"
    )
    journal = "<journal-meta><journal-title-group><journal-title>J</journal-title></journal-title-group></journal-meta>"
    sound = PARSERS["jats"].make("p", "Noise", TEXT).decode()
    content = sound.replace("<article-meta>", f"{journal}<article-meta>{groups}")
    assert of("jats", content.encode()) == ["Review", "Physical sciences", "Physics", "J"]


def test_subjects_in_tei_are_class_codes_and_the_journal_without_keywords():
    head = (
        '<sourceDesc><biblStruct><monogr><title level="j">PRL</title></monogr></biblStruct></sourceDesc></fileDesc>'
        '<profileDesc><textClass><classCode scheme="arXiv">cs.CL</classCode>'
        "<keywords><term>physics</term></keywords></textClass></profileDesc>"
    )
    content = PARSERS["grobid_tei"].make("p", "Noise", TEXT).decode().replace("</fileDesc>", head)
    assert of("grobid_tei", content.encode()) == ["cs.CL", "PRL"]


def test_subjects_in_plain_text_are_in_its_head():
    assert of("plain_text", f"# N\nsubjects: computer science; q-bio.NC q-bio.QM\n\n{TEXT}\n".encode()) == [
        "computer science", "q-bio.NC", "q-bio.QM",
    ]  # fmt: skip


def test_the_domain_of_a_source_is_the_last_subject_of_its_papers():
    def row(content, domain):
        record = Record("m/p", "m", "plain_text", "MIT", "2018-06", Raw("p", "p", content.encode()), domain)
        return parse_papers([record]).kept.to_pylist()[0]["subjects"]

    assert row(f"# N\n\n{TEXT}\n", "physics") == ["physics"]
    assert row(f"# N\nsubjects: law\n\n{TEXT}\n", "physics") == ["law", "physics"]
    assert row(f"# N\n\n{TEXT}\n", "") == []


@given(st.lists(st.text(alphabet="a b;.-", max_size=12)))
def test_subjects_are_few_short_folded_and_distinct(words):
    found = subjects_of(words, ["x" * 201], map(str, range(1000)))
    assert len(found) == len(set(found)) == 50
    assert all(subject == " ".join(subject.split()) and 0 < len(subject) <= 200 for subject in found)


def test_only_arxiv_categories_are_split_at_spaces():
    assert categories_in("cs.CL hep-th") == ["cs.CL", "hep-th"]
    assert categories_in("Computer Science") == ["Computer Science"]
    assert categories_in("Phys. Rev. Lett.") == ["Phys. Rev. Lett."]
