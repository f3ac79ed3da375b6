"""The tutorials run exactly as shown: their files are written, their commands typed, their output shown.

Belongs here: reading the fenced blocks of a page, and doing what a reader does. Not here: what else a system makes.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.projects import ROOT, Project

TUTORIALS = ROOT / "docs/tutorials"
#: Pages that are no tutorial of their own: the list of them.
LISTS = {"index"}
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
#: Whatever begins or ends a block, indented and with other marks, too.
MARK = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
#: What differs from run to run: times.
TIME = re.compile(r"\d[\d.,]* (?:ms|s|min)\b")
#: What only a slow machine shows.
PROGRESS = re.compile(r": \d+ of \d+ parts")
#: Stands on a page for lines that are not shown.
LEFT_OUT = "..."


class Block(NamedTuple):
    language: str
    file: str
    text: str


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, all of them."""
    found = [Block(*found) for found in FENCE.findall(text)]
    assert len(MARK.findall(text)) == 2 * len(found), (
        "a block with other marks or attributes would be left out"
    )
    return found


def pages() -> list[str]:
    return sorted(page.stem for page in TUTORIALS.glob("*.md") if page.stem not in LISTS)


class Reader:
    """Who follows a page, in a shell with the virtual environment active."""

    def __init__(self, clone: Project) -> None:
        self._folder = clone.root
        self._end = clone.root.with_name("folder")
        self._environment = {**os.environ, **STRICT, **QUIET, **clone.zygote.environment}
        self._environment["HF_HOME"] = str(clone.root.with_name("hub"))

    def write(self, file: str, text: str) -> None:
        path = self._folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def type(self, commands: str) -> str:
        """Type some lines, go where they lead; what is shown then."""
        done = subprocess.run(
            ["bash", "-e", "-c", f"{commands}pwd > {self._end}"],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{commands}ended with {done.returncode}:\n{done.stdout}"
        self._folder = Path(self._end.read_text().rstrip("\n"))
        return done.stdout


def lines(text: str) -> list[str]:
    shown = (line.rstrip() for line in text.splitlines() if not PROGRESS.search(line))
    return [TIME.sub("(time)", line) for line in shown if line]


def assert_shown(expected: str, output: str) -> None:
    """The lines of a page are those of the output, in order; others come where the page has `...`, alone."""
    found, place, anywhere = lines(output), 0, False
    for line in lines(expected):
        if line == LEFT_OUT:
            anywhere = True
            continue
        choice = found[place:] if anywhere else found[place : place + 1]
        assert line in choice, f"{line!r} is not in {choice} of:\n{output}"
        place += choice.index(line) + 1
        anywhere = False
    assert anywhere or place == len(found), f"the page does not show {found[place:]}"


@pytest.mark.long
@pytest.mark.parametrize("name", pages())
def test_a_tutorial_runs_as_it_stands(sample_project, tmp_path, name):
    reader = Reader(sample_project.copy(tmp_path / "clone"))
    output = None
    for block in blocks((TUTORIALS / f"{name}.md").read_text()):
        if block.file:
            reader.write(block.file, block.text)
        elif block.language == "sh":
            output = reader.type(block.text)
        elif block.language == "text":
            assert output is not None, "an output without a command"
            assert_shown(block.text, output)
            output = None
        else:
            pytest.fail(f"the page does not say what to do with {block}")


def test_there_is_a_tutorial_for_each_system():
    text = "".join((TUTORIALS / f"{name}.md").read_text() for name in pages())
    systems = [path.name for path in (ROOT / "assets/systems").iterdir() if (path / "__init__.py").exists()]
    assert systems and all(f"--system {system} " in text for system in systems)


@pytest.mark.parametrize(
    ("expected", "output"),
    [
        ("a\n", "b\na\nb\n"),
        ("...\na\nb\n", "a\nc\nb\n"),
        ("b\n...\na\n", "a\nb\n"),
    ],
)
def test_a_page_that_shows_other_lines_is_found(expected, output):
    with pytest.raises(AssertionError):
        assert_shown(expected, output)


def test_times_may_differ_and_lines_may_be_left_out():
    assert_shown("...\na: 1 kept, 0.4 s\n...\n", "b\na: 1 kept, 12 s\nc\n")


@pytest.mark.parametrize(
    "text",
    ["  ```sh\n  true\n  ```\n", "```sh linenums=1\ntrue\n```\n", "~~~sh\ntrue\n~~~\n", "```sh\ntrue\n"],
)
def test_a_block_that_would_be_left_out_is_found(text):
    with pytest.raises(AssertionError, match="left out"):
        blocks(f"```sh\ntrue\n```\n{text}")
