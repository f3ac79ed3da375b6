"""The HTML template of `dvc plots` is self-contained, and is restored when it is gone."""

import configparser
import os

import pytest

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.dvc import metrics
from silverloom.orchestration.workspace.workspace import Workspace


@pytest.fixture
def template(tmp_workspace):
    metrics.write_template(tmp_workspace)
    return metrics.template_file(tmp_workspace)


def test_dvc_is_configured_with_the_path_of_the_template():
    config = configparser.ConfigParser()
    config.read(checkout() / ".dvc" / "config")
    path = checkout() / ".dvc" / config["plots"]["html_template"]
    assert os.path.normpath(path) == str(metrics.template_file(Workspace.here()))


def test_the_template_has_dvcs_placeholders_and_loads_nothing(template):
    text = template.read_text()
    assert text.count("{plot_divs}") == 1
    assert text.count("{refresh_tag}") == 1
    assert "{scripts}" not in text, "DVC would put its links to the network there"
    assert "{vega}" not in text
    assert "src=" not in text.split("<script>")[0] and "cdn" not in text
    assert len(text) > 500_000


def test_a_missing_or_changed_template_is_rewritten_and_a_correct_one_left_alone(template, tmp_workspace):
    page, made = template.read_text(), template.stat().st_mtime_ns
    metrics.write_template(tmp_workspace)
    assert template.stat().st_mtime_ns == made
    template.write_text(page.replace("{plot_divs}", ""))
    metrics.write_template(tmp_workspace)
    assert template.read_text() == page
    template.unlink()
    metrics.write_template(tmp_workspace)
    assert template.read_text() == page
