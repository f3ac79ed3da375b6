"""What one line of a collection may cost."""

from types import SimpleNamespace

import pytest

from ops.crawl import collect
from ops.crawl.collections.kinds import KINDS, AclOptions, Kind
from ops.crawl.journal import Journal
from ops.parse.bounded.bounds import TooLongError, computing_at_most
from tests.ops.crawl.crawling import QUICK


def endless(*_):
    while True:
        pass


def test_what_computes_for_too_long_is_ended_and_what_does_not_goes_on():
    with pytest.raises(TooLongError, match="more than 1 seconds"), computing_at_most(1):
        endless()
    with computing_at_most(1):
        pass
    assert sum(range(10**7))


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (endless, "more than 1 seconds of the processor"),
        (lambda month: [b"x" * 2**62], "what was answered takes too much memory"),
    ],
)
def test_a_listing_over_its_bounds_costs_its_line_alone(tmp_path, monkeypatch, fault, cause):
    def collection(client, line, month, own):
        return SimpleNamespace(items=fault if line == "bad" else lambda month: [])

    monkeypatch.setitem(KINDS, "acl_anthology", Kind(AclOptions, collection))
    monkeypatch.setattr(collect, "_SECONDS", 1)
    journal = Journal(tmp_path, "options")
    options = AclOptions.model_validate(QUICK)
    collect.collect("acl_anthology", ["bad", "good"], "2018-06", options, journal, lambda done, known: None)
    found = {url: entry.cause or entry.fate for url, entry in journal.entries.items()}
    assert found == {"bad": cause, "good": "listing"}
