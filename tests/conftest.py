"""Set up the environment of all tests: the one in which the project's own processes run."""

import os
import signal
import sys
from unittest.mock import patch

import pytest
from hypothesis import settings

import silverloom.orchestration.definitions
from silverloom.orchestration.workspace.workspace import Workspace

#: Modules with fixtures that all tests share.
pytest_plugins = ["tests.browser.fixtures", "tests.faults.tally", "tests.postgres", "tests.projects"]

# A shell that runs tests in the background makes them, and all their children, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test has a deadline, because test machines are busy. In CI, Hypothesis draws the same examples every time.
settings.register_profile("project", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.register_profile("quick", settings.get_profile("project"), max_examples=30)
settings.load_profile("project")


@pytest.fixture(autouse=True)
def path(monkeypatch):
    """Restore sys.path: MLflow prepends the code of the first model it loads, and later workers would import it."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def own_declarations():
    """Keep the datasets that a test declares out of the project's own."""
    with patch.dict(silverloom.orchestration.definitions.DECLARED):
        yield


@pytest.fixture
def tmp_workspace(tmp_path) -> Workspace:
    """An empty workspace with the project's datasets."""
    return Workspace(tmp_path)
