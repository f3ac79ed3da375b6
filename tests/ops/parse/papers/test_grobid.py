"""GROBID by URL: the requests, the use of its responses, and what happens if it is busy or broken."""

import contextlib
import http.server
import threading

import pytest

from silverloom.ops.parse.papers import FORMATS, parse_papers
from silverloom.ops.parse.papers.extraction_tools import tei_of
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, ParseError, ServiceBusyError, Source
from tests.ops.parse.papers.tei import TEI
from tests.papers_as_pdf import printed

PDF = printed("A Title", [("1 Work", ["We measured it twice."])])


@contextlib.contextmanager
def grobid(*answers):
    """Respond locally with (status, headers, body), repeating the last one."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers["Content-Type"], body))
            status, headers, content = answers[min(len(asked), len(answers)) - 1]
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


FOUND = (200, {"Content-Type": "application/xml"}, TEI.encode())


def outcome(folder, address, **files):
    for name, content in files.items():
        (folder / f"{name}.pdf").write_bytes(content)
    source = Source(
        kind="pdf",
        path=".",
        month=MonthRule(constant="2018-06"),
        licence="MIT",
        options={"grobid": address},
    )
    raws = FORMATS["pdf"].split(folder, source)
    return parse_papers([Record(record_id("src", raw), "src", "pdf", "MIT", "2018-06", raw) for raw in raws])


def test_a_pdf_is_sent_and_the_returned_tei_is_the_paper(tmp_path):
    with grobid(FOUND) as (address, asked):
        [paper] = outcome(tmp_path, address + "/", noise=PDF).kept.to_pylist()
    assert paper["title"] == "Learning from Noise"
    assert paper["document"] == "noise"
    assert [section["role"] for section in paper["sections"]] == [
        "abstract", "introduction", "result", "acknowledgments",
    ]  # fmt: skip
    [(path, content_type, body)] = asked
    assert path == "/api/processFulltextDocument"
    assert content_type.startswith("multipart/form-data")
    assert b'name="input"' in body
    assert PDF in body


def test_a_pdf_that_grobid_cannot_read_is_rejected_and_the_others_are_kept(tmp_path):
    broken = (500, {}, b"[BAD_INPUT_DATA] PDF to XML conversion failed")
    with grobid(broken, (204, {}, b""), (200, {}, b"<TEI>"), FOUND) as (address, _):
        found = outcome(tmp_path, address, a=PDF, b=PDF, c=PDF, d=PDF)
    assert [row["document"] for row in found.kept.to_pylist()] == ["d"]
    first, second, third = found.rejected["error"].to_pylist()
    assert first.endswith("GROBID cannot read it: status 500: [BAD_INPUT_DATA] PDF to XML conversion failed")
    assert second.endswith("GROBID found nothing in it")
    assert "malformed XML" in third


def test_truncated_content_is_never_sent(tmp_path):
    with grobid(FOUND) as (address, asked):
        found = outcome(tmp_path, address, cut=PDF[: len(PDF) // 2])
    assert "cut short" in found.rejected["error"][0].as_py()
    assert asked == []


def test_a_busy_service_is_retried():
    with grobid((503, {}, b""), (429, {"Retry-After": "1"}, b""), FOUND) as (address, asked):
        assert tei_of(address, PDF, wait=0.01) == TEI.encode()
    assert len(asked) == 3


def test_a_service_that_stays_busy_rejects_no_record():
    with (
        grobid((503, {}, b"")) as (address, asked),
        pytest.raises(ServiceBusyError, match="is busy: status 503"),
    ):
        tei_of(address, PDF, retries=2, wait=0.01)
    assert len(asked) == 3


def test_an_unavailable_service_fails_the_whole_parsing(tmp_path):
    with grobid(FOUND) as (address, _):
        pass
    with pytest.raises(ServiceBusyError, match=rf"GROBID at {address} cannot be asked: .*refused"):
        outcome(tmp_path, address, noise=PDF)


def test_a_truncated_response_is_not_a_paper():
    with (
        grobid((200, {"Content-Length": "99999"}, b"<TEI>")) as (address, _),
        pytest.raises(ParseError, match="GROBID broke off"),
    ):
        tei_of(address, PDF, retries=0)


def test_an_invalid_address_is_refused_before_anything_runs():
    with pytest.raises(ValueError, match="grobid"):
        FORMATS["pdf"].options.model_validate({"grobid": "localhost:8070"})
