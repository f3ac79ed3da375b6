"""A hub on loopback: the part of its API that uploads a folder to a dataset."""

import base64
import contextlib
import hashlib
import http.server
import json
import re
import threading


class Hub:
    """The datasets of a hub, by name, each with its files; requests with another token are refused."""

    def __init__(self, token="hf_secret", status=200):
        self.token, self.status = token, status
        self.datasets, self.private, self.commits = {}, {}, []

    def answer(self, method, path, body, token):
        """The status and the JSON of an answer."""
        if token != f"Bearer {self.token}":
            return 401, {"error": "Invalid username or password."}
        if self.status != 200:
            return self.status, {"error": "You do not have the right."}
        if path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            assert asked["type"] == "dataset"
            if name in self.datasets:
                return 409, {"error": "You already created this dataset repo", "url": self.url(name)}
            self.datasets[name], self.private[name] = {".gitattributes": b""}, is_private(asked)
            return 200, {"url": self.url(name), "name": name}
        if not (found := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(/.*)?", path)):
            return 404, {"error": "no such thing"}
        name, action = found[1], (found[2] or "").partition("/main")[0]
        files = self.datasets[name]
        if action == "/preupload":
            asked = json.loads(body)["files"]
            kinds = {"uploadMode": "regular", "shouldIgnore": False}
            return 200, {
                "files": [{"path": file["path"], **kinds, "oid": oid(files, file)} for file in asked]
            }
        if action == "/tree":
            return 200, [
                {"type": "file", "path": path, "size": len(content), "oid": blob(content)}
                for path, content in files.items()
            ]
        if action == "/commit":
            head, *lines = [json.loads(line) for line in body.splitlines()]
            self.commits.append(head["value"]["summary"])
            for line in lines:
                if line["key"] == "deletedFile":
                    del files[line["value"]["path"]]
                else:
                    assert line["key"] == "file"
                    files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            return 200, {"commitUrl": f"{self.url(name)}/commit/1", "commitOid": "1" * 40, "success": True}
        sha, siblings = "1" * 40, [{"rfilename": path} for path in files]
        return 200, {
            "id": name,
            "sha": sha,
            "siblings": siblings,
            "private": True,
            "tags": [],
            "downloads": 0,
        }

    def url(self, name):
        return f"{self.address}/datasets/{name}"

    @contextlib.contextmanager
    def serve(self):
        """Set the environment variables that lead huggingface_hub to it."""
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.partition("?")[0]
                status, found = hub.answer(self.command, path, body, self.headers.get("Authorization"))
                content = json.dumps(found).encode()
                self.send_response_only(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *arguments):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            self.address = f"http://127.0.0.1:{server.server_address[1]}"
            try:
                yield {"HF_ENDPOINT": self.address, "HF_TOKEN": self.token}
            finally:
                server.shutdown()


def is_private(asked):
    return asked.get("private") is True or asked.get("visibility") == "private"


def blob(content):
    """The name that git gives to some bytes."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def oid(files, file):
    return blob(files[file["path"]]) if file["path"] in files else None
