"""Markdown shows the text of any row literally: nothing is fetched, nothing is formatted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from silverloom.orchestration.checks.conservation import Finding
from silverloom.orchestration.messages import escaped, markdown_table

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ODD = [
    "![x](https://evil.example/p.png)",
    "\\![x](https://evil.example/p.png)",
    "![x][y] [y]: https://evil.example/p.png",
    "[a](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<https://evil.example/>",
    "**bold** _slanted_ __bold__ a_b_c ~~gone~~ `code`",
    "# heading",
    "1. first",
    "- item",
    "a | b \\| c \\\\| d",
    "&lt; &amp; &#91;",
    "www.evil.example and https://evil.example/a_b?c=d",
]


def leaves(text):
    """The kinds of all inline tokens of a rendered text, and the text that they show."""
    inline = [token for token in RENDERER.parse(text) if token.type == "inline"]
    children = [child for token in inline for child in token.children]
    return {child.type for child in children}, [token.type for token in RENDERER.parse(text)], children


def assert_shown_as_it_is(text):
    kinds, blocks, children = leaves(escaped(text))
    assert kinds <= {"text"} and set(blocks) <= {"paragraph_open", "inline", "paragraph_close"}
    assert "".join(child.content for child in children) == " ".join(text.split())


@pytest.mark.parametrize("text", ODD)
def test_markdown_in_a_text_is_shown_literally(text):
    assert_shown_as_it_is(text)


@given(st.lists(st.sampled_from([*"\\`*_[]()!#~|<>&:/.-+=1 a", "www.", "://", "\n"])).map("".join))
def test_every_text_renders_as_itself(text):
    assert_shown_as_it_is(text)


@pytest.mark.parametrize("text", ODD)
def test_a_cell_of_a_table_shows_its_text_and_stays_one_cell(text):
    shown = markdown_table(["column", "1"], [["text", text]])
    kinds, blocks, children = leaves(shown)
    assert kinds == {"text"} and blocks.count("td_open") == 2
    shown = text if len(text) <= 60 else text[:59] + "…"
    assert "".join(child.content for child in children) == f"column1text{shown}"


def test_values_in_the_findings_of_a_check_are_escaped_as_well():
    finding = Finding(("title like ^a: not so in 1 rows (![x](https://evil.example/p.png))",), "0 of 1")
    assert leaves(finding.description)[0] == {"text"}
    assert Finding((), "3 of 3 expectations met").description == "3 of 3 expectations met"
