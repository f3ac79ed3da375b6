"""Which addresses are the article itself, and which are another page."""

import pytest

from silverloom.ops.wikisum.clones import is_itself

BREAD, SLASH, SIGNS = "Salt bread", "AC/DC", "C++"


@pytest.mark.parametrize(
    ("title", "address"),
    [
        (BREAD, "https://en.wikipedia.org/wiki/Salt_bread"),
        (BREAD, "https://en.wikipedia.org/wiki/Salt%20Bread/"),
        (BREAD, "https://en.wikipedia.org/wiki/Salt_bread?redirect=no#History"),
        (BREAD, "https://en.wikipedia.org/wiki/Salt_bread#"),
        (BREAD, "HTTP://EN.WIKIPEDIA.ORG:80/wiki/Salt_bread"),
        (BREAD, "http://en.m.wikipedia.org/wiki/Salt_bread"),
        (BREAD, "http://de.m.wikipedia.org/wiki/Salt_bread"),
        (BREAD, "https://en.wikipedia.org/w/index.php?title=Salt_bread&oldid=1"),
        (BREAD, "https://en.wikipedia.org/w/index.php?action=history&title=Salt%20bread"),
        (BREAD, "https://en.wikipedia.org/wiki/index.php?title=Salt_bread&redirect=no"),
        (BREAD, "https://en.wikipedia.org/index.php/Salt_bread"),
        (BREAD, "https://en.wikipedia.org/?title=Salt_bread"),
        (BREAD, "https://zh.wikipedia.org/zh-hans/Salt_bread"),
        (BREAD, "https://wikipedia.org/salt-bread.html"),
        (SLASH, "https://en.wikipedia.org/wiki/AC/DC"),
        (SLASH, "https://en.wikipedia.org/wiki/AC%2FDC"),
        (SLASH, "https://en.wikipedia.org/w/index.php?title=AC/DC"),
        (SLASH, "https://en.wikipedia.org/w/index.php?title=AC%2FDC"),
        (SLASH, "https://wikipedia.org/bands/ac/dc.htm"),
        (SIGNS, "https://en.wikipedia.org/wiki/C++"),
        (SIGNS, "https://en.wikipedia.org/wiki/C%2B%2B"),
        (SIGNS, "https://en.wikipedia.org/w/index.php?title=C%2B%2B"),
        ("Caf\u00e9 Zo\u00eb", "https://en.wikipedia.org/wiki/Cafe%CC%81_Zo%C3%AB"),
        ("1914\u20131918", "https://en.wikipedia.org/wiki/1914-1918"),
    ],
)
def test_an_address_is_the_article_itself(title, address):
    assert is_itself(address, title, ["wikipedia.org"])


@pytest.mark.parametrize(
    ("title", "address"),
    [
        (BREAD, "https://en.wikipedia.org/wiki/Bread"),
        (BREAD, "https://en.wikipedia.org/wiki/Talk:Salt_bread"),
        (BREAD, "https://en.wikipedia.org/wiki/Bread#Salt_bread"),
        (BREAD, "https://en.wikipedia.org/w/index.php?title=Bread&from=Salt_bread"),
        (BREAD, "https://en.wikipedia.org/wiki/Salt_bread_(film)"),
        (BREAD, "https://notwikipedia.org/wiki/Salt_bread"),
        (BREAD, "http://[broken"),
        (BREAD, "Salt bread"),
        (BREAD, ""),
        (SLASH, "https://en.wikipedia.org/wiki/DC"),
        (SLASH, "https://en.wikipedia.org/wiki/AC"),
        (SLASH, "https://en.wikipedia.org/wiki/ACDC"),
        ("DC", "https://en.wikipedia.org/wiki/AC/DC"),
        (SIGNS, "https://en.wikipedia.org/wiki/C"),
        ("C", "https://en.wikipedia.org/wiki/C++"),
        ("C", "https://en.wikipedia.org/w/index.php?title=C%2B%2B"),
        ("Index", "https://en.wikipedia.org/w/index.php?title=Main_Page"),
    ],
)
def test_an_address_is_another_page(title, address):
    assert not is_itself(address, title, ["wikipedia.org"])
