"""A local server whose responses a test defines, and which records its requests."""

import contextlib
import http.server
import threading
import time


class Asked(list):
    """The requests to a server, in order: (path, headers, seconds)."""

    def paths(self, but=("/robots.txt",)):
        return [path for path, _, _ in self if path not in but]


@contextlib.contextmanager
def answering(routes, host="127.0.0.1"):
    """Serve functions by path, called with the handler; yield the address and the requests.

    Paths without a route get 404.
    """
    asked = Asked()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.partition("?")[0]
            asked.append((self.path, dict(self.headers), time.monotonic()))
            with contextlib.suppress(ConnectionError):
                routes.get(path, routes.get("*", reply(404)))(self)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reply(status=200, body=b"", kind="text/html", **headers):
    """A route that always responds the same; header names are written with _ instead of -."""

    def route(handler):
        handler.send_response_only(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **named}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return route


def conditional(body, header="ETag", value='"1"', condition="If-None-Match"):
    """A route that responds 304 to clients that have this version."""

    def route(handler):
        same = handler.headers.get(condition) == value
        reply(304)(handler) if same else reply(body=body, **{header: value})(handler)

    return route


def redirect(target, status=302):
    return reply(status, Location=target)


def in_turn(*routes):
    """A route that gives each of these responses in turn, and then repeats the last."""
    left = list(routes)

    def route(handler):
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return route


def drip(seconds, body=b"x" * 1000):
    """A route that sends one byte at a time over this many seconds."""

    def route(handler):
        handler.send_response_only(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        for byte in body:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(seconds / len(body))

    return route


def silent(seconds):
    """A route that sends nothing for this many seconds, and then hangs up."""

    def route(handler):
        time.sleep(seconds)
        handler.close_connection = True

    return route


class OneByOne:
    """A route that answers with its path, and counts how many requests it has at a time."""

    def __init__(self):
        self.now, self.most = [], 0

    def __call__(self, handler):
        self.now.append(handler)
        self.most = max(self.most, len(self.now))
        time.sleep(0.05)
        self.now.remove(handler)
        reply(body=handler.path.encode())(handler)
