"""Upload a release to a hub on loopback."""

import hashlib
import socket

import pytest

from silverloom.orchestration.release.push import push
from tests.orchestration.release.hub import Hub

NAME = "my-name/talksumm"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A folder, uploaded by a user without tokens."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    folder = tmp_path / "release"
    (folder / "data/words_150").mkdir(parents=True)
    (folder / "data/words_150/train-00000.parquet").write_bytes(bytes(range(256)) * 400)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# TalkSumm\n")
    (folder / "dvc.json").write_text("[]")
    return folder


@pytest.fixture
def hub(release, monkeypatch):
    """A hub on loopback that huggingface_hub is configured to use."""
    found = Hub()
    with found.serve() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield found


def tree(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_release_is_uploaded_in_one_commit_to_a_private_dataset(hub, release):
    assert push(release, NAME) == hub.url(NAME)
    assert hub.datasets == {NAME: {".gitattributes": b"", **tree(release)}}
    assert hub.private == {NAME: True}
    version = hashlib.md5(b"[]", usedforsecurity=False).hexdigest()
    assert hub.commits == [f"Release of the data {version}.dir"]


def test_the_next_release_replaces_the_previous_one(hub, release):
    push(release, NAME)
    (release / "data/words_150/train-00000.parquet").rename(release / "data/words_150/test-00000.parquet")
    (release / "dvc.json").write_text("[1]")
    push(release, NAME)
    assert hub.datasets[NAME] == {".gitattributes": b"", **tree(release)}
    assert len(hub.commits) == 2


def test_without_a_token_nothing_is_uploaded(hub, release, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(
        RuntimeError, match="was not sent to my-name/talksumm: there is no token: run `hf auth"
    ):
        push(release, NAME)
    assert hub.datasets == {}


def test_a_refusal_of_the_hub_is_reported_without_the_token(hub, release, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_another")
    with pytest.raises(RuntimeError, match=r"answered 401: the token is invalid: .*user") as caught:
        push(release, NAME)
    assert "hf_another" not in str(caught.value)
    monkeypatch.setenv("HF_TOKEN", hub.token)
    hub.status = 403
    with pytest.raises(RuntimeError, match="answered 403: the token has no write access"):
        push(release, NAME)


def test_an_unreachable_hub_is_named(release, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nothing listens there
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        with pytest.raises(RuntimeError, match=f"{address} cannot be reached"):
            push(release, NAME)


@pytest.mark.parametrize("name", ["talksumm", "/talksumm", "a/b/c", "https://huggingface.co/a/b", ""])
def test_a_name_needs_a_namespace(name, release):
    with pytest.raises(ValueError, match="is not a repository name"):
        push(release, name)


def test_the_command_writes_and_uploads(done, hub, tmp_path):
    environment = {"HF_ENDPOINT": hub.address, "HF_TOKEN": hub.token, "HF_HOME": str(tmp_path / "home")}
    said = done.silverloom("release", "talksumm", "--push", NAME, env=environment)
    assert f"sent: {hub.url(NAME)}" in said
    assert hub.datasets[NAME] == {".gitattributes": b"", **tree(done.root / "release/talksumm")}
    said = done.silverloom("release", "discofuse", "--push", "discofuse", ok=False)
    assert "error: 'discofuse' is not a repository name" in said
    assert not (done.root / "release/discofuse").exists()
