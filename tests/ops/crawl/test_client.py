"""The client for listings and ranges, against servers that misbehave."""

import datetime
import email.utils
import gzip
import math
import socket
import threading
import time
from itertools import pairwise

import brotli
import pytest

from silverloom.ops.crawl.client import FetchError, seconds_to_wait
from tests.ops.crawl.crawling import client, cut_short
from tests.ops.crawl.hostile import answering, in_turn, redirect, reply


def test_a_response_is_decompressed_and_redirects_are_followed():
    routes = {"/": redirect("/a"), "/a": reply(body=gzip.compress(b"text"), Content_Encoding="gzip")}
    with answering(routes) as (site, asked):
        assert client().read(f"{site}/") == b"text"
    assert asked[0][1]["User-Agent"] == "test/1.0 (+mailto:test@example.org)"


@pytest.mark.parametrize(
    ("route", "cause"),
    [
        (reply(404), "status 404 Not Found"),
        (redirect("http://169.254.169.254/"), "the address 169.254.169.254 is link-local"),
        (redirect("http://127.0.0.2:1/"), "the address 127.0.0.2 is loopback"),
        (redirect("/"), "more than 5 redirects"),
        (redirect("http://["), "Invalid IPv6 URL"),
        (redirect(f"http://{'a' * 70}.example/"), "has no address|label"),
        (cut_short, "IncompleteRead"),
        (reply(body=gzip.compress(b"\0" * 10_000_000), Content_Encoding="gzip"), "more than 100000 bytes"),
        (reply(body=brotli.compress(b"\0" * 10_000_000), Content_Encoding="br"), "more than 100000 bytes"),
        (reply(503, Retry_After="3600"), "status 503"),
    ],
)
def test_an_unavailable_file_is_an_error_with_the_cause(route, cause):
    with answering({"/": route}) as (site, _), pytest.raises(FetchError, match=cause):
        client(most_bytes=100_000, timeout=1).read(f"{site}/")


def dripping(seconds, head, through):
    """A route that sends its headers or its body one byte at a time, and reports when it is done."""

    def route(handler):
        end, plain = b"\r\n" * head, b"HTTP/1.1 200 OK\r\n" + b"\r\n" * (not head)
        handler.close_connection = True
        handler.wfile.write(plain)
        for _ in range(seconds * 10):
            time.sleep(0.1)
            handler.wfile.write(b"x")
        handler.wfile.write(end)
        through.set()

    return route


@pytest.mark.parametrize("head", [True, False])
def test_a_response_sent_byte_by_byte_is_given_up(head):
    through = threading.Event()
    with (
        answering({"/": dripping(20, head, through)}) as (site, _),
        pytest.raises(FetchError, match="no whole answer within 1 seconds"),
    ):
        client(timeout=1).read(f"{site}/")
    assert not through.is_set()


def test_a_name_of_this_machine_is_not_connected_to():
    host = socket.gethostname()
    with (
        answering({"*": reply(body=b"secret")}) as (site, asked),
        pytest.raises(FetchError, match=f"of {host} is"),
    ):
        client().read(f"http://{host}:{site.rpartition(':')[2]}/")
    assert asked == []


@pytest.mark.parametrize("first", [reply(500), reply(429, Retry_After="1")])
def test_a_temporary_error_is_retried(first):
    with answering({"/": in_turn(first, reply(body=b"text"))}) as (site, asked):
        assert client().read(f"{site}/") == b"text"
    assert len(asked) == 2


def test_a_file_on_a_server_without_ranges_is_not_read_completely():
    with (
        answering({"/": reply(body=b"x" * 1000)}) as (site, _),
        pytest.raises(FetchError, match="status 200"),
    ):
        list(client().range(f"{site}/", 10, 5))


def test_a_key_is_not_sent_to_the_target_of_a_redirect():
    with (
        answering({"/": reply(body=b"text")}) as (other, asked),
        answering({"/": redirect(f"{other}/")}) as (site, _),
    ):
        assert client().read(f"{site}/", {"X-Key": "secret"}) == b"text"
    assert "X-Key" not in asked[0][1]


def test_threads_of_one_client_respect_its_delay():
    with answering({"/": reply(body=b"a")}) as (site, asked):
        slow = client(delay=0.2, connections=3)
        threads = [threading.Thread(target=slow.read, args=(f"{site}/",)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    times = sorted(when for _, _, when in asked)
    assert len(times) == 4
    assert all(second - first > 0.15 for first, second in pairwise(times))


@pytest.mark.parametrize(
    ("route", "cause"),
    [
        (reply(206, body=b"a"), "does not tell its size: $"),
        (reply(206, body=b"a", Content_Range="bytes 0-0/*"), "does not tell its size: bytes"),
        (reply(206, body=b"a", Content_Range=f"bytes 0-0/{'9' * 5_000}"), "does not tell its size: bytes"),
        (reply(200, body=b"a"), "status 200"),
    ],
)
def test_a_file_without_a_known_size_is_refused(route, cause):
    with answering({"/": route}) as (site, _), pytest.raises(FetchError, match=cause):
        client().size(f"{site}/")


def test_a_range_is_read_no_further_than_requested():
    sent = []

    def endless(handler):
        handler.send_response_only(206)
        handler.send_header("Content-Length", str(2**40))
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(bytes(2**16))
            sent.append(2**16)

    cause = "more than 10 bytes from 5 on, but 10 were requested"
    with answering({"/": endless}) as (site, _), pytest.raises(FetchError, match=cause):
        list(client().range(f"{site}/", 5, 10))
    assert sum(sent) < 2**25


@pytest.mark.parametrize(
    ("header", "tries", "seconds"),
    [
        *[("7", 0, 7), ("", 0, 1), ("", 3, 8), ("soon", 1, 2)],
        *[("9" * 5_000, 0, math.inf), ("\u0663", 1, 2), (f"Fri, 01 Jun {'9' * 20} 00:00:00 GMT", 1, 2)],
    ],
)
def test_a_header_gives_seconds_and_without_one_the_wait_doubles(header, tries, seconds):
    assert seconds_to_wait(header, tries) == seconds


def test_a_date_counts_from_now_and_a_past_date_means_no_wait():
    hour = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    assert 3590 < seconds_to_wait(email.utils.format_datetime(hour, usegmt=True), 0) <= 3600
    assert seconds_to_wait("Wed, 15 Aug 2018 00:00:00 GMT", 0) == 0
