"""Pages of another origin than those of `make ui`."""

import http.server
import threading

import pytest

from tests.browser.foreign import opened


@pytest.fixture(scope="module")
def foreign_port():
    """A server of empty pages, on its own port."""

    class Blank(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><body></body>")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blank) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(params=["127.0.0.1", "localhost"], ids=["same-site", "cross-site"])
def foreign(request, browser, foreign_port):
    """A page of another port of the same name, or of another name."""
    with opened(browser, f"http://{request.param}:{foreign_port}/") as page:
        yield page
