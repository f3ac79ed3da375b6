"""Hostile servers: each affects its own pages only."""

import gzip
import socket
import zlib

import brotli
import pytest

from tests.ops.crawl.crawling import crawled, cut_short
from tests.ops.crawl.hostile import answering, drip, in_turn, redirect, reply, silent

GOOD = reply(body=b"<p>Labels are dear.</p>")
BOMB = bytes(2_000_000)


def outcome(tmp_path, route, robots=None, **options):
    """The outcome of a page of one server; the page of the other server must be kept."""
    routes = {"/page": route, "/beside": GOOD} | ({"/robots.txt": robots} if robots else {})
    with answering(routes) as (site, asked):
        found = crawled(tmp_path, [f"{site}/page", f"{site}/beside"], **options)
    causes = {url.removeprefix(site): cause for url, cause in found.causes().items()}
    kept = {row["url"].removeprefix(site): row for row in found.kept}
    return kept, causes, asked


def hanging_up(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


UNAVAILABLE = {
    "/missing": (reply(404), "status 404 Not Found"),
    "/broken": (reply(500), "status 500 Internal Server Error"),
    "/metadata": (redirect("http://169.254.169.254/latest/"), "the address 169.254.169.254 is link-local"),
    "/old": (redirect("http://[fec0::1]/"), "the address fec0::1 is not public"),
    "/mapped": (redirect("http://[::ffff:10.0.0.1]/"), "the address ::ffff:a00:1 is private"),
    "/here": (redirect("http://localhost/"), "localhost is this machine"),
    "/file": (redirect("file:///etc/passwd"), "status 302 Found"),
    "/loop": (redirect("/loop"), "more than 5 redirects"),
    "/packed": (reply(body=b"no gzip", Content_Encoding="gzip"), "BadGzipFile: Not a gzipped file (b'no')"),
    "/cut": (cut_short, "the answer was cut short"),
    "/words": (
        reply(body=b"abc", Content_Length="ten"),
        "ValueError: Value contains non-decimal digits: b'ten'",
    ),
    "/below": (
        reply(body=b"abc", Content_Length="-5"),
        "ValueError: Value contains non-decimal digits: b'-5'",
    ),
    "/gzip": (reply(body=gzip.compress(BOMB), Content_Encoding="gzip"), "size"),
    "/br": (reply(body=brotli.compress(BOMB), Content_Encoding="br"), "size"),
    "/deflate": (reply(body=zlib.compress(BOMB), Content_Encoding="deflate"), "size"),
}


def test_unavailable_pages_and_bombs_are_lost_with_their_cause_and_no_other_page(tmp_path):
    routes = {path: route for path, (route, _) in UNAVAILABLE.items()}
    with answering({**routes, "/beside": GOOD}) as (site, _):
        found = crawled(tmp_path, [f"{site}{path}" for path in [*routes, "/beside"]], page_bytes=100_000)
    assert [row["url"] for row in found.kept] == [f"{site}/beside"]
    assert {url.removeprefix(site): cause for url, cause in found.causes().items()} == {
        path: cause for path, (_, cause) in UNAVAILABLE.items()
    }


@pytest.mark.parametrize("told", [True, False])
def test_an_oversized_page_is_dropped_whether_or_not_its_header_declares_it(tmp_path, told):
    def untold(handler):
        handler.send_response_only(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"x" * 300_000)
        handler.close_connection = True

    kept, causes, _ = outcome(tmp_path, reply(body=b"x" * 300_000) if told else untold, page_bytes=100_000)
    assert (list(kept), causes) == (["/beside"], {"/page": "size"})


def test_a_slow_drip_is_ended(tmp_path):
    kept, causes, _ = outcome(tmp_path, drip(60), timeout=1, retries=0)
    assert (list(kept), causes) == (["/beside"], {"/page": "no whole answer within 1 seconds"})


def test_a_temporary_error_is_retried(tmp_path):
    kept, _, asked = outcome(tmp_path, in_turn(reply(500), GOOD))
    assert len(kept) == 1, "both pages are the same"
    assert asked.paths().count("/page") == 2


def test_retry_after_is_obeyed_and_blocks_all_requests_to_the_host(tmp_path):
    busy = in_turn(reply(429, Retry_After="2"), reply(body=b"<p>At last.</p>"))
    kept, _, asked = outcome(tmp_path, busy)
    times = [seconds for path, _, seconds in asked if path != "/robots.txt"]
    assert {*kept} == {"/page", "/beside"}
    assert asked.paths()[0] == "/page"
    assert times[1] - times[0] >= 2


def test_a_host_with_a_too_long_retry_after_is_given_up(tmp_path):
    _, causes, asked = outcome(tmp_path, reply(503, Retry_After="3600"), longest_wait=10)
    assert causes["/page"] == "status 503 Service Unavailable"
    assert asked.paths().count("/page") == 1


def test_a_too_small_length_truncates_the_page_and_affects_no_other(tmp_path):
    kept, causes, _ = outcome(tmp_path, reply(body=b"<p>Labels are dear, and more.</p>", Content_Length="10"))
    assert ({*kept}, causes) == ({"/page", "/beside"}, {})
    assert kept["/page"]["bytes"] == 10


def test_a_picture_declared_as_html_is_kept_and_has_no_links(tmp_path):
    kept, causes, _ = outcome(tmp_path, reply(body=b"\x89PNG\r\n\x1a\n\0<a href=/x>"), depth=1)
    assert ({*kept}, causes) == ({"/page", "/beside"}, {})


def test_an_invalid_link_affects_nothing_else(tmp_path):
    odd = [b"http://[", b"http://a:b:c/", b"//[::1", b"\xff\xfe", b"http://" + b"a" * 70_000]
    page = reply(body=b" ".join(b"<a href='%s'>x</a>" % link for link in [*odd, b"/good"]))
    with answering({"/page": page, "/good": GOOD}) as (site, _):
        found = crawled(tmp_path, [f"{site}/page"], depth=1)
    assert [row["url"].removeprefix(site) for row in found.kept] == ["/page", "/good"]


def test_a_wrong_content_type_is_kept_as_the_server_sent_it(tmp_path):
    kept, _, _ = outcome(tmp_path, reply(body=b"%PDF-1.4 ...", kind="text/html"), depth=1)
    assert kept["/page"]["content_type"] == "text/html"


def test_a_compressed_page_is_stored_uncompressed(tmp_path):
    kept, _, _ = outcome(tmp_path, reply(body=gzip.compress(b"<p>Packed.</p>"), Content_Encoding="gzip"))
    assert kept["/page"]["bytes"] == len(b"<p>Packed.</p>")


@pytest.mark.parametrize(
    ("robots", "cause"),
    [
        (silent(30), "no whole answer within 1 seconds"),
        (drip(60), "no whole answer within 1 seconds"),
        (reply(500), "status 500"),
        (reply(503), "status 503"),
        (hanging_up, "ConnectionDone"),
        (redirect("http://10.0.0.1/robots.txt"), "the address 10.0.0.1 is private"),
        (reply(429, Retry_After="3600"), "status 429"),
    ],
)
def test_nothing_is_requested_from_a_site_with_an_unreadable_robots_txt(tmp_path, robots, cause):
    """RFC 9309, 2.3.1.4. A site that complains about too many requests (429) is left alone, too."""
    with answering({"/page": GOOD, "/robots.txt": robots}) as (site, asked):
        found = crawled(tmp_path, [f"{site}/page"], timeout=1, retries=0)
    (row,) = found.dropped
    assert (row["reason"], asked.paths()) == ("robots", [])
    assert row["detail"].startswith(
        f"nothing is requested from a site whose robots.txt cannot be read: {cause}"
    )


@pytest.mark.parametrize("status", [401, 404])
def test_a_missing_robots_txt_allows_all(tmp_path, status):
    """RFC 9309, 2.3.1.3."""
    kept, _, _ = outcome(tmp_path, GOOD, reply(status, body=b"User-agent: *\nDisallow: /"))
    assert len(kept) == 1


def test_a_name_of_this_machine_is_not_connected_to(tmp_path):
    host = socket.gethostname()
    with answering({"*": GOOD}) as (site, asked):
        port = site.rpartition(":")[2]
        found = crawled(tmp_path, [f"http://{host}:{port}/page"])
    assert found.kept == []
    assert asked == []
    assert f"of {host} is" in found.cause()


def test_a_name_without_an_address_is_rejected(tmp_path):
    found = crawled(tmp_path, ["http://there-is-no-such-name.invalid/"], retries=0)
    assert found.cause() == "the name there-is-no-such-name.invalid has no address"
