"""Collections of papers: the ACL Anthology, arXiv, and S2ORC.

Belongs here: listing the papers of a month, or archives and shards of papers. Not here: reading them
(ops/parse/papers).

The ACL Anthology has XML metadata, in one file per collection of volumes, with names of PDFs and videos.
arXiv offers its records by OAI-PMH, and a bulk listing of archives of PDFs or sources. Semantic Scholar's
datasets API lists the shards of a release of S2ORC.
"""

from __future__ import annotations

import calendar
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit
from xml.etree.ElementTree import Element

from silverloom.ops.crawl.client import FetchError
from silverloom.ops.crawl.collections.item import Item, WebCollection, elements, text_of, texts

#: The subject of every paper in the Anthology.
_SUBJECT = "ACL Anthology"
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
#: ASCII digits only, and not too many: Python's int also accepts other scripts, and refuses thousands of
#: digits.
_MONTH = re.compile(r"0{0,9}([1-9]|1[0-2])")


@dataclass(frozen=True)
class AclAnthology(WebCollection):
    """Papers listed in files of the Anthology's metadata (`P18`, `2020.acl`)."""

    collections: Sequence[str]
    metadata: str = "https://raw.githubusercontent.com/acl-org/acl-anthology/master/data/xml/"
    files: str = "https://aclanthology.org/"

    def items(self, month: str) -> Iterator[Item]:
        """Yield papers with a PDF in volumes of a month; a volume without a month counts as January."""
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
                        if doi := text_of(paper.find("doi")):
                            about["doi"] = doi
                        if (video := paper.find("video")) is not None and (href := video.get("href")):
                            about["video"] = urljoin(self.files, href)
                        yield Item(number, pdf, month, about=about)


def _month(year: str, month: str) -> str:
    """Return the first month of a conference as YYYY-MM: "July 28 – August 2", "Jul", "7"."""
    words = re.findall(r"[a-z]+|[0-9]+", month.lower())
    named = [number for word in words for name, number in _MONTHS.items() if name[:3] == word[:3]]
    digits = [int(word) for word in words[:1] if _MONTH.fullmatch(word)]
    return f"{year}-{(named or digits or [1])[0]:02d}"


_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_ARXIV = "{http://arxiv.org/OAI/arXiv/}"
#: No server accepts an address longer than this.
_LONGEST_TOKEN = 2_000


@dataclass(frozen=True)
class ArxivRecords(WebCollection):
    """The papers of a set (`cs`) that were first submitted in a month, with their PDFs.

    OAI-PMH selects by the date of the last change. So everything changed since the start of the month is
    listed, and papers submitted in the month are kept. Each response has about a thousand records and a token
    for the next one.
    """

    subjects: str = "cs"
    place: str = "https://export.arxiv.org/oai2"
    files: str = "https://export.arxiv.org/pdf/"
    answers: int = 10_000
    """Maximum responses of one list; all of arXiv is about 3,000."""

    def items(self, month: str) -> Iterator[Item]:
        """Yield the papers of a month, without deleted ones. Raises FetchError, also between papers."""
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
        names = [f"{_ARXIV}{name}" for name in ("title", "abstract", "categories", "doi", "license")]
        about = {name.removeprefix(_ARXIV): text for name, text in texts(paper, names)}
        return Item(number, f"{self.files}{quote(number)}", month, about=about)


@dataclass(frozen=True)
class ArxivBulk(WebCollection):
    """The archives of a month, about 500 MB each, as listed in the bulk manifest."""

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


@dataclass(frozen=True)
class S2orcShards(WebCollection):
    """The shards of a release (`2023-04-11`). The API key is in the environment."""

    release: str
    dataset: str = "s2orc"
    place: str = "https://api.semanticscholar.org/datasets/v1/release"
    key_variable: str = "S2_API_KEY"

    def items(self, month: str) -> Iterator[Item]:
        """Yield the shards by name if the release is of this month, with freshly signed addresses.

        Raises LookupError if there is no key, and FetchError.
        """
        if not self.release.startswith(month):
            return
        if not (key := os.environ.get(self.key_variable, "")):
            raise LookupError(f"the environment variable {self.key_variable} holds no key for {self.place}")
        url = f"{self.place}/{self.release}/dataset/{self.dataset}"
        try:
            files = json.loads(self.client.read(url, {"x-api-key": key}))["files"]
            shards = {urlsplit(file).path.rpartition("/")[2]: file for file in files}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise (
                error if isinstance(error, FetchError) else FetchError(f"{url}: no list of files")
            ) from error
        for name, file in sorted(shards.items()):
            yield Item(name, file, month)
