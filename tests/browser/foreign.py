"""Requests that a page of another origin can send to the servers of `make ui`."""

import json
import urllib.error
import urllib.request
from contextlib import contextmanager
from urllib.parse import urlencode

from tests.browser.visit import PATIENCE

WIPE = """mutation { wipeAssets(assetPartitionRanges: [{assetKey: {path: ["toy", "%s"]}}]) { __typename } }"""


MADE = """{ assetNodes { assetKey { path } assetMaterializations(limit: 1) { runId } } }"""


#: Requests that need no preflight. Each ends when its answer, or its error, is there.
FETCH = "([url, options]) => fetch(url, {mode: 'no-cors', ...options}).then(() => 'sent', () => 'failed')"


SOCKET = """([url]) => new Promise(done => {
  const socket = new WebSocket(url, 'graphql-ws');
  socket.onopen = () => socket.send(JSON.stringify({type: 'connection_init', payload: {}}));
  socket.onmessage = () => done('answered');
  socket.onerror = () => done('failed');
})"""


@contextmanager
def opened(browser, address):
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    blank = "<!doctype html><title>elsewhere</title><body></body>"
    context.route(
        "http://elsewhere.example/", lambda route: route.fulfill(body=blank, content_type="text/html")
    )
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def query(servers, text):
    body = json.dumps({"query": text}).encode()
    request = urllib.request.Request(f"{servers.dagster}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)["data"]


def made(servers) -> set[str]:
    nodes = query(servers, MADE)["assetNodes"]
    return {node["assetKey"]["path"][-1] for node in nodes if node["assetMaterializations"]}


def operation(servers, text) -> str:
    return f"{servers.dagster}/graphql?{urlencode({'query': text})}"
