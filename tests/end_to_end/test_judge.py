"""A model as a judge, from params.yaml to the table that compares it with people."""

import json

import pyarrow.parquet as pq
import pytest

from tests.ops.evaluation.judge.served import saying, serving

SAYING = saying("considered: yes\nquality: 4")


def judge(address, **more):
    return {
        "address": address,
        "model": "a-model",
        "key": "JUDGE_KEY",
        "rater": "gpt",
        "timeout": 120,
        **more,
    }


@pytest.fixture
def asking(done):
    """Run with a judge at an address; return the output."""

    def run(address, *argv, **more):
        done.params(lambda params: params.update(judge=judge(address, **more)))
        environment = {"JUDGE_KEY": "sk-secret"}
        return done.silverloom("run", *argv, "--select", "talksumm/human_evaluation", env=environment)

    return run


@pytest.mark.long
def test_a_model_rates_next_to_people_and_is_asked_again_only_on_demand(done, asking):
    files = done.root / "data/talksumm"
    rows = pq.read_table(next((files / "rating_sheets").glob("kept-*.parquet"))).num_rows
    before = json.loads((files / "human_evaluation/__files/table.json").read_text())
    with serving(SAYING) as (address, asked):
        asking(address)
        assert len(asked) == rows > 0 and {request["key"] for request in asked} == {"Bearer sk-secret"}
        table = json.loads((files / "human_evaluation/__files/table.json").read_text())
        found = table.pop("judge")
        assert before.pop("judge") is None and table == before
        assert (found["rater"], found["model"]) == ("gpt", "a-model")
        assert {row["question"]: row["judge"] for row in found["compared"]} == {
            "considered": 1.0,
            "quality": 4.0,
        }
        assert b"sk-secret" not in b"".join(
            path.read_bytes() for path in done.root.rglob("judgements/**/*.*")
        )

        asking(address)
        asking(address, timeout=180)
        assert len(asked) == rows, "answers are pinned"
        [kept] = (files / "judgements").glob("kept-*.parquet")
        row = pq.read_table(kept).to_pylist()[0]
        assert row["row_id"] in done.silverloom("explain", row["id"])
        done.silverloom("run", "--recrawl", "--select", "talksumm/judgements", env={"JUDGE_KEY": "sk-secret"})
        assert len(asked) == 2 * rows


@pytest.mark.long
def test_a_missing_key_is_named_and_no_request_is_made(done):
    with serving(SAYING) as (address, asked):
        done.params(lambda params: params.update(judge=judge(address)))
        said = done.silverloom("run", "--select", "talksumm/human_evaluation", ok=False)
    assert "the environment variable JUDGE_KEY holds no key" in said and asked == []
