"""Pages that say that there is no page."""

import pytest

from silverloom.ops.wikisum.soft_404 import MOST_WORDS, is_soft_404


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, the page that you asked for could not be found.",
        "404 - File not found",
        "The requested URL was not found on this server.",
        "That page can’t be found. It looks like nothing was found at this location.",
        "This article is no longer available.",
        "We couldn't find the page you were looking for.",
        "The document has been moved or deleted.",
        "HTTP 404 Not Found",
        "The story you requested does not exist",
        "We are unable to find the page",
    ],
)
def test_a_page_that_says_that_there_is_none_is_told(text):
    assert is_soft_404("", text)
    assert is_soft_404("", f"Example Society\n\nHome\n\n{text}")
    assert is_soft_404(text, "Home. About us.")
    assert not is_soft_404("", text + " Bread is baked." * (MOST_WORDS // 3))


@pytest.mark.parametrize("title", ["404", "Not found | Example", "Page not found", "Error"])
def test_a_title_may_say_it(title):
    assert is_soft_404(title, "Home. About us.")


@pytest.mark.parametrize(
    "text",
    [
        "Its church was removed in 1904 and a school was found near the mill.",
        "Salt bread is not found outside of the coast.",
        "The species was not found again until 1999.",
        "Room 404 is the office.",
        "The first page of the manuscript was removed by a monk in 1340.",
        "The fossil site could not be found by later teams.",
        "",
    ],
)
def test_other_short_pages_are_not(text):
    assert not is_soft_404("Salt bread", text)
