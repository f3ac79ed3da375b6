"""arXiv: its records by OAI-PMH, and its bulk listing of archives of PDFs or sources.

Belongs here: the papers, or the archives, of a month. Not here: reading them (ops/parse).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree.ElementTree import Element

from ops.crawl.client import FetchError
from ops.crawl.collections.item import Item, WebCollection
from ops.crawl.collections.xml_records import elements, text_of, texts

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_ARXIV = "{http://arxiv.org/OAI/arXiv/}"
#: An address that is longer is one that no server takes.
_LONGEST_TOKEN = 2_000


@dataclass(frozen=True)
class ArxivRecords(WebCollection):
    """The papers of a set (`cs`) that were first submitted in a month, with their PDFs.

    OAI-PMH selects by the date of the last change: all that changed since the month began is listed, and what
    was submitted in it is kept. It comes in answers of about a thousand records, with a token for the next.
    """

    subjects: str = "cs"
    place: str = "https://export.arxiv.org/oai2"
    files: str = "https://export.arxiv.org/pdf/"
    answers: int = 10_000
    """The most of one list; all of arXiv is some 3,000."""

    def items(self, month: str) -> Iterator[Item]:
        """Yield the papers of a month; deleted ones are none. Raises FetchError, also in the middle."""
        query = f"?verb=ListRecords&metadataPrefix=arXiv&set={quote(self.subjects)}&from={month}-01"
        asked: set[str] = set()
        while query:
            if query in asked:
                raise FetchError(f"{self.place}{query}: the list leads to itself")
            if len(asked) == self.answers:
                raise FetchError(f"{self.place}{query}: the list does not end within {self.answers} answers")
            asked.add(query)
            url = f"{self.place}{query}"
            root = elements(self.client.stream(url), url)
            fault = root.find(f"{_OAI}error")
            if fault is not None and fault.get("code") == "noRecordsMatch":
                return
            listed = root.find(f"{_OAI}ListRecords")
            if fault is not None or listed is None:
                raise FetchError(f"{url}: {text_of(fault) or 'no list of records'}")
            for record in listed.iterfind(f"{_OAI}record"):
                paper = record.find(f"{_OAI}metadata/{_ARXIV}arXiv")
                if paper is not None and text_of(paper.find(f"{_ARXIV}created")).startswith(month):
                    yield self._item(paper, month)
            token = text_of(listed.find(f"{_OAI}resumptionToken"))
            if len(token) > _LONGEST_TOKEN:
                raise FetchError(f"{url}: a resumption token of {len(token)} characters")
            query = f"?verb=ListRecords&resumptionToken={quote(token, safe='')}" if token else ""

    def _item(self, paper: Element, month: str) -> Item:
        number = text_of(paper.find(f"{_ARXIV}id"))
        names = [f"{_ARXIV}{name}" for name in ("title", "abstract", "categories", "license")]
        about = {name.removeprefix(_ARXIV): text for name, text in texts(paper, names)}
        return Item(number, f"{self.files}{quote(number)}", month, about=about)


@dataclass(frozen=True)
class ArxivBulk(WebCollection):
    """The archives of a month, of about 500 MB each, as the bulk manifest lists them."""

    manifest: str = "https://arxiv.org/arXiv_pdf_manifest.xml"
    files: str = "https://arxiv.org/"

    def items(self, month: str) -> Iterator[Item]:
        """Yield the archives of a month. Raises FetchError."""
        for file in elements(self.client.stream(self.manifest), self.manifest).iterfind("file"):
            digits = text_of(file.find("yymm"))
            century = "19" if digits > "9000" else "20"
            if f"{century}{digits[:2]}-{digits[2:]}" == month:
                name = text_of(file.find("filename"))
                about = dict(texts(file, ("first_item", "last_item", "num_items", "size", "md5sum")))
                yield Item(name, f"{self.files}{quote(name)}", month, about=about)
