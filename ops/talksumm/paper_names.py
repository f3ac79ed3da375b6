"""Names of papers: what the metadata of a talk and the document of a paper call it.

Belongs here: recognising ids of the ACL Anthology and of arXiv, DOIs and addresses, in one form for both
sides, and the papers of all months by name. Not here: reading metadata (sources/talks.py), titles
(matching.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from silverloom.ops.core.joins import matches, stored
from silverloom.ops.core.parts import Parts

#: Columns of a talk's metadata that may name its paper; the first must name one that is there.
PAPER = "paper"
COLUMNS = (PAPER, "doi", "anthology_id", "url")

#: A paper by one of its names.
NAMED = pa.schema([("name", pa.string()), ("id", pa.string()), ("title", pa.string())])

_ANTHOLOGY = r"(?:[a-z]\d{2}-\d{4}|\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+)"
_ARXIV = r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
_VERSION = r"(?:v\d+)?"
_DOI = re.compile(r"10\.\d{4,9}[/_]\S+")
_ID = re.compile(rf"(?P<acl>{_ANTHOLOGY}){_VERSION}|(?:arxiv:\s*)?(?P<arxiv>{_ARXIV}){_VERSION}")
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?(?P<host>[\w.-]+\.[a-z]{2,})/(?P<path>[^?#]*)")
_FILE_NAME = re.compile(r"\.(?:pdf|html?|xml|txt|json)$")
_OF_REGISTRARS = re.compile(
    rf"10\.(?:18653|3115)/v1/(?P<acl>{_ANTHOLOGY})|10\.48550/arxiv\.(?P<arxiv>{_ARXIV})"
)
_HOSTS = {
    "aclanthology.org": rf"(?:.*/)?(?P<acl>{_ANTHOLOGY}){_VERSION}(?:\.pdf)?/?",
    "aclweb.org": rf"(?:.*/)?(?P<acl>{_ANTHOLOGY}){_VERSION}(?:\.pdf)?/?",
    "arxiv.org": rf"(?:abs|pdf|html)/(?P<arxiv>{_ARXIV}){_VERSION}(?:\.pdf)?/?",
}


def names_of_paper(document: str, title: str = "") -> list[str]:
    """Return the names of a paper whose document in its source is called `document`."""
    name = document.strip().lower()
    titles = [_title(title)] if title else []
    return list(dict.fromkeys([f"document:{name}", *titles, *_ids(name)]))


def names_given(metadata: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (column, name) for every name of a paper in a talk's row of metadata.

    Columns are those of `COLUMNS`, in any case. `paper` is the name of the paper's document, its title, or
    anything that the others may be. `url` may be the talk's own address, which names no paper.
    """
    values = {re.sub(r"[\s-]", "_", name.strip().lower()): value.strip() for name, value in metadata.items()}
    for column in COLUMNS:
        value = values.get(column, "").lower()
        address = _ADDRESS.fullmatch(value.partition("?")[0].partition("#")[0])
        names = _ids(value)
        if column == PAPER and value:
            last = value.rstrip("/").rpartition("/")[2] if address else value
            names = [
                f"document:{_FILE_NAME.sub('', last)}",
                *([_title(value)] if " " in value else ()),
                *names,
            ]
        yield from ((column, name) for name in dict.fromkeys(names))


def papers_named(talks: Parts, papers: Parts, folder: Path) -> Parts:
    """Return, for each part of `talks`, the papers whose names their metadata give, as rows of `NAMED`.

    The parts are written to `folder`, which is created.
    """
    given = [
        {
            entry["name"]
            for entries in part.read(["paper_names"])["paper_names"].to_pylist()
            for entry in entries or ()
        }
        for part in talks.parts
    ]
    names = stored(_named(papers) if any(given) else (), NAMED, talks, folder / "names")
    return matches(names, "name", given, folder / "found")


def _named(papers: Parts) -> Iterator[pa.Table]:
    for part in papers.parts:
        rows = part.read(["id", "document", "title"]).to_pylist()
        yield pa.Table.from_pylist(
            [
                {"name": name, "id": row["id"], "title": row["title"] or row["document"]}
                for row in rows
                for name in names_of_paper(row["document"] or "", row["title"] or "")
            ],
            NAMED,
        )


def _title(text: str) -> str:
    return "title:" + " ".join(re.findall(r"\w+", text.lower()))


def _ids(value: str) -> list[str]:
    """Return the ids in lower-case text that is an id, a file named by one, a DOI, or an address of one."""
    if match := _ID.fullmatch(_FILE_NAME.sub("", value)):
        return [_id(match)]
    address = _ADDRESS.fullmatch(value.partition("?")[0].partition("#")[0])
    if address and (form := _HOSTS.get(address["host"])) and (match := re.fullmatch(form, address["path"])):
        return [_id(match)]
    doi = _DOI.search(unquote(value)) if not address or address["host"].endswith("doi.org") else None
    if doi is None:
        return []
    plain = doi.group().rstrip(".,;)").replace("_", "/", 1)
    # File names have an underscore in place of the slash.
    named = [f"doi:{plain.replace('/', '_')}"]
    registered = _OF_REGISTRARS.fullmatch(plain.replace("v1_", "v1/"))
    return [*named, _id(registered)] if registered else named


def _id(match: re.Match[str]) -> str:
    [(scheme, name)] = [(scheme, name) for scheme, name in match.groupdict().items() if name]
    return f"{scheme}:{name}"
