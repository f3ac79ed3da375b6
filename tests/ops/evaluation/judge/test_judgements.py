"""Rating sheets sent to a model on loopback: what is kept, what is lost and why, and when it is asked again."""

import asyncio
import importlib.util
import json
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from silverloom.ops.core.extras import MissingExtraError
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.evaluation.judge.client import MOST_BYTES
from silverloom.ops.evaluation.judge.judgements import ASKED, JudgeError, judgements, judgements_shape
from silverloom.ops.evaluation.judge.params import JudgeParams
from silverloom.ops.parasci.evaluation.people import PAIRS, PEOPLE, PHENOMENA, RATING_SHEETS
from tests.ops.evaluation.judge.served import completion, cut, failing, in_turn, saying, send, serving, slow
from tests.parts import dealt

ALL = "consistency: 4\nlexical: 2\nphrasal: 1\nsentential: 1"
FOUR = saying(ALL)


def sent(name, questionnaire=PAIRS):
    """A row that is sent."""
    return {
        "id": f"{questionnaire.name}-{name}", "questionnaire": questionnaire.name, "paraphrase_id": name,
        "origin": "intra", "sentence_1": f"One {name}.", "sentence_2": f"Two {name}.",
    }  # fmt: skip


def rows(number=4):
    return [sent(f"p{place}") for place in range(number)]


class Judging:
    """A dataset of judgements that is made repeatedly, as the store does."""

    def __init__(self, folder):
        self.folder, self.published, self.told, self.times = folder, None, [], 0

    def make(self, address, sheets=None, recrawl=False, **params):
        self.times += 1
        stored = dealt(
            self.folder / f"sheets {self.times}", RATING_SHEETS.kept, rows() if sheets is None else sheets
        )
        place = CrawlPlace(
            self.folder / "working", self.published, recrawl, lambda *done: self.told.append(done)
        )
        given = {"address": address, "model": "m", "retries": 2, "timeout": 5, **params}
        [outcome] = judgements(PEOPLE, stored, JudgeParams(**given), place)
        assert outcome.kept.schema == judgements_shape(PEOPLE).kept
        units = outcome.units.to_pylist()
        used = {source for ids in outcome.kept["source_ids"].to_pylist() for source in ids}
        lost = [*outcome.dropped["id"].to_pylist(), *outcome.rejected["id"].to_pylist()]
        assert sorted([*used, *lost]) == sorted(units), "every row has one fate"
        return outcome

    def publish(self, outcome):
        """Make an outcome the starting point of the next one."""
        self.published = self.folder / f"published {self.times}"
        self.published.mkdir()
        for name, content in outcome.files.items():
            (self.published / name).write_bytes(content)
        shutil.rmtree(self.folder / "working", ignore_errors=True)


@pytest.fixture
def judging(tmp_path):
    return Judging(tmp_path)


def test_every_question_about_every_row_is_a_rating_of_the_model(judging, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    with serving(FOUR) as (address, asked):
        outcome = judging.make(address, key="MY_KEY", rater="gpt")
    kept = outcome.kept.to_pylist()
    assert {(row["row_id"], row["question"], row["value"]) for row in kept} == {
        (row["id"], question, value)
        for row in rows()
        for question, value in (("consistency", "4"), ("lexical", "2"), ("phrasal", "1"), ("sentential", "1"))
    }
    assert {(row["rater"], row["model"], row["answer"]) for row in kept} == {("gpt", "m", ALL)}
    assert len(asked) == 4 and {request["path"] for request in asked} == {"/v1/chat/completions"}
    assert {request["key"] for request in asked} == {"Bearer sk-secret"}
    assert all("Two p" in request["messages"][0]["content"] for request in asked)
    assert judging.told[-1] == (4, 4)
    written = b"".join(
        [outcome.files[ASKED], *(path.read_bytes() for path in judging.folder.rglob("*") if path.is_file())]
    )
    assert b"sk-secret" not in written
    assert [json.loads(line)["status"] for line in outcome.files[ASKED].splitlines()] == [200] * 4


def test_without_an_address_no_request_is_made(judging):
    outcome = judging.make(None, model="")
    assert set(outcome.dropped["reason"].to_pylist()) == {"no_judge"} and outcome.dropped.num_rows == 4
    assert outcome.files == {}


def test_other_questionnaires_and_rows_that_cannot_be_judged_are_dropped(judging):
    sheets = [*rows(2), sent("x", questionnaire=PHENOMENA)]
    nothing = "\n".join(f"{question.name}: -" for question in PAIRS.questions)
    with serving(saying(lambda text: nothing if "One p1." in text else ALL)) as (address, asked):
        outcome = judging.make(address, sheets, questionnaires=["parasci_pairs"])
    lost = {row["id"]: row["reason"] for row in outcome.dropped.to_pylist()}
    assert lost == {"parasci_pairs-p1": "no_answer", "parasci_phenomena-x": "other_questionnaire"}
    assert len(asked) == 2


def test_an_answer_that_is_not_a_number_rejects_only_its_row(judging):
    with serving(saying(lambda text: ALL.replace("4", "good") if "One p2." in text else ALL)) as (address, _):
        outcome = judging.make(address)
    [rejected] = outcome.rejected.to_pylist()
    assert rejected["id"] == "parasci_pairs-p2"
    assert (
        rejected["error"] == "m about row 'parasci_pairs-p2': consistency: 'good' is not one of 1, 2, 3, 4, 5"
    )
    assert outcome.kept.num_rows == 12


def test_a_busy_server_is_left_alone_as_long_as_it_says(judging):
    with serving(in_turn(failing(429, Retry_After="2"), FOUR)) as (address, asked):
        began = time.monotonic()
        outcome = judging.make(address, rows(1))
    assert outcome.kept.num_rows == 4 and len(asked) == 2 and time.monotonic() - began > 2


@pytest.mark.parametrize("fault", [failing(500), cut, slow], ids=["500", "cut", "slow"])
def test_a_temporary_fault_costs_nothing(judging, fault):
    with serving(in_turn(fault, FOUR)) as (address, asked):
        outcome = judging.make(address, rows(1), timeout=2)
    assert outcome.kept.num_rows == 4 and len(asked) == 2


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (failing(500), "status 500"),
        (failing(429, Retry_After="3600"), "status 429"),
        (failing(400, b"too long"), "about row 'parasci_pairs-p1': status 400: too long"),
        (failing(402), "status 402"),
        (failing(408), "status 408"),
        (failing(413), "status 413"),
        (failing(505, b""), "status 505"),
        (failing(307, Location="http://127.0.0.1:1/v1"), "status 307"),
        (failing(200, b"<html>busy</html>"), "no chat completion: '<html>busy</html>'"),
        (failing(200, b"[" * 100_000), "no chat completion"),
        (cut, "Connection error"),
        (slow, "Request timed out"),
    ],
    ids=["500", "429", "400", "402", "408", "413", "505", "307", "page", "deep", "cut", "slow"],
)
def test_only_a_row_without_an_answer_is_rejected_and_it_is_asked_again(judging, fault, cause):
    def answer(handler, body):
        (fault if "One p1." in body["messages"][0]["content"] else FOUR)(handler, body)

    with serving(answer) as (address, _):
        outcome = judging.make(address, retries=0, timeout=2)
    [rejected] = outcome.rejected.to_pylist()
    assert rejected["id"] == "parasci_pairs-p1" and cause in rejected["error"]
    assert len(outcome.files[ASKED].splitlines()) == 3
    judging.publish(outcome)
    with serving(FOUR) as (address, asked):
        again = judging.make(address)
    assert len(asked) == 1 and again.kept.num_rows == 16


def test_an_answer_that_is_not_text_rejects_its_row_and_is_kept(judging):
    with serving(saying(lambda text: f"{ALL} \ud83d" if "One p1." in text else ALL)) as (address, asked):
        first = judging.make(address)
        judging.publish(first)
        again = judging.make(address)
    [rejected] = again.rejected.to_pylist()
    assert rejected["error"].startswith(
        "m about row 'parasci_pairs-p1': the answer holds the character U+D83D"
    )
    assert len(asked) == 4 and again.kept.num_rows == 12 and first.files == again.files


def test_an_answer_that_only_a_previous_version_accepted_is_requested_again(judging):
    with serving(FOUR) as (address, asked):
        outcome = judging.make(address)
        lines = [json.loads(line) for line in outcome.files[ASKED].splitlines()]
        lines[0] |= {"status": 402, "response": "pay first"}
        lines[1] |= {"response": "[" * 100_000}
        outcome.files[ASKED] = "\n".join(map(json.dumps, lines)).encode()
        judging.publish(outcome)
        assert judging.make(address).kept.num_rows == 16
    assert len(asked) == 6


@pytest.mark.parametrize(
    "fault", [failing(500), failing(400), failing(200, b"busy")], ids=["500", "400", "page"]
)
def test_if_nothing_is_answered_it_is_an_error_and_no_dataset(judging, fault):
    with serving(fault) as (address, _), pytest.raises(JudgeError, match="no answer to any of 4 requests"):
        judging.make(address, retries=0)


def test_pending_retries_are_cancelled_when_the_run_ends(judging):
    """A server that is busy for the first request, and then refuses the key."""
    answer = in_turn(failing(429, Retry_After="100"), failing(401))
    with serving(answer) as (address, asked):
        began = time.monotonic()
        with pytest.raises(JudgeError, match="status 401"):
            judging.make(address, rows(2), connections=2)
        assert len(asked) == 2 and time.monotonic() - began < 60


def test_without_the_package_the_error_names_the_command_that_installs_it(judging, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "openai" else find(name))
    with (
        serving(FOUR) as (address, asked),
        pytest.raises(
            MissingExtraError, match=r"not installed: openai; run `pip install 'silverloom\[judge\]'`"
        ),
    ):
        judging.make(address)
    assert asked == []


def test_keys_and_addresses_of_other_programs_are_not_used(judging, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_ORG_ID", "other-org")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "other-project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: other-header\nAuthorization: Bearer sk-other")
    monkeypatch.setenv("MY_KEY", "sk-mine")
    with serving(FOUR) as (address, asked):
        judging.make(address, rows(1))
        judging.make(address, [sent("other")], key="MY_KEY")
    assert [request["key"] for request in asked] == [None, "Bearer sk-mine"]
    assert not any("other" in request["headers"] for request in asked)


def test_an_answer_is_bounded_in_bytes_and_in_time(judging):
    def dripping(handler, body):
        handler.send_response_only(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" ")
            time.sleep(0.1)

    large = failing(200, b" " * (MOST_BYTES + 5))
    with serving(in_turn(large, dripping, FOUR)) as (address, _):
        outcome = judging.make(address, rows(3), retries=0, timeout=0.3, connections=1)
    large, late = outcome.rejected["error"].to_pylist()
    assert f"larger than {MOST_BYTES} bytes" in large and "no whole answer within 3 seconds" in late


def test_answers_in_flight_are_kept_when_the_model_refuses(judging):
    begun = threading.Event()

    def answer(handler, body):
        if "One p0." in body["messages"][0]["content"]:
            begun.set()
            time.sleep(1)
            FOUR(handler, body)
        else:
            begun.wait()
            failing(403)(handler, body)

    with serving(answer) as (address, asked), pytest.raises(JudgeError, match="status 403"):
        judging.make(address, rows(9), connections=2)
    assert len(asked) == 2, "no more are sent"
    with serving(FOUR) as (address, asked):
        assert judging.make(address, rows(2)).kept.num_rows == 8
    assert len(asked) == 1, "the answer in flight was kept"


def test_a_running_loop_is_no_hindrance(judging):
    async def in_a_notebook(address):
        return judging.make(address)

    # In a thread of its own: a browser that an earlier test opened has a loop in this one.
    with serving(FOUR) as (address, _), ThreadPoolExecutor(1) as thread:
        made = thread.submit(asyncio.run, in_a_notebook(address)).result()
    assert made.kept.num_rows == 16


def test_a_project_that_sets_a_former_param_opens():
    assert JudgeParams.model_validate({"longest_wait": 3}) == JudgeParams()


@pytest.mark.parametrize("status", [401, 404])
def test_a_wrong_key_or_model_ends_the_run_at_once_with_the_cause(judging, status):
    fault = failing(status, b'{"error": "Incorrect API key sk-secret"}')
    with (
        serving(fault) as (address, asked),
        pytest.raises(JudgeError, match=f"cannot be asked: status {status}: .*Incorrect API key"),
    ):
        judging.make(address, rows(200), connections=2)
    assert len(asked) < 200


def test_a_server_message_about_the_key_is_not_kept(judging, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    refusing, telling = failing(400, b"bad request by sk-secret"), saying(f"sk-secret\n{ALL}")
    with serving(in_turn(refusing, telling)) as (address, _):
        outcome = judging.make(address, key="MY_KEY")
    assert outcome.rejected["error"][0].as_py().endswith("status 400: bad request by ***")
    assert b"***" in outcome.files[ASKED] and b"sk-secret" not in outcome.files[ASKED]


def test_without_the_key_that_params_name_no_request_is_made(judging, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    with serving(FOUR) as (address, asked), pytest.raises(LookupError, match="variable MY_KEY holds no key"):
        judging.make(address, key="MY_KEY")
    assert asked == []


def test_answered_rows_are_asked_again_only_on_demand(judging):
    with serving(FOUR) as (address, asked):
        first = judging.make(address)
        judging.publish(first)
        again = judging.make(address)
        assert len(asked) == 4 and again.kept.equals(first.kept) and again.files == first.files
        judging.publish(again)
        assert judging.make(address, timeout=9, rater="other").kept.num_rows == 16
        assert len(asked) == 4, "transport settings and name do not change the question"
        judging.make(address, recrawl=True)
        assert len(asked) == 8
        judging.make(address, body={"temperature": 1})
        assert len(asked) == 12


def test_only_an_added_row_is_asked_about(judging):
    with serving(FOUR) as (address, asked):
        judging.publish(judging.make(address, rows(3)))
        assert judging.make(address, rows(5)).kept.num_rows == 20
    assert len(asked) == 5


def test_an_interrupted_run_resumes_where_it_was(judging):
    answered = []

    def answer(handler, body):
        if len(answered) == 2:
            return send(handler, 401, b"the key has run out")
        answered.append(body)
        return send(handler, 200, completion(ALL))

    with serving(answer) as (address, _), pytest.raises(JudgeError):
        judging.make(address, connections=1)
    with serving(FOUR) as (address, asked):
        outcome = judging.make(address)
    assert len(asked) == 2 and outcome.kept.num_rows == 16
    assert [json.loads(line)["request"]["model"] for line in outcome.files[ASKED].splitlines()] == ["m"] * 4
