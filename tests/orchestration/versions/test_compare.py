"""What two versions were made of is told from what was recorded then, and for every month."""

import pytest

from orchestration.catalogue import workspace
from orchestration.state.records import Record
from orchestration.versions import compare
from orchestration.versions.compare import made_differently
from orchestration.versions.revisions import WORKING_TREE, Version

MONTHS = ("2018-06", "2018-07", "2018-08")
PARAMS = {"talksumm.pairs.threshold": 0.8}
STAGE = {"params": {"params.yaml": PARAMS, "code.json": {"talksumm.pairs": {"code": "c1"}}}}
LOCKED = Version(workspace(), "talksumm/pairs", "HEAD", "0" * 40, "v1", {}, STAGE)
FILES = {f"{month}/kept-00000.parquet": month for month in MONTHS}
ON_DISK = Version(workspace(), "talksumm/pairs", WORKING_TREE, None, "v2", FILES)


def key(inputs="i1", threshold=0.8, code="c1"):
    return {
        "inputs": {"sources/papers": {"2018-06": inputs}},
        "params": {"talksumm.pairs": {"threshold": threshold}},
        "code": {"code": code, "packages": {}, "models": {}},
    }


@pytest.fixture
def made(monkeypatch):
    """Let the lock's inputs be `i1` in every month, and the records be those that are given by month."""

    def made(**records):
        found = {
            f"2018-{name[1:]}": Record(value, {"kept-00000.parquet": f"2018-{name[1:]}"})
            for name, value in records.items()
        }
        monkeypatch.setattr(compare, "inputs_at", lambda *_: key()["inputs"])
        monkeypatch.setattr(compare, "read_record", lambda workspace, item, month: found.get(month))

    monkeypatch.setattr(
        type(workspace().datasets["talksumm/pairs"]),
        "values_in",
        lambda self, content: {"talksumm.pairs": content["talksumm"]["pairs"]},
    )
    return made


def test_inputs_are_those_that_the_data_on_disk_were_made_of(made):
    made(m06=key(), m07=key(), m08=key())
    assert made_differently(workspace(), LOCKED, ON_DISK) == []
    made(m06=key("i0"), m07=key(), m08=key("i2"))
    assert made_differently(workspace(), LOCKED, ON_DISK) == [
        "input sources/papers changed (2018-06, 2018-08)"
    ]


def test_every_month_is_compared_with_itself_in_either_direction(made):
    made(m06=key(), m07=key(threshold=0.9), m08=key(code="c2"))
    assert made_differently(workspace(), LOCKED, ON_DISK) == [
        "param talksumm.pairs.threshold: 0.8 -> 0.9 (2018-07)",
        "code changed (2018-08)",
    ]
    assert made_differently(workspace(), ON_DISK, LOCKED) == [
        "param talksumm.pairs.threshold: 0.9 -> 0.8 (2018-07)",
        "code changed (2018-08)",
    ]


def test_what_nobody_remembers_is_not_called_alike(made, monkeypatch):
    made(m06=key(), m07=key())
    line = "what the working tree was made of is not known"
    assert made_differently(workspace(), LOCKED, ON_DISK) == [f"{line} (2018-08)"]
    made(m06=key(), m07=key(), m08=key())
    other = Version(
        workspace(), "talksumm/pairs", WORKING_TREE, None, "v3", {**FILES, "2018-08/kept-00000.parquet": "x"}
    )
    assert made_differently(workspace(), LOCKED, other) == [f"{line} (2018-08)"]
    monkeypatch.setattr(compare, "inputs_at", lambda *_: None)
    assert made_differently(workspace(), LOCKED, ON_DISK) == ["whether its inputs differ is not known"]
