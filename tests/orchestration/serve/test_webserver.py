"""Dagster accepts GraphQL operations only in requests that a foreign page cannot send without a preflight."""

import re

import dagster as dg
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Match, Route, WebSocketRoute
from starlette.testclient import TestClient

from silverloom.orchestration.compat import web_application
from silverloom.orchestration.serve.request_guard import PAGES, RequestGuard

METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS"]


@pytest.fixture
def client():
    async def answer(request):
        return PlainTextResponse("executed")

    async def subscribe(websocket):
        await websocket.accept()
        await websocket.send_text("executed")
        await websocket.close()

    routes = [WebSocketRoute("/graphql", subscribe), Route("/{path:path}", answer, methods=METHODS)]
    return TestClient(RequestGuard(Starlette(routes=routes), PAGES))


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/graphql"]
)
def test_a_post_of_json_is_executed(client, kind):
    assert client.post("/graphql", headers={"content-type": kind}).text == "executed"


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "",
        "text/plain",
        "text/plain; x=application/json",
        "text/plain,application/json",
        "application/x-www-form-urlencoded; application/json",
        "multipart/form-data; boundary=application/json",
        "application/jsonx",
    ],
)
def test_a_post_that_a_form_could_send_is_refused(client, kind):
    answer = client.post("/graphql?query=x", headers={} if kind is None else {"content-type": kind})
    assert answer.status_code == 400 and "application/json" in answer.text


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
@pytest.mark.parametrize("path", ["/graphql", "/%67raphql"])
def test_other_methods_are_refused(client, method, path):
    headers = {"accept": "application/json, */*", "content-type": "application/json"}
    assert client.request(method, f"{path}?query=x", headers=headers).status_code == 400


def test_the_graphiql_page_subscriptions_and_everything_else_are_served(client):
    assert client.get("/graphql", headers={"accept": "text/html,*/*"}).text == "executed"
    assert client.post("/report_asset_check/x").text == client.get("/runs").text == "executed"
    with client.websocket_connect("/graphql") as websocket:
        assert websocket.receive_text() == "executed"


@pytest.fixture(scope="module")
def routes(tmp_path_factory):
    """The routes of Dagster's own application, for a module without assets."""
    folder = tmp_path_factory.mktemp("dagster")
    (folder / "empty.py").write_text("import dagster as dg\n\ndefs = dg.Definitions()\n")
    place = folder / "workspace.yaml"
    place.write_text("load_from: [{python_file: empty.py}]")
    with (
        dg.DagsterInstance.local_temp(str(folder)) as instance,
        web_application(instance, place) as app,
    ):
        yield app.routes


def endpoint(routes, path):
    """The name of the endpoint that answers a path."""
    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    found = next(route for route in routes if route.matches(scope)[0] is not Match.NONE)
    return found.name


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/assets/talksumm/pairs",
        "/runs/1",
        "/overview/activity",
        "/locations/orchestration.definitions/assets",
        "/automation",
        "/deployment/daemons",
        "/jobs",
    ],
)
def test_links_from_elsewhere_lead_to_dagsters_pages(routes, path):
    assert re.fullmatch(PAGES, path) and endpoint(routes, path) == "index_html_endpoint"


def test_links_from_elsewhere_lead_only_to_pages(routes):
    named = [route.path.split("{")[0].rstrip("/") for route in routes]
    others = sorted({path for path in named if path})
    assert {"/graphql", "/logs", "/notebook", "/dagit/notebook", "/download_debug", "/server_info"} < {
        *others
    }
    for path in others:
        for tried in (path, f"{path}/", f"{path}/x"):
            assert not re.fullmatch(PAGES, tried), tried
