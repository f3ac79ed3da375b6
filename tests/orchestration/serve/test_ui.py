"""`make ui` ends when one of its processes ends."""

import socket
import sys
import threading

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from silverloom.orchestration.serve import ui


@pytest.fixture
def start(tmp_workspace):
    ui.log_folder(tmp_workspace).mkdir(parents=True)
    children = []

    def start(name, code, *arguments):
        children.append(
            ui.start_child(tmp_workspace, 0, name, sys.executable, "-c", code, *map(str, arguments))
        )
        return children

    yield start
    for child in children:
        child.process.kill()
        child.process.wait()


def test_the_end_of_one_process_ends_all(start, capfd):
    start("dagster-daemon", "import time; time.sleep(600)")
    children = start("pages", "import sys; print('out of order'); sys.exit(3)")
    assert ui.attend(children) == 3
    said = capfd.readouterr().err
    assert "pages ended with status 3, so everything is shut down" in said and "out of order" in said


def test_an_invalid_host_name_is_reported_before_anything_is_started(monkeypatch, tmp_workspace):
    monkeypatch.setenv("SILVERLOOM_ALLOWED_HOSTS", "https://data.example.org")
    monkeypatch.setattr(ui, "start_child", lambda *_: pytest.fail("something was started"))
    with pytest.raises(ValueError, match=r"'https://data.* is not a host name"):
        ui.serve(tmp_workspace)


def test_no_login_of_mlflows_store_is_in_the_output_of_processes(start, tmp_workspace, monkeypatch, capfd):
    address = "mongodb://me:s3/c#ret@127.0.0.1:9/db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    [child] = start("mlflow", "import sys; sys.exit(f'no store at {sys.argv[1]}')", address)
    assert ui.attend([child]) == 1
    said = capfd.readouterr().err + child.log.read_text()
    assert said.count("no store at mongodb://127.0.0.1:9/db") == 2 and "s3" not in said


@pytest.mark.parametrize(("own", "used"), [(None, "300"), ("90", "90")])
def test_dagster_waits_longer_for_its_code_server_than_by_default(own, used, start, monkeypatch):
    name = "DAGSTER_GRPC_TIMEOUT_SECONDS"
    monkeypatch.delenv(name, raising=False) if own is None else monkeypatch.setenv(name, own)
    (child,) = start("dagster-daemon", f"import os; print(os.environ[{name!r}])")
    assert child.process.wait() == 0
    assert child.log.read_text() == f"{used}\n"


def test_the_address_of_a_server_is_printed_once_it_answers(capsys, monkeypatch):
    up = set()
    monkeypatch.setattr(ui, "answers", up.__contains__)
    announce = ui.Announcer({"one": "One: http://one", "two": "Two: http://two"})
    announce()
    assert capsys.readouterr().out == ""
    up.add("two")
    announce()
    assert capsys.readouterr().out == "Two: http://two\n"
    up.add("one")
    announce()
    announce()
    assert capsys.readouterr().out == "One: http://one\nCtrl-C stops all servers\n"


def test_a_server_answers_with_whatever_status():
    async def refuse(scope, receive, send):
        await PlainTextResponse("no", 404)(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(refuse, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert ui.answers(address)
        server.should_exit = True
        thread.join()
    assert not ui.answers(address)
