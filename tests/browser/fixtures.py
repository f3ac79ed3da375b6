"""One browser a worker, pages that tell what went wrong in them, and the views that are looked at."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import find
from tests.browser.visit import ARGUMENTS, Visitor

#: Widths and schemes that a page is looked at in. A width moves things, a scheme colours them: two views show
#: what each does, the others what both do together.
VIEWS = [
    (1280, "light"),
    pytest.param(400, "dark", marks=pytest.mark.long),
    pytest.param(1280, "dark", marks=pytest.mark.long),
    pytest.param(400, "light", marks=pytest.mark.long),
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser) -> Iterator[Visitor]:
    """Open pages: `visit(path or address, width=400, scheme="dark")`."""
    visitor = Visitor(browser)
    yield visitor
    visitor.end()
