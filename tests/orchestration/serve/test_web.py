"""The server of the data-quality pages serves the files below their folders, and nothing else."""

import http.client
import os
import shutil
import socket
import threading
from pathlib import Path

import pytest
import uvicorn
from starlette.responses import JSONResponse

from silverloom.orchestration.serve import request_guard, web
from silverloom.orchestration.state.addresses import HOST, Addresses
from silverloom.orchestration.workspace.workspace import Workspace


@pytest.fixture
def quality(tmp_path) -> Path:
    folder = tmp_path / "data" / "quality"
    for name in (
        "pages/datasets/a.html",
        "pages/index.html",
        "pages/static/page.js",
        "gx/index.html",
        "other/x",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}")
    (tmp_path / "secret.html").write_text("secret")
    (folder / "pages/link.html").symlink_to(tmp_path / "secret.html")
    (folder / "pages/up").symlink_to(tmp_path)
    (folder / "pages/.hidden").write_text("secret")
    return folder


@pytest.fixture
def ask(quality):
    server = uvicorn.Server(request_guard.config(web.application(Workspace(quality.parents[1])), 0, "/.*"))
    listening = socket.create_server((HOST, 0))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()

    def ask(path, method="GET", host=None):
        connection = http.client.HTTPConnection(*listening.getsockname())
        connection.request(method, path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        return answer

    yield ask
    server.should_exit = True
    thread.join()
    listening.close()


def test_files_are_served_with_their_types_and_may_load_nothing_from_elsewhere(ask):
    for path, kind in {
        "/pages/": "text/html; charset=utf-8",
        "/pages/datasets/a.html": "text/html; charset=utf-8",
        "/pages/static/page.js": "text/javascript; charset=utf-8",
    }.items():
        answer = ask(path)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "http" not in policy and "*" not in policy
    assert ask("/pages/datasets/a.html").text == "this is pages/datasets/a.html"
    assert ask("/pages").headers["Location"] == "/pages/"


def test_pages_of_what_is_made_so_far_are_served_if_they_are_the_latest(ask, quality):
    report, so_far = quality / "pages/index.html", quality / "pages-so-far/index.html"
    so_far.parent.mkdir()
    so_far.write_text("so far")
    os.utime(report, (1, 1))
    assert ask("/pages/").text == ask("/pages/index.html").text == "so far"
    assert ask("/pages").headers["Location"] == "/pages/"
    assert ask("/pages/datasets/a.html").status == ask("/pages-so-far/").status == 404
    os.utime(so_far, (0, 0))
    assert ask("/pages/").text == "this is pages/index.html"


def test_browsers_ask_again_for_pages(ask):
    assert ask("/pages/index.html").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/pages/../../secret.html",
        "/pages/%2e%2e/%2e%2e/secret.html",
        "/pages/..%2f..%2fsecret.html",
        "/pages/%2e%2e%5c%2e%2e%5csecret.html",
        "/pages//etc/passwd",
        "//etc/passwd",
        "/pages/link.html",
        "/pages/up/secret.html",
        "/pages/.hidden",
        "/pages/a%00.html",
        "/other/x",
        "/pages/static/",
        "/../secret.html",
    ],
)
def test_nothing_outside_the_folders_is_served(ask, path):
    answer = ask(path)
    assert answer.status == 404 and "secret" not in answer.text.replace(path, "")


def test_pages_that_dvc_linked_to_its_cache_are_served_with_their_types(ask, quality, tmp_path):
    place = tmp_path / "cache/files/md5/ab" / ("c" * 30)
    place.parent.mkdir(parents=True)
    place.write_text("cached")
    (quality / "pages/cached.html").symlink_to(place)
    (quality / "pages/cached").symlink_to(place.parent)
    answer = ask("/pages/cached.html")
    assert (answer.status, answer.text) == (200, "cached")
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert ask(f"/pages/cached/{place.name}").status == 404


def test_an_impossible_file_name_is_not_found(ask):
    assert ask(f"/pages/{'a' * 300}.html").status == 404
    assert ask("/pages/index.html").status == 200


def test_a_page_that_disappears_during_the_request_is_not_found(ask, monkeypatch):
    monkeypatch.setattr(web, "locate", lambda folder, parts: folder / "pages/gone.html")
    assert ask("/pages/gone.html").status == 404


def test_write_requests_and_other_host_names_are_refused(ask):
    for path in ("/", "/pages/"):
        answer = ask(path, "POST")
        assert answer.status == 405 and "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert ask("/pages/", host="elsewhere.example:80").status == 400
    assert ask("/pages/", host="localhost:80").status == 200
    assert ask("/pages/", "HEAD").text == ""


def test_the_first_page_lists_what_exists_and_how_to_make_the_rest(ask, quality):
    text = ask("/").text
    assert 'href="/pages/"' in text and "silverloom pages" not in text
    addresses = Addresses(Workspace(quality.parents[1]))
    assert addresses.address("dagster") in text and addresses.mlflow() in text
    shutil.rmtree(quality / "pages")
    assert "silverloom pages" in ask("/").text and "silverloom pages" in ask("/pages/").text


RUN = {"startTime": 0.0, "creationTime": 0.0, "endTime": 100.0, "assetSelection": None, "tags": []}
MONTH = [{"key": "dagster/partition", "value": "2018-06"}]


@pytest.fixture
def dagster(monkeypatch):
    """A server that answers Dagster's query of runs with what a test sets."""
    told = {"made": [], "failed": []}

    async def answer(scope, receive, send):
        asked = (await receive())["body"].decode()
        data = {kind: {"results": runs} for kind, runs in told.items()}
        if "runsOrError" not in asked:
            data = {"a0": {}, "a1": {"of_partition": [{"timestamp": "300000", "tags": []}]}}
        await JSONResponse({"data": data})(scope, receive, send)

    server = uvicorn.Server(uvicorn.Config(answer, log_level="warning"))
    listening = socket.create_server((HOST, 0))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    monkeypatch.setenv("SILVERLOOM_PORT", str(listening.getsockname()[1]))
    yield told
    server.should_exit = True
    thread.join()
    listening.close()


def test_the_root_page_lists_what_was_made_last_and_what_failed_and_was_not_made_since(ask, dagster):
    def run(name, ended):
        keys = [{"path": ["group", name]}]
        return {**RUN, "runId": f"{name}-{ended}", "endTime": ended, "assetSelection": keys, "tags": MONTH}

    dagster["made"] += [run("mended", 300.0), run("broken", 100.0)]
    dagster["failed"] += [run("broken", 250.0), run("mended", 200.0), run("broken", 150.0)]
    dagster["failed"].append({**RUN, "runId": "of-sync"})
    text = ask("/").text
    failed, made = text.split("Made last")
    assert "broken-250.0" in failed and "broken-150.0" not in failed and "mended" not in failed
    assert "of-sync" not in text
    assert "mended-300.0" in made and "group/mended 2018-06" in made and "1970-01-01 00:05 UTC" in made


def test_the_root_page_says_that_dagster_does_not_answer(ask, monkeypatch):
    monkeypatch.setenv("SILVERLOOM_PORT", "9")
    assert "Dagster does not answer yet" in ask("/").text


def test_data_docs_may_load_the_styles_of_great_expectations_and_pages_may_not(ask, quality):
    docs, page = ask("/gx/"), ask("/pages/")
    assert docs.text == "this is gx/index.html"
    assert "https://cdn.jsdelivr.net" in docs.headers["Content-Security-Policy"]
    assert "https://" not in page.headers["Content-Security-Policy"]
    shutil.rmtree(quality / "gx")
    answer = ask("/gx/expectations/silverloom/a.html")
    assert answer.status == 404 and "silverloom gx" in answer.text and "silverloom gx" in ask("/").text
