"""One browser a worker, and pages that tell what went wrong in them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import find
from tests.browser.visit import ARGUMENTS, Visitor


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
