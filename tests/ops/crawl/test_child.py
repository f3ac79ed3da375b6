"""The process of a crawl: its environment, and its reports."""

import os
import sys

import psutil

from silverloom.ops.crawl.collections.kinds import FolderOptions
from silverloom.ops.crawl.crawl import environment
from silverloom.ops.crawl.options import CrawlOptions
from tests.ops.crawl.crawling import crawled, listed_at
from tests.ops.crawl.hostile import answering, reply


def test_it_gets_the_environment_variables_that_it_needs_and_no_other_secrets(tmp_path, monkeypatch):
    secrets = {"MLFLOW_TRACKING_PASSWORD": "a", "AWS_SECRET_ACCESS_KEY": "b", "S2_API_KEY": "c"}
    for name, value in {**secrets, "LC_CTYPE": "C.UTF-8", "https_proxy": "http://127.0.0.1:9"}.items():
        monkeypatch.setenv(name, value)
    seen = []

    def looking(handler):
        children = psutil.Process().children()
        seen.append(
            next(child.environ() for child in children if "silverloom.ops.crawl.child" in child.cmdline())
        )
        reply(404)(handler)

    with answering({"*": looking}) as (site, _):
        crawled(tmp_path, [f"{site}/a"])
        crawled(tmp_path, ["P18"], working="listed", **listed_at(site))
        crawled(tmp_path, ["2018-06-11"], working="shards", kind="s2orc", place=f"{site}/")
    for variables in seen:
        assert {"PATH", "HOME", "LC_CTYPE", "https_proxy"} <= variables.keys()
    handed = [secrets.keys() & variables.keys() for variables in seen]
    assert handed == [*([set()] * (len(seen) - 1)), {"S2_API_KEY"}]


def test_the_keys_of_a_bucket_are_passed_to_its_reader(monkeypatch):
    monkeypatch.setattr(os, "environ", {"AWS_SECRET_ACCESS_KEY": "b", "MLFLOW_TRACKING_PASSWORD": "a"})
    who = {"agent": "a/1", "contact": "mailto:a@example.org"}
    assert environment(FolderOptions(pattern="(x)", **who)).keys() == {"AWS_SECRET_ACCESS_KEY", "PYTHONPATH"}
    assert environment(CrawlOptions(**who)).keys() == {"PYTHONPATH"}


def test_a_library_that_prints_does_not_break_a_crawl(tmp_path, monkeypatch):
    noisy = tmp_path / "python"
    noisy.write_text(f'#!/bin/sh\necho "Welcome to 3 libraries"\necho 1 2 >&2\nexec {sys.executable} "$@"\n')
    noisy.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(noisy))
    told = []
    with answering({"/a": reply(body=b"a"), "/b": reply(body=b"b")}) as (site, _):
        urls = [f"{site}/a", f"{site}/b"]
        found = crawled(tmp_path, urls, tell=lambda done, known: told.append((done, known)))
    assert [row["url"] for row in found.kept] == urls
    assert told[-1] == (2, 2)
