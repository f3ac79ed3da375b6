"""Failed runs and checks are reported to a webhook or a mailbox, without its secrets in any message."""

import contextlib
import json
import threading
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import dagster as dg
import pytest

from silverloom.orchestration.dagster import alerts
from silverloom.orchestration.dagster.past_runs import DATASET
from silverloom.orchestration.partition.dagster_events import combined, failed_check

MONTHS = dg.StaticPartitionsDefinition(["2018-06"])


@pytest.fixture
def server():
    """A webhook that keeps what it gets, and answers with `status`."""
    got = SimpleNamespace(texts=[], status=200, headers={})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.texts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
            self.send_response(got.status)
            for name, value in got.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        got.address = f"http://127.0.0.1:{web.server_port}/services/s3cret"
        yield got
        web.shutdown()


@pytest.fixture
def tick(server, tmp_workspace, monkeypatch):
    """Run an asset whose check has a severity, then evaluate both sensors; return what they say."""
    monkeypatch.setenv(alerts.ALERTS, server.address)
    sensors = alerts.alerts(tmp_workspace)
    with dg.DagsterInstance.ephemeral() as instance:

        def evaluate(cursors):
            ticks = {
                sensor.name: sensor.evaluate_tick(
                    dg.build_sensor_context(
                        instance, cursor=cursors.get(sensor.name), repository_def=defs.get_repository_def()
                    )
                )
                for sensor in sensors
            }
            errors = [
                reaction.error.message
                for ticked in ticks.values()
                for reaction in ticked.dagster_run_reactions
                if reaction.error
            ]
            return {name: ticked.cursor for name, ticked in ticks.items()}, errors

        def run(*results, raises=None):
            @dg.asset(
                key=["group", "rows"],
                partitions_def=MONTHS,
                check_specs=[dg.AssetCheckSpec("warnings", asset=["group", "rows"])],
            )
            def body():
                if raises:
                    raise raises
                return dg.MaterializeResult(check_results=results)

            nonlocal defs
            defs = dg.Definitions([body])
            cursors, _ = evaluate({})
            dg.materialize(
                [body],
                instance=instance,
                partition_key="2018-06",
                tags={DATASET: "group/rows"},
                raise_on_error=False,
            )
            return evaluate(cursors)[1]

        defs = dg.Definitions()
        yield run


def result(passed, **metadata):
    return dg.AssetCheckResult(
        check_name="warnings", passed=passed, metadata=metadata, description="half of the rows"
    )


def test_a_failed_run_is_reported_with_its_cause(tick, server):
    assert tick(raises=dg.Failure("row 3 is no row")) == []
    (text,) = server.texts
    first, said, page = text.splitlines()
    assert first == "failed: group/rows 2018-06" and said == "row 3 is no row" and "/runs/" in page


def test_a_failed_check_that_blocks_nothing_is_reported_unless_an_earlier_run_found_it(tick, server):
    assert tick(result(True)) == tick(result(False, unchanged="not checked again")) == []
    assert server.texts == []
    assert tick(result(False)) == []
    (text,) = server.texts
    assert text.startswith("warning: group/rows 2018-06\n")
    assert "group/rows: check warnings failed: half of the rows" in text
    assert tick(result(False, faults=["text like ^a_*: violated"])) == []
    assert "group/rows: check warnings failed: text like ^a_*: violated" in server.texts[-1]


def test_a_webhook_that_fails_shows_in_the_tick_without_its_address(tick, server):
    server.status = 404
    (said,) = tick(raises=dg.Failure("row 3 is no row"))
    assert "the server answered 404" in said and "s3cret" not in said


@pytest.fixture
def slept(monkeypatch):
    """How long it waited between tries, without waiting."""
    seconds = []
    monkeypatch.setattr(alerts.time, "sleep", seconds.append)
    return seconds


def test_a_webhook_is_tried_again_after_pauses_that_it_does_not_choose(server, slept, caplog):
    server.status, server.headers = 503, {"Retry-After": "3600"}
    with pytest.raises(RuntimeError, match="the server answered 503"):
        alerts.send(server.address, "failed: a\nb")
    assert len(server.texts) == alerts.TRIES and slept == [0, 1, 3] and "s3cret" not in caplog.text


def test_a_redirection_is_no_answer_and_is_not_followed(server, slept, caplog):
    server.status, server.headers = 307, {"Location": server.address}
    with pytest.raises(RuntimeError, match="the server answered 307"):
        alerts.send(server.address, "failed: a\nb")
    assert len(server.texts) == 1 and "s3cret" not in caplog.text


def test_a_run_that_dies_after_a_passed_check_is_reported_with_the_end_of_the_run(tick, server, monkeypatch):
    passed = SimpleNamespace(
        event_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION,
        asset_check_evaluation_data=SimpleNamespace(passed=True),
        is_step_failure=False,
    )
    monkeypatch.setattr(alerts, "events_of_run", lambda *_: [passed])
    assert tick(raises=dg.Failure("row 3 is no row")) == []
    assert server.texts[0].splitlines()[1].startswith("Execution of run for")


def test_a_server_that_is_gone_shows_without_the_address(slept, caplog):
    caplog.set_level("INFO")
    for address in ("http://127.0.0.1:9/s3cret", "smtp://me:s3cret@127.0.0.1:9/you@example.org"):
        with pytest.raises(RuntimeError, match=r"no alert was sent: \w*Err") as raised:
            alerts.send(address, "failed: a\nb")
        assert "s3cret" not in str(raised.value) + caplog.text


@pytest.mark.parametrize(
    "address",
    ["slack", "ftp://host/s3cret", "smtps://host/s3cret", "smtp://me:s3cret#1@host/a@b", "https://[s3cret/"],
)
def test_an_address_of_another_kind_is_refused_without_being_shown(address, tmp_workspace, monkeypatch):
    monkeypatch.setenv(alerts.ALERTS, address)
    with pytest.raises(ValueError, match="SILVERLOOM_ALERTS needs an address like") as raised:
        alerts.alerts(tmp_workspace)
    shown = "".join(traceback.format_exception(raised.value))
    assert "s3cret" not in shown


def test_an_e_mail_has_the_first_line_as_its_subject(monkeypatch):
    sent = []

    class Server(contextlib.nullcontext):
        def __init__(self, *_, **__):
            super().__init__(self)

        def ehlo(self):
            pass

        def login(self, user, password):
            sent.append((user, password))

        def send_message(self, message):
            sent.append(message)

    monkeypatch.setattr(alerts.smtplib, "SMTP_SSL", Server)
    alerts.send("smtps://me%40example.org:p%2Fw@mail.example.org/you@example.org", "failed: a\nwhy\n")
    login, message = sent
    assert login == ("me@example.org", "p/w")
    assert (message["To"], message["From"]) == ("you@example.org", "me@example.org")
    assert message["Subject"] == "silverloom failed: a" and "why" in message.get_content()
    assert message["Date"]


def test_there_are_no_sensors_without_an_address(tmp_workspace, monkeypatch):
    monkeypatch.delenv(alerts.ALERTS, raising=False)
    (tmp_workspace.root / "params.yaml").write_text("partitions: {every: none}\nsources: {}\n")
    assert alerts.alerts(tmp_workspace) == []


def test_a_check_of_several_partitions_gives_all_faults_as_they_are():
    found = [
        result(False, faults=["text like ^a_*"]),
        result(True, faults=[]),
        result(False, faults=["b \\ c"]),
    ]
    assert failed_check(combined(found)) == "check warnings failed: text like ^a_*; b \\ c"
    assert failed_check(combined([result(False)])) == "check warnings failed: half of the rows"
