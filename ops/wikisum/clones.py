"""Which pages are not references of an article: the article itself, its copies, duplicates.

Belongs here: which page an address names; recall of shingles or of words by section (Liu et al. 2018, A.2.1);
finding texts that duplicate an earlier one, with datasketch. Not here: the MinHash of a text
(ops/text/minhash.py), pages about something else (topic.py), the thresholds (corpus.py), where a crawl was
redirected (references.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.text.minhash import SCHEME
from silverloom.ops.text.word_numbers import number_words

#: MediaWiki puts the name of a page after this prefix; the name may contain slashes.
_PAGE = re.compile(r"/(?:wiki|index\.php)/(?!index\.php\b)(.+)")
_SUFFIX = re.compile(r"\.html?$", re.IGNORECASE)
#: Separators between the title of a page and the name of its site.
_DASHES = (" - ", " \u2013 ", " \u2014 ")
_SPACES = re.compile(r"[\s_\u2010-\u2015\u2212-]+")


def clone_recall(reference: str, sections: Sequence[str], shingle: int = 1, least: int = 1) -> float:
    """Return the largest share of any section's distinct shingles that a reference contains, from 0 to 1.

    A shingle is a run of `shingle` words (Broder 1997); words are lower-cased runs of letters and digits.
    With shingles of one word, this is the paper's formula. Sections with fewer than `least` distinct
    shingles do not count; if all sections have fewer, the whole article counts as one section. Returns 0 for
    an article without shingles. Raises ValueError if `shingle` or `least` is less than 1.
    """
    return float(clone_recalls([reference], sections, shingle, least)[0])


def clone_recalls(
    references: Sequence[str], sections: Sequence[str], shingle: int = 1, least: int = 1
) -> NDArray[np.float64]:
    """Return `clone_recall` of R references against the sections of one article (R).

    Compiled code reads all references once, however many sections there are. Raises TypeError for a single
    text in place of a list.
    """
    if isinstance(references, str) or isinstance(sections, str):
        raise TypeError("references and sections are lists of texts, also where there is only one: [text]")
    if shingle < 1 or least < 1:
        raise ValueError(f"shingle is {shingle} and least {least}, and both must be at least 1")
    if not sections or not references:
        return np.zeros(len(references))
    from silverloom.ops.wikisum.kernels import greatest_recalls, number_shingles

    many = len(sections)
    words = number_words([*sections, *references], known="\n".join(sections))
    numbers, distinct = words.numbers, words.distinct
    if shingle > 1:
        numbers, distinct = number_shingles(numbers, words.ends, many, shingle)
    parts = [np.unique(numbers[start:end]) for start, end in pairwise(words.ends[: many + 1])]
    parts = [part[part >= 0] for part in parts]
    counted = [part for part in parts if len(part) >= least] or [np.unique(np.concatenate(parts))]
    recalls: NDArray[np.float64] = greatest_recalls(
        numbers,
        words.ends[many:],
        np.concatenate(counted).astype(np.int64),
        np.cumsum([0, *map(len, counted)]),
        distinct,
    )
    return recalls


def is_itself(address: str, title: str, hosts: Sequence[str]) -> bool:
    """Return whether an address on the encyclopedia's hosts, or subdomains of them, names this article.

    Subdomains serve mobile readers and other languages. Fragments, query parameters such as `redirect=no`,
    case and word separators ("_", "-") are ignored. Other characters count: "C++" is not "C". A site that
    does not run MediaWiki names a page by the end of its path, "/salt-bread.html".
    """
    parts = _on(address, hosts)
    return parts is not None and _folded(_page(parts, title.count("/"))) == _folded(title)


def is_titled(address: str, page_title: str, title: str, hosts: Sequence[str]) -> bool:
    """Return whether a page on the encyclopedia's hosts has an article's title, at any address.

    MediaWiki also shows an article under the names that redirect to it. The name of the site may follow the
    title of a page: "Salt bread - Wikipedia".
    """
    names = {page_title, *(page_title.rpartition(dash)[0] for dash in _DASHES)}
    return _on(address, hosts) is not None and _folded(title) in map(_folded, names - {""})


def repeated(signatures: Sequence[Sequence[int]], similarity: float) -> dict[int, tuple[int, float]]:
    """Return the texts that duplicate an earlier one, each with the first such text and their similarity.

    Two texts are duplicates if their estimated Jaccard coefficient is at least `similarity`. Texts that are
    duplicates themselves are not compared with later ones.
    """
    from datasketch import MinHash, MinHashLSH

    if not signatures:
        return {}
    size = len(signatures[0])
    near = MinHashLSH(threshold=similarity, num_perm=size)
    duplicates: dict[int, tuple[int, float]] = {}
    for index, values in enumerate(signatures):
        text = MinHash(num_perm=size, seed=1, scheme=SCHEME, hashvalues=np.array(values, np.uint64))
        close = sorted(
            (other, _similarity(values, signatures[other]))
            for other in near.query(text)
            if _similarity(values, signatures[other]) >= similarity
        )
        if close:
            duplicates[index] = close[0]
        else:
            near.insert(index, text)
    return duplicates


def _on(address: str, hosts: Sequence[str]) -> SplitResult | None:
    """Return the parts of an address on some hosts or their subdomains; None for other addresses."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return None
    return parts if any(host == name or host.endswith(f".{name}") for name in hosts) else None


def _page(parts: SplitResult, slashes: int) -> str:
    """Return the page name in an address; outside MediaWiki, the name contains `slashes` slashes."""
    if match := _PAGE.search(parts.path):
        return unquote(match[1])
    if titles := parse_qs(parts.query).get("title"):
        return titles[-1]
    segments = unquote(parts.path).strip("/").split("/")
    return _SUFFIX.sub("", "/".join(segments[-slashes - 1 :]))


def _folded(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text).casefold()).strip(" /")


def _similarity(one: Sequence[int], other: Sequence[int]) -> float:
    return float(np.mean(np.asarray(one) == np.asarray(other)))
