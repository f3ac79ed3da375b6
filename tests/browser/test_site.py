"""The whole site of a finished project: every page opens, every link has a target."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS


@pytest.fixture(scope="module")
def quality(done_toy_project):
    return done_toy_project.root / "data/quality"


@pytest.fixture(
    scope="module", params=["done_toy_project", pytest.param("done_project", marks=pytest.mark.long)]
)
def whole_site(request):
    return request.getfixturevalue(request.param).root / "data/quality"


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src") and value]


def test_every_page_opens_without_a_fault_and_without_the_network(whole_site, visit):
    pages = sorted(whole_site.glob("pages/**/*.html"))
    assert len(pages) > 10
    opened = visit(pages[0])
    for page in pages:
        opened.go(page)
        opened.assert_sound()


def test_every_link_of_a_page_leads_to_a_page(whole_site):
    for page in whole_site.glob("pages/**/*.html"):
        for link in Links(page.read_text()).found:
            path = unquote(re.split("[#?]", link)[0])
            if not path or path.startswith(("data:", "mailto:")):
                continue
            if path.startswith(
                "https://talks.example.org/"
            ):  # where a talk can be watched, from its metadata
                continue
            if path.startswith("../../gx/"):  # Data Docs are made on demand, and the server says how
                continue
            assert "://" not in path, f"{page.name}: {link}"
            assert (page.parent / path).exists(), f"{page.name}: {link}"


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("path", ["index.html", "datasets/toy-questions.html"])
def test_overview_and_dataset_work_at_every_width(quality, visit, path, width, scheme):
    visit(quality / "pages" / path, width=width, scheme=scheme).assert_fine()


def test_the_overview_leads_to_a_dataset_and_on_to_its_dropped_rows(quality, visit):
    opened = visit(quality / "pages/index.html")
    opened.page.get_by_role("link", name="toy/questions").first.click()
    opened.assert_seen("#chart-partitions")
    opened.assert_text("2018-07")
    opened.page.get_by_role("link", name="short_question").click()
    opened.assert_text("short_question", "Because")


def test_the_theme_can_be_switched_and_stays_switched(quality, visit):
    opened = visit(quality / "pages/index.html", scheme="light")
    opened.page.get_by_role("button", name="light and dark").click()
    expect(opened.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_distributions_are_drawn_for_every_measure(quality, visit):
    opened = visit(quality / "pages/datasets/toy-questions.html")
    expect(opened.page.locator("#measures section")).to_have_count(1)
    expect(opened.page.locator("#measures svg").first).to_be_visible()
    expect(opened.page.locator("#chart-partitions svg")).to_have_count(1)


def test_a_dataset_explains_its_columns(quality, visit):
    visit(quality / "pages/datasets/toy-questions.html").assert_text("as asked", "of the question")
