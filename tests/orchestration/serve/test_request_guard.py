"""All servers refuse requests of foreign pages, but allow links and programs; a table of both."""

import re
import socket
import string
import threading

import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse

from silverloom.orchestration.serve import request_guard
from silverloom.orchestration.state import addresses

OWN, PORT_AWAY, EVIL = "http://127.0.0.1:3000", "http://127.0.0.1:3001", "https://evil.example"
SOCKET = "ws://127.0.0.1:3000"
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def application() -> Starlette:
    async def answer(request):
        return PlainTextResponse("answered")

    async def echo(websocket):
        await websocket.accept()
        await websocket.send_text("answered")
        await websocket.close()

    return Starlette(
        routes=[WebSocketRoute("/{path:path}", echo), Route("/{path:path}", answer, methods=METHODS)]
    )


def client() -> TestClient:
    return TestClient(request_guard.config(application(), 0, "/page").app, base_url=OWN)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.delenv("SILVERLOOM_ALLOWED_HOSTS", raising=False)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin"},
        {"origin": OWN},
        {"origin": OWN.upper()},
        {"host": "LocalHost:3000", "origin": "http://localhost:3000"},
        {"host": "[::1]:3000", "origin": "http://[::1]:3000"},
        {"host": "localhost", "origin": "http://localhost"},
        {"host": "localhost:80", "origin": "http://localhost"},
        {"host": "localhost:8443", "origin": "https://localhost:8443"},
    ],
    ids=str,
)
def test_its_own_pages_and_programs_are_answered(headers):
    for method in METHODS:
        assert client().request(method, "/any", headers=headers).status_code == 200, method


FOREIGN = [
    {"origin": EVIL},
    {"origin": "null"},
    {"origin": ""},
    {"origin": PORT_AWAY},
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1:30000"},
    {"origin": f"{OWN}.evil.example"},
    {"origin": f"{EVIL} {OWN}"},
    {"origin": "chrome-extension://abcdef", "sec-fetch-site": "none"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "same-site", "origin": OWN},
    {"sec-fetch-site": "whatever comes next"},
    {"sec-fetch-site": ""},
    {"sec-fetch-site": "same-origin", "origin": EVIL},
    {**LINK, "origin": EVIL},
    {**LINK, "sec-fetch-dest": "iframe"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"},
    {**LINK, "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors"},
    {**LINK, "sec-fetch-dest": "empty", "sec-fetch-mode": "cors"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_foreign_pages_are_refused_with_any_method_and_open_no_web_socket(headers):
    for method in METHODS:
        answer = client().request(method, "/page", headers=headers)
        assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers, method
    assert client().get("/page", headers=headers).text.count("SILVERLOOM_ALLOWED_HOSTS") == 1
    assert socket_status("/page", headers) == 403


def socket_status(path, headers):
    """The status with which a web socket is denied."""
    with (
        pytest.raises(WebSocketDenialResponse) as refused,
        client().websocket_connect(f"{SOCKET}{path}", headers=headers),
    ):
        pass
    return refused.value.status_code


def test_its_own_pages_and_programs_open_web_sockets():
    for headers in ({}, {"origin": OWN}):
        with client().websocket_connect(f"{SOCKET}/any", headers=headers) as websocket:
            assert websocket.receive_text() == "answered"


@pytest.mark.parametrize("headers", [LINK, {**LINK, "sec-fetch-site": "same-site"}], ids=str)
def test_links_lead_only_to_the_allowed_pages(headers):
    assert client().get("/page", headers=headers).status_code == 200
    for method, path in [
        *((method, "/page") for method in METHODS if method != "GET"),
        ("GET", "/page/api"),
        ("GET", "/any"),
    ]:
        assert client().request(method, path, headers=headers).status_code == 403
    assert socket_status("/page", headers) == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.",
        "127.0.0.1.nip.io:3000",
        "localhost.evil.example",
        "evil.localhost:3000",
        "0.0.0.0:3000",
        "2130706433:3000",
        "[::ffff:127.0.0.1]:3000",
        "localhost:3000@evil.example",
        "localhost:3000, evil.example",
        "localhost/evil.example",
        "localhost:x",
        " ",
        "",
    ],
)
def test_foreign_host_names_are_refused_even_for_pages(host):
    assert client().get("/page", headers={"host": host}).status_code == 400
    assert socket_status("/page", {"host": host}) == 400


@given(st.text(string.ascii_letters + string.digits + ".-_:[]@%/\\, \t", max_size=40))
def test_only_the_hosts_of_this_machine_are_answered(host):
    answered = client().get("/page", headers={"host": host}).status_code == 200
    assert answered == bool(re.fullmatch(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?", host, re.IGNORECASE))


@given(
    st.sampled_from(["http", "https", "ws", "file"]),
    st.from_regex(r"[a-zA-Z0-9.:\[\]@/-]{0,30}", fullmatch=True),
)
def test_only_the_origin_of_the_host_is_answered(scheme, authority):
    origin = f"{scheme}://{authority}"
    answered = client().post("/any", headers={"origin": origin}).status_code == 200
    assert answered == (origin.lower() in (OWN, OWN.replace("http", "https")))


def test_the_names_of_a_proxy_are_answered_only_over_https(monkeypatch):
    monkeypatch.setenv("SILVERLOOM_ALLOWED_HOSTS", " Data.Example.org, other.example.org,")
    behind = client()
    for host, origin in {
        "data.example.org": "https://data.example.org",
        "data.example.org:443": "https://data.example.org",
        "OTHER.example.org:8443": "https://other.example.org:8443",
        "127.0.0.1:3000": OWN,
    }.items():
        assert behind.post("/any", headers={"host": host, "origin": origin}).status_code == 200, host
    for origin in ("http://data.example.org", "https://other.example.org", "https://x.data.example.org", OWN):
        assert (
            behind.post("/any", headers={"host": "data.example.org", "origin": origin}).status_code == 403
        ), origin
    assert behind.get("/page", headers={"host": "x.data.example.org"}).status_code == 400


@pytest.mark.parametrize(
    "name", ["*", "*.example.org", "https://data.example.org", "data.example.org:8443", "a b", ".org"]
)
def test_an_invalid_proxy_name_is_reported(monkeypatch, name):
    monkeypatch.setenv("SILVERLOOM_ALLOWED_HOSTS", f"data.example.org,{name}")
    with pytest.raises(ValueError, match=r"SILVERLOOM_ALLOWED_HOSTS: .* is not a host name"):
        addresses.allowed_hosts()


@pytest.fixture(scope="module")
def port():
    """A real server, whose parser decides what a request is."""
    server = uvicorn.Server(request_guard.config(application(), 0, "/page"))
    with socket.create_server((addresses.HOST, 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


def status(port, *lines) -> int:
    with socket.create_connection((addresses.HOST, port)) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        return int(connection.makefile("rb").readline().split()[1])


UPGRADE = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        (200, ["GET /page HTTP/1.1", "Host: localhost"]),
        (200, ["GET /page HTTP/1.0", "Host: localhost"]),
        (400, ["GET /page HTTP/1.1"]),
        (400, ["GET /page HTTP/1.0"]),
        (400, ["GET /page HTTP/1.1", "Host:"]),
        (400, ["GET /page HTTP/1.1", "Host: localhost", "Host: evil.example"]),
        (400, ["GET /page HTTP/1.1", "Host: evil.example", "Host: localhost"]),
        (400, ["GET /page HTTP/1.1", "Host: localhost", "host: localhost"]),
        (400, ["GET http://localhost/page HTTP/1.1", "Host: evil.example"]),
        (400, ["GET /page HTTP/1.1", "Host: localhost", "X: a", " Host: evil.example", "Origin : x"]),
    ],
    ids=str,
)
def test_a_request_names_the_server_once_and_by_its_own_name(port, expected, lines):
    assert status(port, *lines) == expected


def test_web_sockets_of_foreign_pages_are_refused_in_the_handshake(port):
    begin = ["GET /any HTTP/1.1", f"Host: localhost:{port}"]
    for expected, origin in {101: f"http://localhost:{port}", 403: f"http://127.0.0.1:{port}"}.items():
        with socket.create_connection((addresses.HOST, port)) as connection:
            lines = [*begin, f"Origin: {origin}", "Connection: Upgrade", *UPGRADE, "", ""]
            connection.sendall("\r\n".join(lines).encode())
            assert int(connection.makefile("rb").readline().split()[1]) == expected
