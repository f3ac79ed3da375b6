"""The collections in docs/how-to/collections.md with their params.yaml, against a local server."""

import gzip
import json
import re

import pytest
import yaml

from ops.crawl.crawl import FORMATS
from ops.crawl.options import URLS
from ops.parse.source import Source, options_fault
from tests.ops.crawl.collection_cases import dump, oai, paper, ranges
from tests.ops.crawl.crawling import QUICK, crawled
from tests.ops.crawl.hostile import answering, reply
from tests.projects import ROOT

(BLOCK,) = re.findall(
    r"```yaml\n# collections\n(.*?)```", (ROOT / "docs/how-to/collections.md").read_text(), re.DOTALL
)
SHOWN = {source["kind"]: source for source in yaml.safe_load(BLOCK)["sources"]["crawls"].values()}

ANTHOLOGY = b"""<collection id="P18"><volume id="1"><meta><month>June</month><year>2018</year></meta>
<paper id="1"><title>T</title><url>P18-1001</url></paper></volume></collection>"""
MANIFEST = (
    b"<arXivPDF><file><filename>pdf/arXiv_pdf_1806_001.tar</filename><yymm>1806</yymm></file></arXivPDF>"
)
DUMP, INDEX = dump([["Tane"]])


def shards(handler):
    """The list of a release, for clients with the key."""
    site = f"http://{handler.headers['Host']}"
    known = handler.headers["x-api-key"] == "secret"
    reply(200 if known else 403, body=json.dumps({"files": [f"{site}/shards/a.gz"]}).encode())(handler)


def results(handler):
    """The search results, for clients with the key."""
    known = handler.headers["X-Subscription-Token"] == "secret"
    found = [{"url": f"http://{handler.headers['Host']}/found"}]
    reply(200 if known else 403, body=json.dumps({"web": {"results": found}}).encode())(handler)


#: By kind: a line of its list, the server's responses, and the options that point to it.
SERVED = {
    "acl_anthology": (
        "P18",
        {"/P18.xml": reply(body=ANTHOLOGY), "/P18-1001.pdf": reply(body=b"%PDF-1")},
        {"metadata": "{site}/", "files": "{site}/"},
    ),
    "arxiv": (
        "cs",
        {"/oai2": reply(body=oai(paper("1806.00001", "2018-06-01"))), "/1806.00001": reply(body=b"%PDF-1")},
        {"place": "{site}/oai2", "files": "{site}/"},
    ),
    "arxiv_bulk": (
        "{site}/m.xml",
        {"/m.xml": reply(body=MANIFEST), "/pdf/arXiv_pdf_1806_001.tar": reply(body=b"tar")},
        {"files": "{site}/"},
    ),
    "wikipedia_dump": (
        "{site}/d-multistream.xml.bz2",
        {"/d-multistream.xml.bz2": ranges(DUMP), "/d-multistream-index.txt.bz2": reply(body=INDEX)},
        {},
    ),
    "s2orc": (
        "2018-06-11",
        {
            "/2018-06-11/dataset/s2orc": shards,
            "/shards/a.gz": reply(body=gzip.compress(b'{"corpusid": 1}\n')),
        },
        {"place": "{site}"},
    ),
    "folder": ("file://{folder}", {}, {}),
    "search": (
        "salmon in the river",
        {"/search": results, "/found": reply(body=b"salmon")},
        {"url": "{site}/search?q={{query}}&count={{k}}&offset={{offset}}"},
    ),
}


def test_every_collection_is_documented_with_options_that_it_accepts():
    assert SHOWN.keys() == SERVED.keys() == FORMATS.keys() - {URLS}
    for kind, shown in SHOWN.items():
        source = Source.model_validate(shown)
        assert options_fault(FORMATS[kind], source, kind) is None


@pytest.mark.parametrize("kind", SHOWN)
def test_the_documented_configuration_crawls(kind, tmp_path, monkeypatch):
    for variable in ("S2_API_KEY", "SEARCH_KEY"):
        monkeypatch.setenv(variable, "secret")
    (tmp_path / "corpus/2018-06").mkdir(parents=True)
    (tmp_path / "corpus/2018-06/a.pdf").write_bytes(b"%PDF-1")
    line, routes, leads = SERVED[kind]
    with answering(routes) as (site, _):
        places = {"site": site, "folder": tmp_path / "corpus"}
        options = {**SHOWN[kind]["options"], **QUICK}
        options |= {name: value.format(**places) for name, value in leads.items()}
        found = crawled(tmp_path, [line.format(**places)], kind=kind, **options)
    assert len(found.kept) == 1, found.causes()
