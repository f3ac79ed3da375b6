"""One browser for each worker, pages that report their errors, and the views that are tested."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import find
from tests.browser.visit import ARGUMENTS, Visitor

#: The widths and colour schemes in which a page is tested. Widths move things and schemes colour them: neither
#: affects the other, so two views show both.
VIEWS = [(1280, "light"), pytest.param(400, "dark", marks=pytest.mark.long)]


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
