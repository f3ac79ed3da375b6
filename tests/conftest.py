"""Tests run under the environment that the project's own processes run under."""

import os
import signal
import sys
from unittest.mock import patch

import pytest
from hypothesis import settings

import orchestration.definitions
from orchestration.workspace.workspace import Workspace

#: Where fixtures of all tests are.
pytest_plugins = ["tests.browser.fixtures", "tests.faults.tally", "tests.postgres", "tests.projects"]

# A shell that runs tests in the background has them ignore Ctrl-C, and all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test is timed: machines that run tests are busy. In CI the examples are the same every time.
settings.register_profile("project", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.register_profile("quick", settings.get_profile("project"), max_examples=30)
settings.load_profile("project")


@pytest.fixture(autouse=True)
def path(monkeypatch):
    """MLflow puts the code of a model that it loads first on the path, where workers spawned later would find it."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def own_declarations():
    """Keep what a test declares out of the project's own datasets."""
    with patch.dict(orchestration.definitions.DECLARED):
        yield


@pytest.fixture
def tmp_workspace(tmp_path) -> Workspace:
    """An empty workspace of the project's datasets."""
    return Workspace(tmp_path)
