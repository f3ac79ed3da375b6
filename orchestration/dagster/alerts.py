"""Alerts: sensors that tell a webhook, or people by e-mail, which runs and checks failed.

Belongs here: what an alert says, and sending it. Not here: what is broken right now (health.py).

The address may be a secret, as those of Slack's webhooks are: no error names it.
"""

from __future__ import annotations

import contextlib
import smtplib
import time
from collections.abc import Iterable
from email.message import EmailMessage
from email.utils import localtime
from urllib.parse import SplitResult, unquote, urlsplit

import dagster as dg
import urllib3

from silverloom.orchestration.compat import events_of_run
from silverloom.orchestration.dagster.health import SYNC
from silverloom.orchestration.dagster.instance import cause
from silverloom.orchestration.dagster.past_runs import DATASET
from silverloom.orchestration.partition.dagster_events import UNCHANGED, failed_check
from silverloom.orchestration.state.addresses import Addresses
from silverloom.orchestration.workspace.workspace import ALERTS, Workspace

#: Seconds that a server may take to answer, and how often a webhook is tried.
TIMEOUT, TRIES = 10.0, 3


def alerts(workspace: Workspace) -> list[dg.SensorDefinition]:
    """Return the sensors that report failed runs and failed checks; none if there is no address for alerts.

    Raises ValueError for an address of another kind.
    """
    if not workspace.alerts:
        return []
    _check(address := workspace.alerts)

    @dg.run_failure_sensor(
        monitor_all_code_locations=True,  # runs of `dagster asset materialize` belong to none
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Sends an alert of each run that failed, with its cause.",
    )
    def failed_runs(context):  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        run = context.dagster_run
        kinds = {dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.ASSET_CHECK_EVALUATION}
        events = events_of_run(context.instance, run.run_id, kinds)
        ended = context.failure_event.message or "failed before it started"
        send(address, _text(workspace, run, "failed", cause(events, ended)))

    @dg.run_status_sensor(
        run_status=dg.DagsterRunStatus.SUCCESS,
        monitor_all_code_locations=True,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Sends an alert of each run that succeeded although checks failed that block nothing.",
    )
    def failed_checks(context):  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        run, kinds = context.dagster_run, {dg.DagsterEventType.ASSET_CHECK_EVALUATION}
        failed = [] if run.job_name == SYNC else _failed(events_of_run(context.instance, run.run_id, kinds))
        if failed:
            send(address, _text(workspace, run, "warning", "; ".join(failed)))

    return [failed_runs, failed_checks]


def _failed(events: Iterable[dg.DagsterEvent]) -> list[str]:
    """Return what the checks found that failed now, not in an earlier run."""
    checks = [event.asset_check_evaluation_data for event in events]
    return [
        f"{check.asset_key.to_user_string()} {check.partition or ''}".strip() + f": {failed_check(check)}"
        for check in checks
        if not check.passed and UNCHANGED not in check.metadata
    ]


def _text(workspace: Workspace, run: dg.DagsterRun, kind: str, said: str) -> str:
    names = sorted(key.to_user_string() for key in run.asset_selection or ())
    made = run.tags.get(DATASET) or ", ".join(names) or run.job_name
    month = run.tags.get("dagster/partition", "")
    page = Addresses(workspace).address("dagster", f"/runs/{run.run_id}")
    return f"{kind}: {made} {month}".strip() + f"\n{said}\n{page}"


def send(address: str, text: str) -> None:
    """Send a text; its first line is the subject of an e-mail. Raises RuntimeError without the address."""
    place = urlsplit(address)
    try:
        (_post if place.scheme in ("http", "https") else _mail)(address, place, text)
    except (OSError, smtplib.SMTPException, urllib3.exceptions.HTTPError) as error:
        reason = getattr(error, "reason", None) or error
        raise RuntimeError(f"{ALERTS}: no alert was sent: {type(reason).__name__}") from None


def _check(address: str) -> None:
    with contextlib.suppress(ValueError):  # which may show a part of a password
        place = urlsplit(address)
        mail = place.scheme in ("smtp", "smtps") and "@" in place.path
        if place.hostname and place.port != 0 and (mail or place.scheme in ("http", "https")):
            return
    raise ValueError(
        f"{ALERTS} needs an address like https://host/path, or smtps://user:password@host/to@example.org"
    )


def _post(address: str, place: SplitResult, text: str) -> None:
    """Post `{"text": ...}`, which the incoming webhooks of Slack, Mattermost and others take.

    Redirections are not followed: urllib3 logs their addresses, and those that it tries again.
    """
    for tried in range(TRIES):
        time.sleep(2**tried - 1)
        try:
            answer = urllib3.request(
                "POST", address, json={"text": text}, timeout=TIMEOUT, redirect=False, retries=False
            )
        except urllib3.exceptions.HTTPError:
            if tried == TRIES - 1:
                raise
        else:
            if answer.status < 500:
                break
    if answer.status >= 300:
        raise RuntimeError(f"{ALERTS}: no alert was sent: the server answered {answer.status}")


def _mail(address: str, place: SplitResult, text: str) -> None:
    message, to = EmailMessage(), unquote(place.path.lstrip("/"))
    user, password = unquote(place.username or ""), unquote(place.password or "")
    message["Subject"], message["To"] = f"silverloom {text.splitlines()[0]}", to
    message["From"] = user if "@" in user else to.partition(",")[0]
    message["Date"] = localtime()  # required by RFC 5322
    message.set_content(text)
    kind = smtplib.SMTP_SSL if place.scheme == "smtps" else smtplib.SMTP
    with kind(place.hostname or "", place.port or 0, timeout=TIMEOUT) as server:
        server.ehlo()
        if place.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls()
            server.ehlo()
        elif place.scheme == "smtp" and password:
            raise RuntimeError(f"{ALERTS}: the mail server offers no encryption for the password")
        if password:
            server.login(user, password)
        server.send_message(message)
