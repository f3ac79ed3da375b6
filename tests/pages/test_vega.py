"""The bundle of Vega is that of a fresh checkout, whatever this one contains."""

import pytest

from silverloom.assets.declare import cache
from silverloom.pages import vega as vega


@pytest.fixture
def made(monkeypatch):
    vl_convert = pytest.importorskip("vl_convert")
    calls = []
    monkeypatch.setattr(
        vl_convert, "javascript_bundle", lambda snippet: calls.append(snippet) or f"let a = 'é';\r\n{snippet}"
    )
    return calls


@pytest.fixture
def root(tmp_path):
    (tmp_path / cache.FOLDER).mkdir(parents=True)
    return tmp_path


def test_the_bundle_is_built_once(made, root):
    first = vega.bundle(root)
    assert first == f"(() => {{let a = 'é';\r\n{vega.SNIPPET}}})();\n"
    assert vega.bundle(root) == first and len(made) == 1


@pytest.mark.parametrize(
    "damage", [lambda old: old[:-9], lambda old: old + b" ", lambda old: b"", lambda _: b"\xff"]
)
def test_a_damaged_bundle_is_built_again(made, root, damage):
    first = vega.bundle(root)
    [path] = (root / cache.FOLDER).iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert vega.bundle(root) == first and len(made) == 2


def test_another_snippet_gives_another_bundle(made, root, monkeypatch):
    first = vega.bundle(root)
    monkeypatch.setattr(vega, "SNIPPET", "window.vega = vega;")
    assert vega.bundle(root) != first and len(made) == 2


def test_without_a_cache_the_bundle_is_built_each_time(made, root):
    whole = vega.bundle(root)
    [path] = (root / cache.FOLDER).iterdir()
    path.unlink()
    path.mkdir()
    assert vega.bundle(root) == whole and vega.bundle(root) == whole and len(made) == 3
    assert [*(root / cache.FOLDER).iterdir()] == [path]
