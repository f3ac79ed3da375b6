"""What the lines of a list stand for, written into the journal of a crawl before any of it is fetched.

Belongs here: a listing as an outcome, and what one line may cost. Not here: who lists (collections/,
searched.py), fetching what is listed (collect.py, spider.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ops.crawl.client import FetchError
from ops.crawl.journal import Journal, UrlOutcome
from ops.crawl.recrawl import FormerVersion
from ops.parse.bounded.bounds import TooLongError, computing_at_most

#: Of the processor, for what one line lists.
_SECONDS = 600


def list_lines(
    lines: Sequence[str],
    addresses: Callable[[str], Iterable[str]],
    journal: Journal,
    former: FormerVersion,
    tell: Callable[[int, int], None],
) -> None:
    """Write down the addresses that each line lists.

    A line that cannot be listed costs itself alone; it keeps what it listed before. `tell` is called with how
    many lines and addresses are done, and how many are known.
    """
    for number, line in enumerate(lines, start=1):
        try:
            with computing_at_most(_SECONDS):
                links = tuple(addresses(line))
            "".join(links).encode()  # what is no text cannot be written
        except Exception as error:  # whatever a library raises at an answer that no provider gives
            journal.add(_not_listed(line, cause_of(error), journal, former))
        else:
            journal.add(UrlOutcome(url=line, fate="listing", links=links))
        done = len(journal.entries)
        tell(done, done + len(lines) - number)


def _not_listed(line: str, cause: str, journal: Journal, former: FormerVersion) -> UrlOutcome:
    """Return the outcome of a line that cannot be listed, with the items that it listed before."""
    entry = journal.entries.get(line) or former.entry(line)
    if entry is None or entry.fate != "listing":
        return UrlOutcome(url=line, fate="rejected", cause=cause)
    return entry.model_copy(update={"cause": f"{cause}; its {len(entry.links)} items are as they were"})


def cause_of(error: Exception) -> str:
    """Return what an error says, as text that can be written."""
    if isinstance(error, MemoryError):
        return "what was answered takes too much memory"
    told = isinstance(error, (FetchError, LookupError, TooLongError))
    cause = str(error) if told else f"{type(error).__name__}: {error}"
    return cause.encode(errors="replace").decode()
