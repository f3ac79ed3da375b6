"""The publishers' own files of models, from a server on this machine."""

import contextlib
import hashlib
import http.server
import io
import threading
import zipfile

import pytest

from silverloom.ops.crawl.addresses import AddressPolicy
from silverloom.ops.crawl.client import Client
from silverloom.ops.models.installed import MODELS_TXT
from silverloom.orchestration.cli.app import main
from silverloom.orchestration.project import published
from silverloom.orchestration.project.published import prefer_published, published_files

CONTENT = b"weights"


def digest(content):
    return hashlib.sha256(content).hexdigest()


@contextlib.contextmanager
def serving(files):
    """Serve contents by path; yield the address and the requested paths."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = files.get(self.path)
            self.send_response_only(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()


def lines(text, most_bytes=1000):
    return [line for _, line in outcomes(text, most_bytes)]


def outcomes(text, most_bytes=1000):
    return list(prefer_published(text, Client("test", AddressPolicy(["127.0.0.1"]), 5, most_bytes, 0)))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of a model, whose only file is `model/weights.bin`."""
    file = tmp_path / "a_model" / "model" / "weights.bin"
    file.parent.mkdir(parents=True)
    (tmp_path / "a_model" / "__init__.py").touch()
    file.write_bytes(b"copy")
    monkeypatch.syspath_prepend(tmp_path)
    return file


def test_every_file_in_models_txt_whose_hash_is_known_has_the_publishers_bytes():
    text = MODELS_TXT.read_text(encoding="utf-8")
    files = [file for its in published_files(text).values() for file in its if "==" not in file.file]
    assert len(files) >= 5
    without_wheels = "\n".join(line for line in text.splitlines() if not line.startswith("#: en-"))
    told = lines(without_wheels)
    assert [line for line in told if line.endswith("has the publisher's bytes")] == [
        f"{file.package}: {file.file} has the publisher's bytes" for file in files
    ]


def test_a_file_of_other_bytes_is_fetched_once(package):
    with serving({"/weights.bin": CONTENT}) as (address, asked):
        text = f"#: model/weights.bin {address}/weights.bin {digest(CONTENT)}\na-model==1.0\n"
        assert lines(text) == ["a-model: model/weights.bin fetched from the publisher"]
        assert package.read_bytes() == CONTENT
        assert lines(text) == ["a-model: model/weights.bin has the publisher's bytes"]
        assert asked == ["/weights.bin"]


@pytest.mark.parametrize(
    ("path", "most_bytes", "why"),
    [
        ("/weights.bin", 1000, "has the SHA-256"),
        ("/gone", 1000, "status 404"),
        ("/weights.bin", 3, "more than 3"),
    ],
)
def test_the_copy_stays_unless_the_right_bytes_arrive(package, path, most_bytes, why):
    with serving({"/weights.bin": CONTENT}) as (address, _):
        (line,) = lines(
            f"#: model/weights.bin {address}{path} {digest(b'other')}\na-model==1.0\n", most_bytes
        )
    assert line.startswith("a-model: the copy stays; model/weights.bin is not fetched: ") and why in line
    assert package.read_bytes() == b"copy" and [file.name for file in package.parent.iterdir()] == [
        package.name
    ]


def test_the_copy_stays_where_nothing_answers(package):
    with serving({}) as (address, _):
        pass
    (line,) = lines(f"#: model/weights.bin {address}/weights.bin {digest(CONTENT)}\na-model==1.0\n")
    assert "cannot be connected to" in line and package.read_bytes() == b"copy"


def wheel():
    about = "its_model-1.0.dist-info"
    files = {
        "its_model/__init__.py": "",
        "its_model/its_model-1.0/meta.json": "{}",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: its-model\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "its_model/__init__.py,,\n",
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_a_wheel_of_the_publisher_is_installed_once_and_its_folder_told(package, tmp_path, monkeypatch):
    place = tmp_path / "site"
    place.mkdir()
    monkeypatch.setenv("PIP_TARGET", str(place))
    monkeypatch.syspath_prepend(place)
    content, name = wheel(), "/its_model-1.0-py3-none-any.whl"
    with serving({name: content}) as (address, asked):
        text = f"#: its-model==1.0 {address}{name} {digest(content)}\na-model==1.0\n"
        told = [f"a-model: the publisher's is {place / 'its_model' / 'its_model-1.0'}"]
        assert lines(text, 10_000) == told and lines(text, 10_000) == told
        assert asked == [name]


def test_a_missing_model_is_told_and_one_without_a_hash_stays(package):
    told = lines("no-model==1.0\na-model==1.0\n")
    assert told[0].startswith("model 'no-model' is not installed: ")
    assert told[1:] == ["a-model: its publisher gives no hash; the copy stays"]
    assert published.published_files("# a comment\n") == {}


@pytest.mark.parametrize(("wrong", "status"), [(True, 1), (False, 0)])
def test_the_command_fails_if_a_file_could_not_be_fetched(tmp_workspace, monkeypatch, wrong, status):
    told = [(True, "right"), (not wrong, "perhaps")]
    monkeypatch.setattr(published, "prefer_published", lambda: iter(told))
    with pytest.raises(SystemExit) as ended:
        main(["models"])
    assert ended.value.code == status


def test_without_pip_the_line_says_so(package, monkeypatch):
    find = published.find_spec
    monkeypatch.setattr(published, "find_spec", lambda name: None if name == "pip" else find(name))
    [(right, line)] = outcomes(
        f"#: its-model==1.0 http://127.0.0.1:1/its_model.whl {digest(b'')}\na-model==1.0\n"
    )
    assert not right and "this environment has no pip: run `python -m ensurepip`" in line
