"""The publishers' own files of the models: comparing installed copies with them, and fetching what differs.

Belongs here: the command `silverloom models`. Not here: which files there are (models.txt), loading models
(ops/models).
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from silverloom.ops.crawl.client import Client, FetchError
from silverloom.ops.models.installed import MODELS_TXT, ModelNotInstalledError, module, package_folder

#: A line of models.txt about the package below it.
_LINE = re.compile(
    r"(?:#: (?P<file>\S+) (?P<url>https?://\S+) (?P<digest>[0-9a-f]{64})|(?P<package>[\w.-]+)==.*)"
)

#: Limits of a download: bytes, and seconds.
_MOST, _SECONDS = 2**30, 600.0


class PublishedFile(NamedTuple):
    """A file of a model as its publisher has it."""

    package: str
    """The copy of the model that models.txt installs."""
    file: str
    """Its path in the package; `name==version` if it is a wheel, which goes beside the package."""
    url: str
    digest: str
    """SHA-256, in hexadecimal digits."""


def published_files(text: str) -> dict[str, list[PublishedFile]]:
    """Return the publishers' files by package, in the order of a models.txt; a package may have none."""
    files: dict[str, list[PublishedFile]] = {}
    waiting: list[tuple[str, str, str]] = []
    for match in map(_LINE.fullmatch, text.splitlines()):
        if match is None:
            continue
        if package := match["package"]:
            files[package] = [PublishedFile(package, *its) for its in waiting]
            waiting = []
        else:
            waiting.append((match["file"], match["url"], match["digest"]))
    return files


def prefer_published(text: str | None = None, client: Client | None = None) -> Iterator[tuple[bool, str]]:
    """Yield a line for each publisher's file in models.txt, or in `text`, after it is installed.

    With each line comes whether the installed bytes are as right as the publisher lets one know.

    A file is fetched unless the installed one has its bytes. It is used only if its SHA-256 is right;
    otherwise the copy stays, as where the address cannot be reached. A package that is missing is told.
    """
    client = client or Client("silverloom", timeout=_SECONDS, most_bytes=_MOST)
    for package, files in published_files(text or MODELS_TXT.read_text(encoding="utf-8")).items():
        try:
            folder = package_folder(package)
        except ModelNotInstalledError as error:
            yield False, str(error)
            continue
        if not files:
            yield True, f"{package}: its publisher gives no hash; the copy stays"
        for file in files:
            name, is_wheel, version = file.file.partition("==")
            try:
                if is_wheel:
                    place = _installed_wheel(file, name, version, client)
                    yield True, f"{package}: the publisher's is {place}"
                elif _has_digest(folder / file.file, file.digest):
                    yield True, f"{package}: {file.file} has the publisher's bytes"
                else:
                    _fetch(file, folder / file.file, client)
                    yield True, f"{package}: {file.file} fetched from the publisher"
            except (FetchError, OSError, subprocess.CalledProcessError) as error:
                yield False, f"{package}: the copy stays; {file.file} is not fetched: {error}"


def _installed_wheel(file: PublishedFile, name: str, version: str, client: Client) -> Path:
    """Return the folder of a pipeline in a wheel, after pip has installed it if it is not there."""
    try:
        origin = metadata.distribution(name).read_text("direct_url.json") or ""
    except metadata.PackageNotFoundError:
        origin = ""
    if file.digest not in origin:  # pip notes the hash that it was told
        if find_spec("pip") is None:
            raise FetchError("this environment has no pip: run `python -m ensurepip`")
        with tempfile.TemporaryDirectory() as folder:
            wheel = Path(folder) / file.url.rpartition("/")[2]
            _fetch(file, wheel, client)
            place = f"{name} @ {wheel.as_uri()}#sha256={file.digest}"
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", place]
            subprocess.run(command, check=True)
    return package_folder(name) / f"{module(name)}-{version}"


def _fetch(file: PublishedFile, path: Path, client: Client) -> None:
    """Replace a file by the publisher's. Raises FetchError, also for other bytes than those of its hash."""
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".fetched-", delete=False) as fetched:
        new = Path(fetched.name)
        try:
            for chunk in client.stream(file.url):
                fetched.write(chunk)
                digest.update(chunk)
            if digest.hexdigest() != file.digest:
                raise FetchError(f"{file.url} has the SHA-256 {digest.hexdigest()}, not {file.digest}")
            fetched.flush()
            new.chmod(0o644)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)


def _has_digest(path: Path, digest: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == digest
