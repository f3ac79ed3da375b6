"""Web pages: WARC past damage, HTTP messages, paragraphs with scores, encodings and languages."""

import gzip
import random
import zlib
from itertools import pairwise
from unittest.mock import patch

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source, options_fault
from silverloom.ops.parse.warc import body_of, message
from silverloom.ops.parse.web import FORMATS, Html, page_of, parse_web_pages

PROSE = (
    "The river rises in the mountains and flows to the sea past many old mills, which people visit in summer."
)
HTML = f"""<html><head><title>The  Tane</title><script>var x = 1;</script></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About us</a></li></ul></nav>
<main><article><h1>The Tane</h1><p>{PROSE}</p><p>{PROSE} It has <b>salmon</b>.</p></article></main>
<footer><p>Copyright 2018</p></footer></body></html>"""


def gzipped(content):
    """The same bytes in every process: tests are named by them."""
    return gzip.compress(content, mtime=0)


def http(body, *fields, status="200 OK", kind="text/html; charset=utf-8"):
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *fields]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + (body if isinstance(body, bytes) else body.encode())


def record(number, content, kind="response", length=None):
    head = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{number}>",
        f"WARC-Target-URI: http://example.org/{number}",
        "WARC-Date: 2018-06-14T00:00:00Z",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(content) if length is None else length}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content + b"\r\n\r\n"


SOURCE = Source(kind="warc", path=".", month=MonthRule(field="date"), licence="MIT", max_bytes=100_000)


def split(folder, kind="warc"):
    return list(FORMATS[kind].split(folder, SOURCE))


def outcome(raws, kind="warc"):
    return parse_web_pages(
        [Record(record_id("src", raw), "src", kind, "MIT", "2018-06", raw) for raw in raws]
    )


def test_pages_whose_main_text_resiliparse_finds_are_counted_by_the_reason(tmp_path):
    (tmp_path / "a.html").write_text(HTML)
    for name in ("b", "c"):
        (tmp_path / f"{name}.html").write_text("<p>See</p>")
    found = outcome(split(tmp_path, "html"), "html")
    assert found.kept.num_rows == 3
    assert found.combinations == {"pages read by resiliparse: trafilatura finds no main text": 2}


LONG = "".join(f"<p>{PROSE} Mill {number} has {number * 7 % 31} stones.</p>" for number in range(300))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (gzipped(LONG.encode())[:-200], "Content-Encoding: gzip"),
        (zlib.compress(LONG.encode())[:-200], "Content-Encoding: deflate"),
        (brotli.compress(LONG.encode())[:-200], "Content-Encoding: br"),
        (
            zstd.ZstdCompressor().compress(LONG.encode(), zstd.ZstdCompressor.FLUSH_BLOCK),
            "Content-Encoding: zstd",
        ),
        (b"%x\r\n%s" % (len(LONG), LONG.encode()[:-200]), "Transfer-Encoding: chunked"),
    ],
    ids=["gzip", "deflate", "br", "zstd", "chunked"],
)
def test_what_there_is_of_a_body_that_is_cut_short_is_read_and_counted(tmp_path, body, field):
    (tmp_path / "a.warc").write_bytes(record(1, http(body, field)) + record(2, http(LONG)))
    found = outcome(split(tmp_path))
    assert found.kept.num_rows == 2
    assert found.combinations["pages cut short within their compressed or chunked body"] == 1


def test_papers_and_dumps_are_not_read_from_a_response_that_is_cut_short():
    content = http(gzipped(LONG.encode())[:-200], "Content-Encoding: gzip")
    with pytest.raises(ParseError, match="the body of the response is cut short"):
        body_of(Raw("a.warc", "a", content, companions={"type": "response"}))


@pytest.mark.parametrize("packing", ["plain", "a member a record", "one member", "members anywhere"])
def test_records_are_read_in_any_compression(tmp_path, packing):
    records = [
        record(0, b"", "warcinfo"),
        record(1, http(HTML)),
        record(2, b"x" * 90, "request"),
        record(3, http(HTML)),
    ]
    whole = b"".join(records)
    cuts = [0, 7, 600, 601, len(whole)]
    packed = {
        "plain": whole,
        "a member a record": b"".join(map(gzipped, records)),
        "one member": gzipped(whole),
        "members anywhere": b"".join(gzipped(whole[a:b]) for a, b in pairwise(cuts)),
    }[packing]
    (tmp_path / "a.warc.gz").write_bytes(packed)
    found = split(tmp_path)
    assert [(raw.document, raw.row, raw.error) for raw in found] == [
        ("urn:uuid:1", 2, None),
        ("urn:uuid:3", 4, None),
    ]
    assert FORMATS["warc"].fields(found[0]) == {
        "url": "http://example.org/1",
        "date": "2018-06-14T00:00:00Z",
        "document": "urn:uuid:1",
    }


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("length", [5, 10_000, -1, 10**12])
def test_a_wrong_length_rejects_only_its_record(tmp_path, packed, length):
    records = [
        record(1, http(HTML)),
        record(2, http(HTML), length=length),
        record(3, http(HTML)),
        record(4, http(HTML)),
    ]
    pack = gzipped if packed else bytes
    (tmp_path / "a.warc").write_bytes(b"".join(map(pack, records)))
    found = {raw.document: raw.error for raw in split(tmp_path)}
    assert found["urn:uuid:1"] is None
    # A length beyond the end of a file that is not compressed hides what is behind it.
    assert found.get("urn:uuid:4", "") is None or (length >= 10_000 and not packed)
    assert any(error and ("Content-Length" in error or "cut short" in error) for error in found.values())


def zstandard_with_dictionary(records):
    """As web archives are written: the first frame has the dictionary of all others."""
    samples = [record(number, http(HTML)) for number in range(500)]
    dictionary = zstd.train_dict(samples, 4_000)
    packed = zstd.compress(dictionary.dict_content)
    head = b"\x5d\x2a\x4d\x18" + len(packed).to_bytes(4, "little")
    return head + packed + b"".join(zstd.compress(record, zstd_dict=dictionary) for record in records)


@pytest.mark.parametrize(
    "pack",
    [
        lambda records: b"".join(map(zstd.compress, records)),
        lambda records: zstd.compress(b"".join(records)),
        zstandard_with_dictionary,
        lambda records: bytes(100).join(map(gzipped, records)) + bytes(100_000),
        lambda records: gzipped(b"").join(map(gzipped, records)),
        lambda records: b"".join(records).replace(b"\r\n\r\nWARC/", b"WARC/"),
        lambda records: b"".join(gzipped(record.replace(b"\r\n", b"\n", 8)) for record in records),
    ],
)
def test_records_are_read_however_they_are_packed_and_separated(tmp_path, pack):
    (tmp_path / "a.warc.zst").write_bytes(pack([record(number, http(HTML)) for number in range(3)]))
    found = split(tmp_path)
    assert [(raw.document, raw.content, raw.error) for raw in found] == [
        (f"urn:uuid:{number}", http(HTML), None) for number in range(3)
    ]


WHOLE = record(1, http(HTML))


@pytest.mark.parametrize(
    ("member", "cause"),
    [
        (gzipped(WHOLE)[:-6] + b"\0" + gzipped(WHOLE)[-5:], "damaged: "),
        (gzipped(WHOLE)[:-20], ""),
        (b"X" + gzipped(WHOLE)[1:], "damaged: "),
        (b"garbage" * 10, "damaged: "),
        (gzipped(WHOLE[:80]), "cut short within the head"),
        (gzipped(WHOLE[:-40]), "Content-Length is wrong"),
        (gzipped(record(1, http(HTML), length=10)), "Content-Length is wrong"),
        (gzipped(record(1, http(HTML), length=10**12)), "Content-Length is wrong"),
        (gzipped(record(1, http(HTML), length="1e3")), "Content-Length is no number"),
        (gzipped(WHOLE.replace(b"Content-Length", b"Length")), "Content-Length is no number"),
        (gzipped(WHOLE.replace(b"WARC-Type", b"Type")), "WARC-Type is missing"),
        (gzipped(WHOLE.replace(b"WARC-Date", b"a: b\r\n" * 20_000 + b"WARC-Date")), "head is longer"),
        (gzipped(b"WARC/9.9" + WHOLE[8:]), "no record of WARC begins here"),
    ],
)
def test_damage_of_a_member_costs_its_record_and_is_said(tmp_path, member, cause):
    packed = [gzipped(record(0, http(HTML))), member, gzipped(record(2, http(HTML)))]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(packed))
    first, bad, last = split(tmp_path)
    assert (first.document, first.error, last.document, last.error) == (
        "urn:uuid:0",
        None,
        "urn:uuid:2",
        None,
    )
    assert bad.error and cause in bad.error


def test_a_truncated_file_gives_its_whole_records(tmp_path):
    content = gzipped(record(1, http(HTML))) + gzipped(record(2, http(HTML)))[:-30]
    (tmp_path / "a.warc.gz").write_bytes(content)
    first, last = split(tmp_path)
    assert (first.document, first.error) == ("urn:uuid:1", None)
    assert "cut short" in last.error


def test_a_bomb_ends_its_file_and_a_large_record_is_skipped(tmp_path):
    noise = random.Random(0).randbytes(60_000).hex().encode()
    large = [record(1, noise), record(2, http(HTML))]
    (tmp_path / "large.warc.gz").write_bytes(b"".join(map(gzipped, large)))
    (tmp_path / "bomb.warc.gz").write_bytes(gzipped(record(3, b" " * 100_000_000)))
    found = {(raw.path, raw.document): raw.error for raw in split(tmp_path)}
    assert found["large.warc.gz", "urn:uuid:1"] == "larger than max_bytes = 100000; it was not read"
    assert found["large.warc.gz", "urn:uuid:2"] is None
    assert "unpacks to more than 100 times its size" in found["bomb.warc.gz", "bomb.warc.gz#1"]


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 50, b"hello\n" * 50, b"WARC/9.9\r\n\r\n", b"WARC/1.0\r\nno end"]
)
def test_content_that_is_not_warc_is_an_error_and_not_an_endless_loop(tmp_path, content):
    (tmp_path / "a.warc").write_bytes(content)
    assert all(raw.error for raw in split(tmp_path))
    assert len(split(tmp_path)) == 1


CHUNKED = b"5\r\nHello\r\n1;x=y\r\n!\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("content", "body"),
    [
        (http("Hello!"), b"Hello!"),
        (http(CHUNKED, "Transfer-Encoding: chunked"), b"Hello!"),
        (http("Hello!", "Transfer-Encoding: chunked"), b"Hello!"),
        (http(gzipped(b"Hello!"), "Content-Encoding: gzip"), b"Hello!"),
        (http("Hello!", "Content-Encoding: gzip"), b"Hello!"),
        (http("Hello!", "Content-Encoding: br, UTF-8"), b"Hello!"),
        (http(gzipped(b"Hello!"), "Content-Encoding: deflate"), b"Hello!"),
        (http(gzipped(b"Hello!"), "Content-Encoding: UTF-8"), b"Hello!"),
        (http(gzipped(b"Hel") + gzipped(b"lo!"), "Content-Encoding: x-gzip"), b"Hello!"),
        (http(zstd.compress(b"Hel") + zstd.compress(b"lo!"), "Content-Encoding: zstd"), b"Hello!"),
        (http(gzipped(b"Hello!") + b"\r\n", "Content-Encoding: gzip"), b"Hello!"),
        (http(zlib.compress(b"Hello!"), "Content-Encoding: deflate"), b"Hello!"),
        (http(zlib.compress(b"Hello!")[2:-4], "Content-Encoding: deflate"), b"Hello!"),
        (http(brotli.compress(b"Hello!"), "Content-Encoding: br"), b"Hello!"),
        (http(zstd.compress(b"Hello!"), "Content-Encoding: zstd"), b"Hello!"),
        *(
            (http("Hello!", f"Content-Encoding: {packing}"), b"Hello!")
            for packing in ("br", "deflate", "UTF-8", "zstd")
        ),
        (b"HTTP/1.0 200\nContent-type: text/html\n\nHello!", b"Hello!"),
    ],
)
def test_a_body_is_restored_to_what_was_sent(content, body):
    assert message(content)[-2:] == (body, False)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "no HTTP message"),
        (b"HTTP/1.1 200 OK\r\nA: b", "without the end of its head"),
        (http(b"\x1f\x8bxxxx", "Content-Encoding: gzip"), "cannot be unpacked"),
        (http(b"\x01\x02\xff", "Content-Encoding: br"), "cannot be unpacked"),
        (http(b"\x01\x02\xff", "Content-Encoding: zstd"), "cannot be unpacked"),
        (http(b"\x01\x02\xff", "Content-Encoding: lzma"), "an unknown packing: 'lzma'"),
        (http(zlib.compress(HTML.encode()), "Content-Encoding: gzip"), "cannot be unpacked"),
        (http(b"5\r\nHello\r\nlost\r\n", "Transfer-Encoding: chunked"), "a chunk without a size, at byte 10"),
    ],
)
def test_a_body_that_cannot_be_decompressed_is_refused(content, cause):
    with pytest.raises(ParseError, match=cause):
        message(content)


def test_a_body_that_unpacks_to_too_much_is_refused():
    with pytest.raises(ParseError, match="unpacks to more than"):
        message(http(gzipped(bytes(70 * 2**20)), "Content-Encoding: gzip"))


def test_all_text_is_kept_and_main_content_scores_low():
    page = page_of(HTML.encode())
    scores = {paragraph.text: paragraph.boilerplate for paragraph in page.paragraphs}
    assert page.title == "The Tane"
    assert scores[PROSE] < 0.5
    assert scores[f"{PROSE} It has salmon."] < scores["The Tane"] < 0.5
    assert all(score >= 0.5 for text, score in scores.items() if "Home" in text or "Copyright" in text)
    assert any("About us" in text for text in scores)
    assert all(0 <= score <= 1 for score in scores.values())
    assert (page.language, page.encoding) == ("en", "utf-8")


@pytest.mark.parametrize(
    ("content", "content_type", "encoding"),
    [
        ("<p>caf\u00e9 \u2013 na\u00efve</p>".encode(), "", "utf-8"),
        ("<p>caf\u00e9</p>".encode("latin-1"), "text/html; charset=ISO-8859-1", "cp1252"),
        ("<meta charset=windows-1251><p>\u043f\u0440\u0438\u0432\u0435\u0442</p>".encode("cp1251"), "", "cp1251"),
        ("<meta charset=iso-8859-1><p>caf\u00e9 \u4e2d\u6587\u4e2d\u6587</p>".encode(), "text/html; charset=utf-8", "utf-8"),
        (b"<meta charset=no-such><p>plain</p>", "text/html; charset=nor-this", "utf-8"),
        (f"<p>It\u2019s plain. {'The mill is old. ' * 100}</p>".encode("cp1252"), "text/html", "cp1252"),
    ],
)  # fmt: skip
def test_the_declared_encoding_is_used_if_the_page_decodes(content, content_type, encoding):
    page = page_of(content, content_type)
    assert page.encoding == encoding
    assert "\ufffd" not in page.paragraphs[0].text


@pytest.mark.parametrize("encoding", ["iso-2022-jp", "utf-16", "shift_jis", "euc-jp", "utf-8"])
def test_a_page_in_another_encoding_is_read_whole(encoding):
    text = "<meta charset={}><p>\u30bf\u30cd\u5ddd\u306f\u5cf6\u3067\u4e00\u756a\u9577\u3044\u5ddd\u3067\u3059</p>"
    page = page_of(text.format(encoding).encode(encoding), f"text/html; charset={encoding}")
    assert [found.text for found in page.paragraphs] == [text[20:-4]]


@given(st.integers(0, 400), st.sampled_from([b"\xe2", b"\x80", b"\xff", b"\xc3("]))
def test_a_broken_byte_costs_one_character_and_not_the_page(place, broken):
    text = "It\u2019s the town\u2019s oldest caf\u00e9 \u2013 built in 1830 \u2013 and open. " * 8
    start, end = text[:place].encode(), text[place:].encode()
    page = page_of(b"<meta charset=utf-8><p>" + start + broken + end, "text/html; charset=utf-8")
    assert page.encoding == "utf-8"
    assert "".join(found.text for found in page.paragraphs).replace("\ufffd", "").count("\u2019") == 16


@pytest.mark.parametrize(
    ("body", "kind", "cause"),
    [
        (b"%PDF-1.4\n1 0 obj << >> stream\n", "text/html", "a PDF"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "", "a JPEG image"),
        (b"PK\x03\x04" + bytes(40), "application/xhtml+xml", "a ZIP archive"),
        (bytes(range(256)) * 4, "text/html; charset=utf-8", "binary data"),
    ],
)
def test_bytes_of_another_kind_are_rejected_whatever_their_declared_type(tmp_path, body, kind, cause):
    (tmp_path / "a.warc").write_bytes(record(1, http(body, kind=kind)))
    (rejected,) = outcome(split(tmp_path)).rejected.to_pylist()
    assert f"its bytes are {cause}" in rejected["error"]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ('\ufeff{"title": "The mill", "text": "It is old."}', "JSON"),
        ('[{"title": "The mill"}]', "JSON"),
        ("/* theme */ body, a:hover { color: red; }\n.mill { width: 9px }", "a style sheet"),
        ("@import url(mill.css);", "a style sheet"),
        ("/*! jQuery v3 */\n!function(a,b){return a}(this);", "a script"),
        ("// ads\nvar mill = '<p>It is old.</p>';", "a script"),
        ("window.dataLayer = window.dataLayer || [];", "a script"),
        ('callback({"text": "It is old."});', "a script"),
        ('<?xml version="1.0"?>\n<!-- feed --><rss version="2.0"><channel/></rss>', "XML (rss)"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'><title>The mill</title></feed>", "XML (feed)"),
        ("<?xml version='1.0'?><urlset><url><loc>/</loc></url></urlset>", "XML (urlset)"),
        ("<?xml version='1.0'?><mills:all xmlns:mills='m'><p>It is old.</p></mills:all>", "XML (mills:all)"),
    ],
)
def test_text_that_is_no_page_is_dropped_whatever_its_declared_type(tmp_path, body, detail):
    (tmp_path / "a.warc").write_bytes(record(1, http(body)))
    (dropped,) = outcome(split(tmp_path)).dropped.to_pylist()
    assert (dropped["reason"], dropped["detail"]) == (
        "not_html",
        f"{detail}, served as text/html; charset=utf-8",
    )


@pytest.mark.parametrize(
    "body",
    [
        f"<p>{PROSE}</p>",
        PROSE,
        f"[The mill] {PROSE}",
        f"<?xml version='1.0'?><!DOCTYPE html><html><body><p>{PROSE}</p></body></html>",
        f"<!-- {{'a': 1}} --><div>{PROSE}</div>",
        f"<script>var mill = 1;</script><p>{PROSE}</p>",
        f"<body {{color: red}}><p>{PROSE}</p>",
        f"Import and export: {PROSE} (function of mills) {{x: y}}",
    ],
)
def test_what_may_be_a_page_is_one(tmp_path, body):
    (tmp_path / "a.warc").write_bytes(record(1, http(body)))
    (kept,) = outcome(split(tmp_path)).kept.to_pylist()
    assert PROSE in kept["text"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_without_a_byte_order_mark(encoding):
    page = Html().parse(Raw("a.html", "a", f"<p>{PROSE} \u00dcber.</p>".encode(encoding))).page
    assert (page.encoding, page.paragraphs[0].text) == (encoding, f"{PROSE} \u00dcber.")


def test_an_exponent_of_ten_keeps_its_meaning():
    page = page_of(f"<p>{PROSE} It has 3 × 10<sup>6</sup> bricks, built in 10<SUP> −9 </SUP> s.</p>".encode())
    assert page.paragraphs[0].text.endswith("It has 3 × 10^6 bricks, built in 10^−9 s.")


@pytest.mark.parametrize("empty", ["<title/>", "<script src='a'/>", '<a name="b" />', "<style />"])
def test_an_empty_element_of_xhtml_does_not_swallow_the_page(empty):
    text = f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>{empty}</head><body><br/><p>{PROSE}</p>'
    assert PROSE in [found.text for found in page_of(text.encode(), "application/xhtml+xml").paragraphs]


def test_soft_hyphens_do_not_split_words():
    assert page_of(b"<p>inter&shy;na\xe2\x80\x8btional law</p>").paragraphs[0].text == "international law"


def test_the_options_of_a_source_reach_the_extractor(tmp_path):
    (tmp_path / "a.warc").write_bytes(record(1, http(HTML)))
    (tmp_path / "a.html").write_text(HTML)
    for kind in ("warc", "html"):
        source = SOURCE.model_copy(update={"options": {"extractor": "resiliparse"}})
        assert options_fault(FORMATS[kind], source, kind) is None
        (raw,) = [raw for raw in FORMATS[kind].split(tmp_path, source) if raw.error is None]
        with patch("silverloom.ops.parse.web.page_of", wraps=page_of) as extract:
            FORMATS[kind].form.parse(raw)
        assert extract.call_args.args[2] == "resiliparse"
    assert "extractor" in options_fault(
        FORMATS["html"], SOURCE.model_copy(update={"options": {"extractor": "x"}}), "html"
    )


def test_every_record_is_kept_dropped_or_rejected(tmp_path):
    records = [
        record(1, http(HTML)),
        record(2, http("", status="404 Not Found")),
        record(3, http(b"\x89PNG", kind="image/png")),
        record(4, http("<html><body></body></html>")),
        record(5, b"no message"),
        record(6, http("<p>NUL \x00 and \x01 are no text, and a lone \ud800 neither.</p>".encode("utf-8", "surrogatepass"))),
    ]  # fmt: skip
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    found = outcome(split(tmp_path))
    first, last = found.kept.to_pylist()
    assert (first["url"], first["language"], first["date"]) == (
        "http://example.org/1",
        "en",
        "2018-06-14T00:00:00Z",
    )
    texts = [first["text"][one["start"] : one["end"]] for one in first["paragraphs"]]
    assert "\n\n".join(texts) == first["text"]
    assert 0 < first["boilerplate"] < 0.5
    assert "are no text" in last["text"]
    assert [(row["reason"], row["detail"]) for row in found.dropped.to_pylist()] == [
        ("status", "404"),
        ("not_html", "image/png"),
        ("no_text", None),
    ]
    assert [row["error"] for row in found.rejected.to_pylist()] == [
        "src/a.warc, line 5: no HTTP message: b'no message'"
    ]


def test_files_of_html_are_pages_by_their_paths(tmp_path):
    for name in ("a/index.html", "b/index.html"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(HTML)
    (tmp_path / "empty.html").touch()
    found = outcome(split(tmp_path, "html"), "html")
    assert [row["document"] for row in found.kept.to_pylist()] == ["a/index", "b/index"]
    assert found.rejected["error"].to_pylist() == ["src/empty.html: the file is empty"]
