"""No letter of a web page is lost or added, and no two blocks are joined."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.web import page_of

PROSE = "The river rises in the mountains and flows past {} old mills, which many people visit in summer."
BLOCKS = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "header",
    "hgroup",
    "legend",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
    "xmp",
]
INLINE = ["a", "abbr", "b", "code", "em", "i", "label", "q", "small", "span", "strong", "u", "time", "mark"]
WITHIN = {"table": "<tr><td>{}</td></tr>", "dl": "<dd>{}</dd>", "ul": "<li>{}</li>", "ol": "<li>{}</li>"}

words = st.lists(st.text("abcdeghi\u00e9\u0436&<", min_size=1, max_size=6), min_size=1, max_size=4).map(
    " ".join
)


@st.composite
def texts(draw):
    """The HTML of a run of text, with inline elements, comments and scripts, and its lines."""
    text = draw(words)
    html = escape(text) if draw(st.booleans()) else "".join(f"&#{ord(sign)};" for sign in text)
    inline = draw(st.sampled_from(["", *INLINE]))
    html = f"<{inline}>{html}</{inline}>" if inline else html
    unseen = ["", "<!-- zz -->", "<script>var zz = '<p>zz';</script>", "<style>zz { color: red }</style>"]
    html += draw(st.sampled_from(unseen))
    if draw(st.booleans()):
        more, lines = draw(texts())
        return f"{html}<br>{more}", [text, *lines]
    return html, [text]


@st.composite
def blocks(draw, depth=2):
    """The HTML of a block element, and the lines of text in it."""
    name = draw(st.sampled_from(BLOCKS))
    if name == "xmp":  # its content is text, not markup
        line = draw(st.text("abcdeghi", min_size=1, max_size=9))
        return f"<xmp>{line}</xmp>", [line]
    if not depth or name in ("p", "h1", "h2", "h3", "pre", "listing") or draw(st.booleans()):
        html, lines = draw(texts())
    else:
        html, lines = "", []
        for inner, more in draw(st.lists(blocks(depth - 1), min_size=1, max_size=3)):
            html, lines = html + inner, lines + more
    return f"<{name}>{WITHIN.get(name, '{}').format(html)}</{name}>", lines


def letters(text):
    return "".join(text.split())


def read(html, extractor, prose):
    """The paragraphs of a page with other main text, without that."""
    around = [PROSE.format(number) for number in (20, 30)] if prose else ["", ""]
    page = f"<html><body><article><p>{around[0]}</p>{html}<p>{around[1]}</p></article></body></html>"
    paragraphs = [paragraph.text for paragraph in page_of(page.encode(), "", extractor).paragraphs]
    if prose:
        assert (paragraphs[0], paragraphs[-1]) == tuple(around)
    return paragraphs[1:-1] if prose else paragraphs


@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
@given(st.lists(blocks(), min_size=1, max_size=4), st.booleans())
def test_no_letter_of_a_page_is_lost_or_added_and_no_two_blocks_are_joined(extractor, pieces, prose):
    lines = [line for _, inside in pieces for line in inside]
    paragraphs = read("".join(html for html, _ in pieces), extractor, prose)
    assert letters("".join(paragraphs)) == letters("".join(lines))
    ends = set()
    for line in lines:
        ends.add(max(ends, default=0) + len(letters(line)))
    place = 0
    for paragraph in paragraphs:
        place += len(letters(paragraph))
        assert place in ends
    assert len(paragraphs) == len(lines)


@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_side_by_side_are_two_paragraphs(name, extractor):
    first, second = "a b degbei", "icbbie c"
    inside = WITHIN.get(name, "{}")
    html = "".join(f"<{name}>{inside.format(text)}</{name}>" for text in (first, second))
    assert read(html, extractor, True) == [first, second]
