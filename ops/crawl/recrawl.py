"""What the former version of a crawl tells of pages that are asked for again.

Belongs here: conditions, and whether a page is what it was. Not here: reading the former version (former.py),
asking (spider.py, collect.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from ops.crawl.journal import UNCHANGED, Journal, UrlOutcome


@dataclass(frozen=True)
class FormerVersion:
    """The pages of a journal; of none where nothing was crawled before."""

    journal: Journal | None

    def entry(self, url: str) -> UrlOutcome | None:
        """Return what became of a URL."""
        return self.journal.entries.get(url) if self.journal else None

    def conditions(self, url: str) -> dict[str, str]:
        """Return headers that ask for a page on condition that it changed; none where it has no record."""
        entry = self._recorded(url)
        found = {"If-None-Match": entry.etag, "If-Modified-Since": entry.last_modified} if entry else {}
        return {name: value for name, value in found.items() if value}

    def unchanged(self, url: str) -> tuple[UrlOutcome, bytes]:
        """Return the outcome and the record of a page that was asked for on condition, and did not change.

        Raises LookupError where it has no record.
        """
        if (entry := self._recorded(url)) is None:
            raise LookupError(f"{url}: unchanged")
        return entry.model_copy(update={"unchanged": True}), self._record(entry)

    def as_it_was(self, url: str) -> tuple[UrlOutcome, bytes]:
        """Return the outcome and the record of what cannot be asked for again."""
        entry = self.entry(url)
        if entry is None:
            return UrlOutcome(url=url, fate="rejected", cause="what lists it cannot be read again"), b""
        copied = self.entry(entry.copy_of)
        if copied is None or copied.fate != "fetched":
            return entry, self._record(entry)
        # Its record is the other's, which may not be there any more.
        return entry.model_copy(update={"fate": "fetched", "cause": "", "detail": ""}), self._record(copied)

    def compared(self, entry: UrlOutcome, record: bytes) -> tuple[UrlOutcome, bytes]:
        """Return the outcome and the record of a page that was fetched: the former ones if it is the same."""
        former = self.entry(entry.url)
        if former is None or (former.digest, former.final_url) != (entry.digest, entry.final_url):
            return entry, record
        if self._recorded(entry.url) is None:  # it was the copy of another page
            return entry.model_copy(update={"unchanged": True}), record
        told = {name: getattr(entry, name) for name in ("etag", "last_modified", "about")}
        former, record = self.unchanged(entry.url)
        return former.model_copy(update=told), record

    def _record(self, entry: UrlOutcome) -> bytes:
        return self.journal.record(entry) if self.journal else b""

    def _recorded(self, url: str) -> UrlOutcome | None:
        """Return the outcome of a page whose record is at hand, or left out because it did not change."""
        entry = self.entry(url)
        recorded = entry is not None and (entry.fate == "fetched" or entry.cause == UNCHANGED)
        return entry if recorded else None
