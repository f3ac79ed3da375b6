"""Pages that say that there is no page, although the server answered as if there were one.

Belongs here: telling such a page, a soft 404 (Bar-Yossef et al. 2004), by its words. Not here: dropping it
(corpus.py), pages that a server refused (ops/crawl).
"""

from __future__ import annotations

import re

#: A page with more words has something to say, whatever its title.
MOST_WORDS = 200
#: Where such a page says so: characters of its text.
_BEGINNING = 400

_THING = r"(?:page|document|file|article|story|content|link|url|address|item|resource|post|product)s?"
_NOT = r"(?:not|(?:ca|could|is|was|does)n.t|cannot)"
_MISSING = rf"""
    {_NOT} \s (?:be \s | seem \s to \s)? (?:found | find | available | located | exist)
    | unavailable | no \s longer \s (?:exists? | available | here | active)
    | (?:has | have) \s been \s (?:removed | deleted | moved | renamed)
"""
_SAID = re.compile(
    rf"""
    \b {_THING} \b [^.!?\n]{{0,60}}? \b (?:{_MISSING}) \b
    | \b (?:{_NOT} | unable \s to) \s (?:be \s)? (?:found | find) \b [^.!?\n]{{0,40}} \b {_THING} \b
    | \b (?:error | http | status | code) \W{{0,3}} (?:404 | 410) \b
    | \b (?:404 | 410) \W{{0,3}} (?:error | not \s found | gone) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: A title that is nothing else: "404", "Not found | Example".
_TITLE = re.compile(r"^\W*(?:404|410|(?:page )?not found|error)\W*(?:[|:\u2013\u2014-]|$)", re.IGNORECASE)


def is_soft_404(title: str, text: str) -> bool:
    """Return whether a page of few words begins by saying that there is no page, or has such a title."""
    if len(text.split()) > MOST_WORDS:
        return False
    return bool(_TITLE.search(title) or _SAID.search(title) or _SAID.search(text[:_BEGINNING]))
