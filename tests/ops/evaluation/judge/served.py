"""A model on loopback that answers as a test defines, and records its requests."""

import contextlib
import http.server
import json
import threading
import time


@contextlib.contextmanager
def serving(answer):
    """Serve a function called with the handler and the body of each request; yield the address and the bodies."""
    asked, lock = [], threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                asked.append(
                    {
                        "path": self.path,
                        "key": self.headers.get("Authorization"),
                        "headers": str(self.headers),
                        **body,
                    }
                )
            with contextlib.suppress(ConnectionError):
                answer(self, body)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
        finally:
            server.shutdown()


def send(handler, status, content, **headers):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response_only(status)
    for name, value in {"Content-Length": str(len(content)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


def completion(text, reason="stop"):
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}]}


def saying(text):
    """A model that always gives the same answer, or the answer that a function derives from the request."""

    def answer(handler, body):
        said = text(body["messages"][0]["content"]) if callable(text) else text
        send(handler, 200, completion(said))

    return answer


def failing(status, content=b"{}", **headers):
    return lambda handler, body: send(handler, status, content, **headers)


def cut(handler, body):
    """Half an answer, then the connection is closed."""
    handler.send_response_only(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def slow(handler, body):
    time.sleep(3)


def in_turn(*answers):
    """Each of these in turn, and then the last for ever."""
    left, lock = list(answers), threading.Lock()

    def answer(handler, body):
        with lock:
            chosen = left.pop(0) if len(left) > 1 else left[0]
        chosen(handler, body)

    return answer
