"""Subjects and DOIs of papers, from every place where a format has them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.papers import FORMATS, parse_papers
from silverloom.ops.parse.papers.metadata import categories_in, doi_of, subjects_of
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import Raw
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


def dois(kind, content):
    return FORMATS[kind].parse(Raw("p", "p", content)).doi


@pytest.mark.parametrize(
    ("fields", "doi"),
    [
        ({"metadata": {"title": "N", "doi": "10.1103/PhysRevLett.1"}}, "10.1103/physrevlett.1"),
        ({"externalids": {"DOI": "https://doi.org/10.18653/v1/P18-1001"}}, "10.18653/v1/p18-1001"),
        ({"content": BULK, "externalids": {"doi": "10.1000/1", "arxiv": None}}, "10.1000/1"),
        ({"metadata": {"doi": None}, "externalids": "x"}, ""),
    ],
)
def test_the_doi_in_s2orc_is_in_the_record_the_metadata_or_the_ids(fields, doi):
    record = json.loads(PARSERS["s2orc"].make("p", "Noise", TEXT))
    assert dois("s2orc", json.dumps({**record, **fields}).encode()) == doi


def test_the_doi_in_unarxive_is_the_first_of_its_metadata():
    record = json.loads(PARSERS["unarxive"].make("p", "Noise", TEXT))
    record["metadata"]["doi"] = "10.1103/A 10.1103/B"
    assert dois("unarxive", json.dumps(record).encode()) == "10.1103/a"


def test_the_doi_in_jats_is_the_articles_and_not_that_of_a_related_one():
    ids = (
        '<article-id pub-id-type="pmid">10.9/9</article-id><article-id pub-id-type="doi">10.1000/A</article-id>'
        '<related-article ext-link-type="doi">10.2000/1</related-article>'
    )
    sound = PARSERS["jats"].make("p", "Noise", TEXT).decode()
    assert dois("jats", sound.replace("<article-meta>", f"<article-meta>{ids}").encode()) == "10.1000/a"


def test_the_doi_in_tei_is_in_the_source_of_the_header_and_not_in_the_bibliography():
    head = (
        '<sourceDesc><biblStruct><idno type="MD5">A</idno><idno type="DOI">10.1000/1</idno></biblStruct></sourceDesc>'
        "</fileDesc>"
    )
    cited = '<back><listBibl><biblStruct><idno type="DOI">10.2/2</idno></biblStruct></listBibl></back></text>'
    sound = PARSERS["grobid_tei"].make("p", "Noise", TEXT).decode().replace("</text>", cited)
    assert dois("grobid_tei", sound.replace("</fileDesc>", head).encode()) == "10.1000/1"
    assert dois("grobid_tei", sound.encode()) == ""


def test_the_doi_in_plain_text_is_in_its_head_and_stands_in_its_row():
    def row(head):
        raw = Raw("p", "p", f"# N\n{head}\n\n{TEXT}\n".encode())
        return parse_papers([Record("m/p", "m", "plain_text", "MIT", "2018-06", raw)]).kept.to_pylist()[0][
            "doi"
        ]

    assert row("doi: 10.1000/1") == "10.1000/1"
    assert row("date: 2018-06-14") is None


@given(
    st.sampled_from(["", "doi:", "DOI: ", "doi.org/", "https://doi.org/", "http://dx.doi.org/"]),
    st.from_regex(r"10\.\d{4,9}/[!-~]{1,30}", fullmatch=True),
    st.lists(st.sampled_from([None, "", 7, "10.1", "N/A", "11.1000/1", {"doi": "10.1000/1"}])),
)
def test_the_first_doi_counts_in_lower_case_and_without_its_resolver(resolver, doi, before):
    assert doi_of(*before, resolver + doi, "10.9999/other") == doi.lower()
    assert doi_of(*before) == ""
