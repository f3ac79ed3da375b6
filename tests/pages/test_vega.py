"""The bundle of Vega is that of a fresh checkout, whatever this one contains."""

import pytest

from silverloom.pages import vega as vega


@pytest.fixture
def made(monkeypatch):
    vl_convert = pytest.importorskip("vl_convert")
    calls = []
    monkeypatch.setattr(
        vl_convert, "javascript_bundle", lambda snippet: calls.append(snippet) or f"let a = 'é';\r\n{snippet}"
    )
    return calls


def test_the_bundle_is_built_once(made, tmp_path):
    first = vega.bundle(tmp_path)
    assert first == f"(() => {{let a = 'é';\r\n{vega.SNIPPET}}})();\n"
    assert vega.bundle(tmp_path) == first and len(made) == 1


@pytest.mark.parametrize(
    "damage", [lambda old: old[:-9], lambda old: old + b" ", lambda old: b"", lambda _: b"\xff"]
)
def test_a_damaged_bundle_is_built_again(made, tmp_path, damage):
    first = vega.bundle(tmp_path)
    [path] = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert vega.bundle(tmp_path) == first and len(made) == 2


def test_another_snippet_gives_another_bundle(made, tmp_path, monkeypatch):
    first = vega.bundle(tmp_path)
    monkeypatch.setattr(vega, "SNIPPET", "window.vega = vega;")
    assert vega.bundle(tmp_path) != first and len(made) == 2


def test_without_a_cache_the_bundle_is_built_each_time(made, tmp_path):
    whole = vega.bundle(tmp_path)
    [path] = tmp_path.iterdir()
    path.unlink()
    path.mkdir()
    assert vega.bundle(tmp_path) == whole and vega.bundle(tmp_path) == whole and len(made) == 3
    assert [*tmp_path.iterdir()] == [path]
