"""A page of another origin, open in the same browser, can neither drive nor read what `make ui` serves.

Belongs here: what such a page can send, against all three servers, and that their own pages and links to them
keep working. The servers are started once for all of these tests. Not here: the policy
(orchestration/serve/test_request_guard.py).
"""

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.browser.foreign import FETCH, SOCKET, WIPE, made, opened, operation, query
from tests.browser.servers import ui, wait
from tests.browser.visit import PATIENCE
from tests.waiting import until

#: Its servers take a minute to start.
pytestmark = pytest.mark.long

START = """mutation { startSchedule(scheduleSelector: {repositoryName: "__repository__",
  repositoryLocationName: "silverloom.orchestration.definitions", scheduleName: "%s"}) { __typename } }"""
SCHEDULES = """{ schedulesOrError(repositorySelector: {repositoryName: "__repository__",
  repositoryLocationName: "silverloom.orchestration.definitions"}) { ... on Schedules { results { name scheduleState { status } } } } }"""

ELEMENT = """([tag, url]) => new Promise(done => {
  const element = document.createElement(tag);
  element.onload = () => done('loaded');
  element.onerror = () => done('failed');
  element.src = url;
  document.body.append(element);
})"""
FORM = """([url, method, type, name, value]) => new Promise(done => {
  const frame = document.createElement('iframe');
  frame.name = 'answer';
  document.body.append(frame);
  const form = document.createElement('form');
  Object.assign(form, {action: url, method, enctype: type, target: 'answer'});
  const field = document.createElement('input');
  Object.assign(field, {type: 'hidden', name, value});
  form.append(field);
  document.body.append(form);
  frame.onload = () => { frame.remove(); done('sent'); };
  form.submit();
})"""
READ = "([url]) => fetch(url).then(answer => answer.text(), () => 'failed')"


@pytest.fixture(scope="module")
def project(tmp_path_factory, done_toy_project):
    return done_toy_project.copy(tmp_path_factory.mktemp("foreign pages") / "checkout")


@pytest.fixture(scope="module")
def servers(project):
    with ui(project.root) as servers:
        wait(f"{servers.pages}/pages/")
        wait(f"{servers.mlflow}/health")
        yield servers


def running(servers) -> set[str]:
    schedules = query(servers, SCHEDULES)["schedulesOrError"]["results"]
    return {schedule["name"] for schedule in schedules if schedule["scheduleState"]["status"] == "RUNNING"}


def test_no_image_form_or_web_socket_starts_a_schedule(foreign, servers):
    address = operation(servers, START % "health")
    assert foreign.evaluate(ELEMENT, ["img", address]) == "failed"
    foreign.evaluate(FORM, [address, "post", "application/x-www-form-urlencoded", "a", "b"])
    foreign.evaluate(FORM, [address, "post", "text/plain", "a", "b"])
    foreign.evaluate(FORM, [f"{servers.dagster}/graphql", "get", "", "query", START % "health"])
    assert foreign.evaluate(SOCKET, [f"{servers.dagster.replace('http:', 'ws:')}/graphql"]) == "failed"
    assert "health" not in running(servers)


def test_a_page_of_another_machine_neither_reads_nor_writes_mlflow(browser, servers):
    """MLflow itself answers pages of other ports of this machine: it does not treat them as foreign."""
    api = f"{servers.mlflow}/ajax-api/2.0/mlflow/experiments"
    body = {"method": "POST", "body": json.dumps({"name": "from elsewhere"})}
    with opened(browser, "http://elsewhere.example/") as page:
        assert page.evaluate(READ, [f"{api}/search?max_results=5"]) == "failed"
        page.evaluate(FETCH, [f"{api}/create", body])
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{api}/get-by-name?experiment_name=from%20elsewhere", timeout=600)


@pytest.mark.parametrize("foreign", ["localhost"], indirect=True)
def test_a_link_from_elsewhere_leads_to_each_server_and_on_to_the_next(foreign, servers):
    start = foreign.url
    for address, text in {
        f"{servers.dagster}/assets/toy/model": "A model that knows the answers",
        f"{servers.pages}/pages/": "toy/rating_sheets",
        servers.mlflow: "Experiments",
    }.items():
        foreign.goto(start)
        foreign.evaluate("url => { location.href = url }", address)
        expect(foreign.get_by_text(text).locator("visible=true").first).to_be_visible()


def test_dagsters_own_page_runs_mutations_and_follows_a_run_by_subscription(browser, servers):
    run = query(servers, "{ runsOrError(limit: 1) { ... on Runs { results { runId } } } }")
    run_id = run["runsOrError"]["results"][0]["runId"]
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    frames = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame)))
    page.goto(f"{servers.dagster}/runs/{run_id}")
    until(lambda: page.wait_for_timeout(200) or any('"pipelineRunLogs"' in frame for frame in frames))

    body = json.dumps({"query": START % "health"})
    options = {"method": "POST", "headers": {"Content-Type": "application/json"}, "body": body}
    page.evaluate(FETCH, ["/graphql", {"mode": "same-origin", **options}])
    assert "health" in running(servers)
    page.evaluate(FETCH, [operation(servers, WIPE % "model"), {"mode": "same-origin"}])
    assert "model" in made(servers), "not even Dagster's own page mutates by GET"
    context.close()
