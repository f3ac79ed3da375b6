"""ParaSCI in the DAG: subject areas from the papers themselves, and the documented recipe for bulk data."""

import gzip
import json
import re

import pyarrow.parquet as pq
import pytest
import yaml

from tests.ops.crawl.crawling import QUICK
from tests.ops.crawl.hostile import answering, reply
from tests.ops.parse.archives import tar
from tests.papers_as_pdf import printed
from tests.projects import ROOT, Project

(BULK,) = re.findall(
    r"```yaml\n(# in bulk\n.*?)```", (ROOT / "docs/how-to/parasci.md").read_text(), re.DOTALL
)

DEFINED = "Word sense disambiguation is the task of identifying the correct meaning of a word in its context."
DEFINED_TOO = (
    "Word sense disambiguation is the task of finding which sense of a word is meant in its context."
)


@pytest.fixture
def project(sample_project, tmp_path) -> Project:
    """A checkout with all systems, whose params.yaml a test writes."""
    return sample_project.copy(tmp_path / "project")


def rows(project, dataset):
    parts = sorted((project.root / "data" / dataset).rglob("kept-*.parquet"))
    return [row for part in parts for row in pq.read_table(part).to_pylist()]


def paper_of_arxiv(number, categories, text):
    """A line of unarXive."""
    return json.dumps(
        {
            "paper_id": f"1806.0000{number}",
            "metadata": {"title": f"Paper {number}", "categories": categories},
            "abstract": {"section": "Abstract", "text": text},
            "body_text": [{"section": "Introduction", "text": "Nothing of what follows is in it."}],
            "bib_entries": {},
        }
    )


def areas(project):
    """The areas of each defining sentence."""
    found = {DEFINED: set(), DEFINED_TOO: set()}
    for row in rows(project, "parasci/sentences"):
        found.get(row["text"], set()).add(row["area"])
    return found


@pytest.mark.long
def test_definitions_are_paired_within_the_subject_area_of_their_papers(project):
    """One term is defined in three computer science papers of two subjects, and in one physics paper."""
    (project.root / "corpus").mkdir()
    lines = [
        paper_of_arxiv(1, "cs.CL physics.soc-ph", DEFINED),
        paper_of_arxiv(2, "cs.LG", DEFINED_TOO),
        paper_of_arxiv(3, "quant-ph cs.CL", DEFINED_TOO),
        paper_of_arxiv(4, "econ.TH", "Nothing is defined in the abstract of this paper at all."),
    ]
    (project.root / "corpus/papers.jsonl").write_text("\n".join(lines))
    source = {"kind": "unarxive", "path": "corpus", "licence": "CC0-1.0"}
    params = {"parasci": {}, "partitions": {"every": "none"}, "sources": {"papers": {"arxiv": source}}}
    (project.root / "params.yaml").write_text(yaml.safe_dump(params))
    project.silverloom("run", "--select", "parasci/definitions")
    assert [row["subjects"] for row in rows(project, "sources/papers")] == [
        ["cs.CL", "physics.soc-ph"], ["cs.LG"], ["quant-ph", "cs.CL"], ["econ.TH"],
    ]  # fmt: skip
    assert areas(project) == {DEFINED: {"computer science"}, DEFINED_TOO: {"computer science", "physics"}}
    (pair,) = rows(project, "parasci/definitions")
    assert pair["key"] == "computer science/word sense disambiguation"
    assert {pair["first"], pair["second"]} == {DEFINED, DEFINED_TOO}

    # a new mapping in params.yaml remakes the areas, but nothing before them
    project.params(
        lambda params: params["parasci"].update(sentences={"subjects": {"quant-ph": "computer science"}})
    )
    made = project.made(project.silverloom("run", "--select", "parasci/definitions"))
    assert made == ["parasci/sentences all", "parasci/passages all", "parasci/definitions"]
    assert areas(project) == {text: {"computer science"} for text in (DEFINED, DEFINED_TOO)}


def annotated(pieces, number, cited=()):
    """A line of a shard of S2ORC's bulk API: (annotation, text) in order, and the ids that it cites."""
    text, annotations = "", {}
    for name, piece in pieces:
        stretch = {"start": str(len(text)), "end": str(len(text) + len(piece))}
        if name == "bibentry":
            stretch["attributes"] = {"id": "b0", "matched_paper_id": cited[0]}
        annotations.setdefault(name, []).append(stretch)
        for mark in re.finditer(r"\([A-Z][a-z]+ et al\., \d{4}\)", piece) if name == "paragraph" else ():
            place = {"start": str(len(text) + mark.start()), "end": str(len(text) + mark.end())}
            annotations.setdefault("bibref", []).append({**place, "attributes": {"ref_id": "b0"}})
        text += f"{piece}\n"
    written = {name: json.dumps(found) for name, found in annotations.items()}
    content = {"source": {"pdfurls": None}, "text": text, "annotations": {**written, "figure": None}}
    return {"corpusid": number, "externalids": {"acl": None, "arxiv": None}, "content": content}


PROPOSED = "We propose a simple yet robust network that simulates reasoning in reading comprehension."
ENTRY = "Philipp Koehn et al. 2007. Moses: Open Source Toolkit for Statistical Machine Translation."
SHARD = [
    annotated(
        [
            ("title", "Reading Machines"),
            ("abstract", PROPOSED),
            ("sectionheader", "Introduction"),
            ("paragraph", f"{DEFINED} The phrase-based translation system is trained with the Moses toolkit (Koehn et al., 2007)."),
            ("sectionheader", "Conclusion"),
            ("paragraph", "We introduced a robust and simple network for reading comprehension, which simulates reasoning."),
            ("bibentry", ENTRY),
        ],
        11,
        [2007],
    ),
    annotated(
        [
            ("title", "Translating Machines"),
            ("sectionheader", "Introduction"),
            ("paragraph", "We use the Moses toolkit to train a phrase-based system for translation (Koehn et al., 2007)."),
            ("bibentry", ENTRY),
        ],
        12,
        [2007],
    ),
]  # fmt: skip
#: The other sentence of the first pair of the paper's Table 1.
DEFINED_IN_PDF = (
    "The process of identifying the correct meaning, or sense of a word in context, is known as word sense "
    "disambiguation."
)
PDF = printed("Senses in Context", [("1 Introduction", [DEFINED_IN_PDF])], head="")
MANIFEST = b"""<arXivPDF>
<file><filename>pdf/arXiv_pdf_2303_001.tar</filename><yymm>2303</yymm></file>
<file><filename>pdf/arXiv_pdf_2304_001.tar</filename><yymm>2304</yymm><num_items>1</num_items></file>
</arXivPDF>"""


@pytest.mark.long
def test_bulk_data_become_pairs_with_the_params_that_the_documents_show(project):
    def shards(handler):
        known = handler.headers["x-api-key"] == "secret"
        files = {"files": [f"http://{handler.headers['Host']}/shards/0.gz?X-Amz-Signature=1"]}
        reply(200 if known else 403, body=json.dumps(files).encode())(handler)

    shard = gzip.compress("\n".join(map(json.dumps, SHARD)).encode())
    routes = {
        "/2023-04-11/dataset/s2orc": shards,
        "/shards/0.gz": reply(body=shard),
        "/arXiv_pdf_manifest.xml": reply(body=MANIFEST),
        "/pdf/arXiv_pdf_2304_001.tar": reply(body=tar(("2304/2304.00001.pdf", PDF))),
    }
    with answering(routes) as (site, _):
        params = yaml.safe_load(BULK)
        crawls = params["sources"]["crawls"]
        leads = {"s2orc": {"place": site}, "arxiv": {"files": f"{site}/"}}
        for name, source in crawls.items():
            source["options"] |= {**QUICK, **leads[name]}
        lists = {"s2orc": "2023-04-11", "arxiv": f"{site}/arXiv_pdf_manifest.xml"}
        for name, line in lists.items():
            folder = project.root / crawls[name]["path"]
            folder.mkdir(parents=True)
            (folder / "list.txt").write_text(f"{line}\n")
        (project.root / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
        project.silverloom("run", "--select", "parasci/paraphrases", env={"S2_API_KEY": "secret"})
    assert {row["document"]: row["title"] for row in rows(project, "sources/papers")} == {
        "11": "Reading Machines",
        "12": "Translating Machines",
        "2304.00001": "Senses in Context",
    }
    found = {row["origin"]: row for row in rows(project, "parasci/paraphrases")}
    assert {origin: row["keys"] for origin, row in found.items() if origin != "intra"} == {
        "citations": ["citations:s2orc:2007"],
        "definitions": ["definitions:word sense disambiguation"],
    }
    assert {found["definitions"]["first"], found["definitions"]["second"]} == {DEFINED, DEFINED_IN_PDF}
    assert {"first": found["intra"]["first"], "of": len(found)} == {"first": PROPOSED, "of": 3}
