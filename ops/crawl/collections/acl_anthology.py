"""The ACL Anthology: its metadata XML, a file a collection of volumes, and the PDFs and videos that it names.

Belongs here: the papers of a month. Not here: reading PDFs (ops/parse).
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from ops.crawl.collections.item import Item, WebCollection
from ops.crawl.collections.xml_records import elements, text_of

#: What every paper of it is about, as a reader of subjects knows it.
_SUBJECT = "ACL Anthology"
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
#: Python refuses to read a number of thousands of digits, and reads those of other scripts.
_MONTH = re.compile(r"0{0,9}([1-9]|1[0-2])")


@dataclass(frozen=True)
class AclAnthology(WebCollection):
    """Papers of some files of the Anthology's metadata (`P18`, `2020.acl`)."""

    collections: Sequence[str]
    metadata: str = "https://raw.githubusercontent.com/acl-org/acl-anthology/master/data/xml/"
    files: str = "https://aclanthology.org/"

    def items(self, month: str) -> Iterator[Item]:
        """Yield the papers of volumes of a month that have a PDF; a volume without a month is of January."""
        for name in self.collections:
            url = urljoin(self.metadata, f"{name}.xml")
            for volume in elements(self.client.stream(url), url).iterfind("volume"):
                meta = volume.find("meta")
                if meta is None or _month(text_of(meta.find("year")), text_of(meta.find("month"))) != month:
                    continue
                for paper in volume.iterfind("paper"):
                    if place := text_of(paper.find("url")):
                        elsewhere = "://" in place
                        pdf = place if elsewhere else urljoin(self.files, f"{place}.pdf")
                        number = f"{name}-{volume.get('id')}.{paper.get('id')}" if elsewhere else place
                        about = {"title": text_of(paper.find("title")), "categories": _SUBJECT}
                        if (video := paper.find("video")) is not None and (href := video.get("href")):
                            about["video"] = urljoin(self.files, href)
                        yield Item(number, pdf, month, about=about)


def _month(year: str, month: str) -> str:
    """Return the first month of a conference: "July 28 – August 2", "Jul", "7"."""
    words = re.findall(r"[a-z]+|[0-9]+", month.lower())
    named = [number for word in words for name, number in _MONTHS.items() if name[:3] == word[:3]]
    digits = [int(word) for word in words[:1] if _MONTH.fullmatch(word)]
    return f"{year}-{(named or digits or [1])[0]:02d}"
