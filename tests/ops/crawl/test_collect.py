"""Limits on what one line of a collection may cost."""

import resource
from pathlib import Path
from types import SimpleNamespace

import pytest

from silverloom.ops.crawl import collect
from silverloom.ops.crawl.collections.item import Item
from silverloom.ops.crawl.collections.kinds import KINDS, AclOptions, Kind
from silverloom.ops.crawl.journal import FormerVersion, Journal
from silverloom.ops.parse.bounded.bounds import TooLongError, computing_at_most
from tests.ops.crawl.crawling import QUICK


def collected(folder, lines, **options):
    """The journal of a collection whose kind is `acl_anthology`."""
    journal = Journal(folder, "options")
    chosen = AclOptions.model_validate({**QUICK, **options})
    collect.collect(
        "acl_anthology", lines, "2018-06", chosen, journal, lambda done, known: None, FormerVersion(None)
    )
    return journal


def endless(*_):
    while True:
        pass


def test_a_computation_that_takes_too_long_is_ended_and_a_wait_is_not():
    with pytest.raises(TooLongError, match="more than 1 seconds"), computing_at_most(1):
        endless()
    with computing_at_most(1):
        pass
    assert sum(range(10**7))


class NoKeyError(Exception):
    """Like the packages behind fsspec, which have their own exceptions."""


def without_key(*_):
    raise NoKeyError("no key for this bucket")


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (endless, "more than 1 seconds of the processor"),
        (lambda month: [b"x" * 2**62], "what was answered takes too much memory"),
        (without_key, "NoKeyError: no key for this bucket"),
    ],
)
def test_a_listing_over_its_limits_loses_only_its_line(tmp_path, monkeypatch, fault, cause):
    def collection(client, line, month, own):
        return SimpleNamespace(items=fault if line == "bad" else lambda month: [])

    monkeypatch.setitem(KINDS, "acl_anthology", Kind(AclOptions, collection))
    monkeypatch.setattr(collect, "SECONDS", 1)
    journal = collected(tmp_path, ["bad", "good"])
    found = {url: entry.cause or entry.fate for url, entry in journal.entries.items()}
    assert found == {"bad": cause, "good": "listing"}


def test_an_item_that_breaks_a_library_is_rejected_alone(tmp_path, monkeypatch):
    def collection(client, line, month, own):
        items = [Item(name, f"http://a.example/{name}", month) for name in ("bad", "good")]
        return SimpleNamespace(
            items=lambda month: items,
            content=lambda item, _: without_key() if item.id == "bad" else iter([b"good"]),
        )

    monkeypatch.setitem(KINDS, "acl_anthology", Kind(AclOptions, collection))
    journal = collected(tmp_path, ["all"])
    found = {url.rpartition("/")[2]: entry.cause or entry.fate for url, entry in journal.entries.items()}
    assert found == {"all": "listing", "bad": "NoKeyError: no key for this bucket", "good": "fetched"}


def test_an_item_that_takes_too_much_memory_is_rejected_alone(tmp_path, monkeypatch):
    """The memory suffices for its 256 MiB once, but not for its record as well."""

    def content(item, conditions):
        chunk = bytes(2**28 if item.id == "bad" else 1)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + 2**28 + 2**27
        resource.setrlimit(resource.RLIMIT_AS, (limit, limits[1]) if item.id == "bad" else limits)
        yield chunk

    def collection(client, line, month, own):
        items = [Item(name, f"http://a.example/{name}", month) for name in ("bad", "good")]
        return SimpleNamespace(items=lambda month: items, content=content)

    limits = resource.getrlimit(resource.RLIMIT_AS)
    monkeypatch.setitem(KINDS, "acl_anthology", Kind(AclOptions, collection))
    try:
        journal = collected(tmp_path, ["all"], page_bytes=2**30)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    found = {url.rpartition("/")[2]: entry.cause or entry.fate for url, entry in journal.entries.items()}
    assert found == {"all": "listing", "bad": "what was answered takes too much memory", "good": "fetched"}
