"""The bundle of Vega is that of a fresh checkout, whatever lies in this one."""

import pytest

from pages import vega as vega


@pytest.fixture
def made(monkeypatch):
    vl_convert = pytest.importorskip("vl_convert")
    calls = []
    monkeypatch.setattr(
        vl_convert, "javascript_bundle", lambda snippet: calls.append(snippet) or f"let a = 'é';\r\n{snippet}"
    )
    return calls


def test_it_is_made_once(made, tmp_path):
    first = vega.bundle(tmp_path)
    assert first == f"(() => {{let a = 'é';\r\n{vega.SNIPPET}}})();\n"
    assert vega.bundle(tmp_path) == first and len(made) == 1


@pytest.mark.parametrize(
    "damage", [lambda old: old[:-9], lambda old: old + b" ", lambda old: b"", lambda _: b"\xff"]
)
def test_what_is_damaged_is_made_again(made, tmp_path, damage):
    first = vega.bundle(tmp_path)
    [path] = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert vega.bundle(tmp_path) == first and len(made) == 2


def test_another_snippet_is_another_bundle(made, tmp_path, monkeypatch):
    first = vega.bundle(tmp_path)
    monkeypatch.setattr(vega, "SNIPPET", "window.vega = vega;")
    assert vega.bundle(tmp_path) != first and len(made) == 2


def test_where_it_cannot_be_kept_it_is_made_each_time(made, tmp_path):
    whole = vega.bundle(tmp_path)
    [path] = tmp_path.iterdir()
    path.unlink()
    path.mkdir()
    assert vega.bundle(tmp_path) == whole and vega.bundle(tmp_path) == whole and len(made) == 3
    assert [*tmp_path.iterdir()] == [path]
