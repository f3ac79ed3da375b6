"""`python -m tests.browser.screenshots [NAME ...]`: retake all or some pictures of README and docs.

The pages are those that `make ui` serves, from a copy of this checkout: run `make run` first; the checkout is
not changed. Belongs here: what is on each picture. Not here: how pages are opened.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.chromium import find
from tests.browser.servers import Servers, ui, wait
from tests.browser.visit import ARGUMENTS, Visitor

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
LEFT_BEHIND = (".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "__pycache__", ".git")
MONTH = "2018-07"
#: Dagster's own settings: its list of pages is closed, the graph goes from top to bottom.
SETTINGS = {"dagster-nav-collapsed": "true", "asset-graph-direction": '"vertical"'}


@dataclass(frozen=True)
class Picture:
    """One page: `server` and `path` give its address; `ready` is a text that appears when the page is complete."""

    name: str
    server: Callable[[Servers], str]
    path: str
    ready: str
    act: Callable[[Page], None] = lambda page: None
    size: tuple[int, int] = (1400, 800)
    scheme: str = "light"
    edit: tuple[str, str, str] | None = None
    """A file of the copy, a text in it and its replacement; the page shows the effect of this edit."""


def close_the_list(page: Page) -> None:
    """Show only the graph, once the status of every group is loaded."""
    page.locator("button:has([aria-label=panel_show_right])").last.click()
    page.get_by_text("wikisum", exact=True).last.wait_for()
    expect(page.get_by_text("fetching statuses")).to_have_count(0)


def load_statuses(page: Page) -> None:
    """Wait for the status of every dataset."""
    expect(page.get_by_text("Loading...")).to_have_count(0)


def follow_the_run(page: Page) -> None:
    """Go from a partition to the run that made it."""
    page.get_by_role("link", name=re.compile("^[0-9a-f]{8}$")).first.click()
    page.get_by_text("Success", exact=True).first.wait_for()


def open_a_talk(page: Page) -> None:
    """Go from the list to a talk, and choose a sentence that it dwells on."""
    page.get_by_role("link", name="Agreement Is Not Accuracy").first.click()
    page.locator("#paper [role=option]").nth(14).click()


def open_an_article(page: Page) -> None:
    """Go from the list to an article that has pages left out and summaries by models."""
    page.get_by_role("link", name="Port Ardle").click()
    page.locator("#paragraphs li").first.wait_for()


def scroll_to_the_threshold(page: Page) -> None:
    """Show the last thresholds of the table, and the chosen one below it."""
    page.evaluate("scrollTo(0, document.getElementById('threshold').offsetTop - 500)")


DAGSTER, PAGES, MLFLOW = (
    (lambda servers: servers.dagster),
    (lambda servers: servers.pages),
    (lambda servers: servers.mlflow),
)
LOCATION = "/locations/silverloom.orchestration.definitions"
PARTITION = f"/assets/talksumm/alignments?view=partitions&partition={MONTH}"
PICTURES = [
    Picture("dag", DAGSTER, "/asset-groups", "Materialize all", close_the_list, (1500, 720)),
    Picture("group", DAGSTER, f"{LOCATION}/asset-groups/talksumm/lineage", "alignments", load_statuses, (1700, 2000)),
    Picture("partition", DAGSTER, PARTITION, "drop reasons"),
    Picture("checks", DAGSTER, "/assets/talksumm/alignments?view=checks&checkDetail=conservation", "conservation"),
    Picture("run", DAGSTER, PARTITION, "drop reasons", follow_the_run),
    Picture("overview", PAGES, "/pages/", "what was lost on the way", size=(1400, 1000)),
    Picture("dataset", PAGES, "/pages/datasets/talksumm-alignments.html", "From the source", size=(1400, 1300)),
    Picture("rows", PAGES, "/pages/rows/talksumm-alignments.html#table=dropped&reason=short", "matches"),
    Picture("what-if", PAGES, "/pages/what-if.html#talksumm/alignments/talksumm.hmm.minimum_characters=60", "would be kept", scroll_to_the_threshold, (1400, 1300)),
    Picture("talk", PAGES, "/pages/talks.html", "Talks", open_a_talk, (1400, 1300)),
    Picture("tuning", PAGES, "/pages/tuning.html", "The grid", size=(1400, 1000), scheme="dark"),
    Picture("evaluation", PAGES, "/pages/evaluation.html", "Does the extractor beat the others?", size=(1400, 1300)),
    Picture("fusion", PAGES, "/pages/fusion.html", "Exact", size=(1400, 1300)),
    Picture("paraphrases", PAGES, "/pages/paraphrases.html#thresholds", "would be kept", size=(1400, 1250)),
    Picture("balanced", PAGES, "/pages/datasets/discofuse-balanced.html", "Discourse types", size=(1400, 1300)),
    Picture("article", PAGES, "/pages/articles.html", "Articles", open_an_article, (1400, 1300)),
    Picture("unsynced", DAGSTER, PARTITION, "Unsynced", edit=("params.yaml", "hmm: {}", "hmm: {epsilon: 0.2}")),
]  # fmt: skip


def main(names: list[str]) -> None:
    """Make the named pictures, or all."""
    unknown = set(names) - {picture.name for picture in PICTURES}
    if unknown:
        sys.exit(f"error: no picture is called {', '.join(sorted(unknown))}; known: "
                 f"{', '.join(picture.name for picture in PICTURES)}")  # fmt: skip
    chosen = [picture for picture in PICTURES if not names or picture.name in names]
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        stack.callback(browser.close)
        for edit in dict.fromkeys(picture.edit for picture in chosen):
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / ROOT.name
                shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
                if edit:
                    replace(copy / edit[0], edit[1], edit[2])
                with ui(copy) as servers:
                    for picture in chosen:
                        if picture.edit == edit:
                            take(Visitor(browser), servers, picture)


def take(visit: Visitor, servers: Servers, picture: Picture) -> None:
    """Write one picture and print its size. Raises AssertionError if the page has a fault."""
    address = picture.server(servers)
    wait(address)
    width, height = picture.size
    seen = visit(
        address + picture.path,
        width=width,
        height=height,
        scheme=picture.scheme,
        scale=1.25,
        remembers=SETTINGS,
    )
    seen.assert_text(picture.ready)
    picture.act(seen.page)
    seen.page.wait_for_timeout(2000)  # animations end
    seen.assert_sound()
    path = seen.screenshot(IMAGES / f"{picture.name}.png")
    visit.end()
    with Image.open(
        path
    ) as image:  # a page has few colours: a palette of 256 looks the same in a third of the bytes
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1024} KB", flush=True)


def replace(path: Path, old: str, new: str) -> None:
    """Replace a text in a file."""
    text = path.read_text()
    if old not in text:
        sys.exit(f"error: {old!r} is not in {path.name}: mend PICTURES in {Path(__file__).name}")
    path.write_text(text.replace(old, new, 1))


if __name__ == "__main__":
    main(sys.argv[1:])
