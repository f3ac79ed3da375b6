"""Look up the captures of many addresses in Common Crawl's columnar index: Parquet files sorted by SURT.

Belongs here: the key of an address, choosing row groups, the join with the addresses, and storing its results
for an interrupted run. Not here: where the files are (places.py), the records of the captures (fetch.py).

Columns are those of cc-index-table (github.com/commoncrawl/cc-index-table, cc-index-schema-flat.json). Only
row groups whose statistics may include one of the hosts, in the period, are read. DuckDB does the join and
spills to disk; its results are stored after each file.

SURT keys follow the Internet Archive's canonicalizer (WaybackURLKeyMaker of webarchive-commons), as far as
its rules are documented. An address with other peculiarities is found by the address as written (`bare`).
"""

from __future__ import annotations

import hashlib
import re
import shutil
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.crawl.captures.places import RangedFile, RangedPlace
from silverloom.ops.parse.bounded.bounds import TooLongError, computing_at_most

#: Folder of the lookup results, in the crawl's folder.
FOUND = "captures"

_COLUMNS = pa.schema(
    [
        ("url_surtkey", pa.string()),
        ("url", pa.string()),
        ("fetch_time", pa.timestamp("us")),
        ("fetch_status", pa.int32()),
        ("warc_filename", pa.string()),
        ("warc_record_offset", pa.int64()),
        ("warc_record_length", pa.int64()),
    ]
)
#: Exists since CC-MAIN-2019-47.
_TRUNCATED = "content_truncated"
_ROW = _COLUMNS.append(pa.field("truncated", pa.string()))
#: Bytes of a column requested at once; rows in memory.
_BUFFER, _ROWS = 2**22, 2**15
#: CPU seconds for one file of the index, which is about a GB.
_SECONDS = 1200
_DUCKDB = {
    "threads": "1",
    "memory_limit": "1GB",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

#: Exceptions of libraries for a damaged file, or one that was made to use too many resources.
_DAMAGE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    MemoryError,
    TooLongError,
    duckdb.Error,
    pa.ArrowException,
)

_BEST = pa.struct(
    [
        ("time", pa.string()),
        ("found", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("truncated", pa.string()),
    ]
)
_MATCHES = pa.schema(
    [("url", pa.string()), ("best", _BEST), ("elsewhen", pa.string()), ("status", pa.int32())]
)

#: Results of one file for each address: the last good capture in the period, the time of the last good
#: capture of all, and the status of one that is not good.
_OF_FILE = """
    WITH found AS (
        SELECT wanted.url AS address, seen.* FROM wanted JOIN seen ON seen.url_surtkey = wanted.surt
        UNION
        SELECT wanted.url, seen.* FROM wanted JOIN seen ON seen.bare = wanted.bare
    )
    SELECT address AS url,
        max({'time': time, 'found': url, 'file': warc_filename, 'offset': warc_record_offset,
             'length': warc_record_length, 'truncated': truncated})
            FILTER (fetch_status = 200 AND starts_with(time, $period)) AS best,
        max(time) FILTER (fetch_status = 200) AS elsewhen,
        min(fetch_status) FILTER (fetch_status <> 200) AS status
    FROM found GROUP BY address
"""
_OF_ALL = """
    SELECT wanted.url, max(best) AS best, max(elsewhen) AS elsewhen, min(status) AS status
    FROM wanted LEFT JOIN found ON found.url = wanted.url
    GROUP BY wanted.url ORDER BY max(best).file, max(best).offset, wanted.url
"""
_SEEN = r"""
    CREATE OR REPLACE TEMP TABLE seen AS
    SELECT *, strftime(fetch_time, '%Y-%m-%dT%H:%M:%SZ') AS time,
        regexp_replace(url, '^https?://', '', 'i') AS bare
    FROM rows WHERE split_part(url_surtkey, ')', 1) IN (SELECT host FROM wanted)
"""


class Capture(NamedTuple):
    """What the index has for an address: its last good capture, or why it is missing."""

    url: str
    best: Mapping[str, Any] | None
    """`time`, `found` (the captured address), `file`, `offset`, `length`, `truncated`."""
    elsewhen: str | None
    """The time of its last good capture, in or out of the period."""
    status: int | None
    """The status of a capture that is not good."""


@dataclass(frozen=True)
class IndexQuery:
    """A query to an index: addresses, and the period of captures, such as `2018-06`; "" for any."""

    folder: Path
    """The crawl's folder, in which results are stored."""
    wanted: Sequence[str]
    period: str
    digest: str
    """Digest of the options. Results stored under other options are discarded."""

    def captures(
        self, place: RangedPlace, names: Sequence[str], tell: Callable[[], None]
    ) -> tuple[Iterator[Capture], dict[str, str]]:
        """Return what the files `names` of a place have for every address, in the order of WARC files.

        Also returns unreadable files, with the cause: captures in them are unknown. Files that were looked up
        before are not read again. `tell` is called after each file. Raises FetchError if a file is not
        available.
        """
        wanted = self._wanted()
        faults: dict[str, str] = {}
        with duckdb.connect(config={**_DUCKDB, "temp_directory": str(self._stored / "spill")}) as db:
            db.register("addresses", wanted)
            db.execute("CREATE TEMP TABLE wanted AS SELECT * FROM addresses")
            hosts = HostRanges.of(wanted["host"].unique().to_pylist())
            for name in names:
                path = self._path(name)
                if (captures := _read(path)) is None:
                    captures = _look_up(db, place, name, hosts, self.period)
                    _write(captures, path)
                if (fault := (captures.schema.metadata or {}).get(b"fault")) is not None:
                    faults[name] = fault.decode()
                tell()
        return self._merged(wanted, names), faults

    def _merged(self, wanted: pa.Table, names: Sequence[str]) -> Iterator[Capture]:
        with duckdb.connect(config={**_DUCKDB, "temp_directory": str(self._stored / "spill")}) as db:
            tables = (_read(self._path(name)) for name in names)
            batches = (batch for table in tables if table is not None for batch in table.to_batches())
            db.register("wanted", wanted)
            db.register("found", pa.RecordBatchReader.from_batches(_MATCHES, batches))
            for batch in db.sql(_OF_ALL).to_arrow_reader(_ROWS):
                for row in batch.to_pylist():
                    yield Capture(**row)

    @property
    def _stored(self) -> Path:
        return self.folder / FOUND

    def _path(self, name: str) -> Path:
        return self._stored / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.parquet"

    def _wanted(self) -> pa.Table:
        """Return the addresses with their keys; those stored by an interrupted run, if they include all."""
        path = self._stored / "wanted.parquet"
        mark = f"{self.digest} {self.period}".encode()
        known = _read(path)
        same = known is not None and (known.schema.metadata or {}).get(b"mark") == mark
        if known is not None and same and {*known["url"].to_pylist()} >= {*self.wanted}:
            return known
        shutil.rmtree(self._stored, ignore_errors=True)
        self._stored.mkdir(parents=True)
        keys = [keys_of(url) for url in self.wanted]
        columns = {
            "url": [*self.wanted],
            "surt": [key.surt for key in keys],
            "bare": [key.bare for key in keys],
            "host": [key.host for key in keys],
        }
        table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
        _write(table.replace_schema_metadata({b"mark": mark}), path)
        return table


@dataclass(frozen=True)
class HostRanges:
    """Ranges of hosts' keys in SURT order, starting with `com,example)` or `com,example:8080)`."""

    begins: Sequence[str]
    ends: Sequence[str]
    """For each range, the greatest end of it and all before it."""

    @classmethod
    def of(cls, hosts: Collection[str]) -> HostRanges:
        """Return the ranges of the keys of hosts."""
        begins = sorted(f"{host})" for host in hosts)
        return cls(begins, [*accumulate((f"{begin[:-1]}*" for begin in begins), max)])

    def between(self, least: str, most: str) -> bool:
        """Say whether any key from `least` to `most` may belong to one of the hosts."""
        index = bisect_right(self.begins, most)
        return index > 0 and self.ends[index - 1] > least


def _look_up(
    db: duckdb.DuckDBPyConnection, place: RangedPlace, name: str, hosts: HostRanges, period: str
) -> pa.Table:
    """Return what one file has for the addresses; an empty table with a `fault` if it is unreadable."""
    file = RangedFile(place, name)
    try:
        with computing_at_most(_SECONDS):
            parquet = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
            groups = row_groups(parquet, hosts.between, period)
            db.register("rows", pa.RecordBatchReader.from_batches(_ROW, _rows(parquet, groups)))
            db.execute(_SEEN)
            return db.sql(_OF_FILE, params={"period": period}).to_arrow_table().cast(_MATCHES)
    except _DAMAGE as error:
        if file.failed is not None:
            raise file.failed from error
        told = " ".join(str(error).split())[:300] or type(error).__name__
        return _MATCHES.empty_table().replace_schema_metadata({b"fault": told.encode(errors="replace")})


def row_groups(parquet: pq.ParquetFile, between: Callable[[str, str], bool], period: str) -> list[int]:
    """Return the row groups of a file that may have keys that `between` accepts, in a period.

    Statistics decide; a group without statistics is read. Raises ValueError if columns of the index are
    missing.
    """
    names = [parquet.metadata.schema.column(index).path for index in range(parquet.metadata.num_columns)]
    if missing := [name for name in _COLUMNS.names if name not in names]:
        raise ValueError(f"it has no column {', '.join(missing)}")
    key, time = names.index("url_surtkey"), names.index("fetch_time")
    groups = []
    for index in range(parquet.metadata.num_row_groups):
        group = parquet.metadata.row_group(index)
        keys, times = group.column(key).statistics, group.column(time).statistics
        may = keys is None or not keys.has_min_max or between(str(keys.min), str(keys.max))
        if may and times is not None and times.has_min_max and hasattr(times.min, "isoformat"):
            may = times.min.isoformat()[: len(period)] <= period <= times.max.isoformat()[: len(period)]
        if may:
            groups.append(index)
    return groups


def _rows(parquet: pq.ParquetFile, groups: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of row groups in small batches."""
    optional = [_TRUNCATED] if _TRUNCATED in parquet.schema_arrow.names else []
    columns = [*_COLUMNS.names, *optional]
    for group in groups:  # one by one: an empty list would mean all
        for batch in parquet.iter_batches(_ROWS, row_groups=[group], columns=columns, use_threads=False):
            arrays = [batch.column(field.name).cast(field.type, safe=False) for field in _COLUMNS]
            truncated = (
                batch.column(_TRUNCATED).cast(pa.string()) if optional else pa.nulls(len(batch), pa.string())
            )
            yield pa.RecordBatch.from_arrays([*arrays, truncated], schema=_ROW)


def _write(table: pa.Table, path: Path) -> None:
    """Write a table atomically."""
    aside = path.with_suffix(".new")
    pq.write_table(table, aside, write_page_checksum=True)
    aside.replace(path)


def _read(path: Path) -> pa.Table | None:
    """Return a table, or None if it does not exist or is damaged."""
    try:
        return pq.read_table(path, page_checksum_verification=True)
    except (OSError, ValueError):
        return None


_WWW = re.compile(r"www\d*\.")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_PATH_SESSION = re.compile(r";jsessionid=[0-9a-z]{32}$")
_DEFAULT_PORTS = {"http": 80, "https": 443}
#: Maximum levels of escaping that are undone: `%252541` becomes `A`.
_UNESCAPED = 5


class AddressKeys(NamedTuple):
    """Keys for finding captures of an address."""

    surt: str
    bare: str
    """The address without scheme and fragment."""

    @property
    def host(self) -> str:
        """The host, with a port unless it is the scheme's default, in SURT form: `com,example`."""
        return self.surt.partition(")")[0]


def keys_of(url: str) -> AddressKeys:
    """Return the keys of a web address. Raises ValueError if it is invalid.

    >>> keys_of("https://www.example.com/A/?b=2&a=1#c")
    AddressKeys(surt='com,example)/a?a=1&b=2', bare='www.example.com/A/?b=2&a=1')
    """
    parts = urlsplit(url)
    bare = _SCHEME.sub("", url.partition("#")[0], count=1)
    path = _PATH_SESSION.sub("", _escaped(parts.path or "/").lower())
    path = path.removesuffix("/") or "/"
    query = _SESSION.sub("", _escaped(parts.query).lower()).removesuffix("&")
    sorted_query = "&".join(sorted(query.split("&")))
    return AddressKeys(f"{_host(parts)}){path}{'?' if sorted_query else ''}{sorted_query}", bare)


def _host(parts: SplitResult) -> str:
    """Return the host with its labels reversed, without `www`. Raises ValueError if it is invalid."""
    name = (parts.hostname or "").rstrip(".")
    if not name.isascii():
        name = name.encode("idna").decode()  # a UnicodeError is a ValueError
    port = parts.port
    name = _WWW.sub("", name, count=1) if _WWW.match(name) else name
    host = name if ":" in name else ",".join(reversed(name.split(".")))
    return host if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"


def _escaped(text: str) -> str:
    """Return a path or query in which only the necessary characters are escaped."""
    content = text.encode(errors="replace")
    for _ in range(_UNESCAPED):
        former, content = content, unquote_to_bytes(content)
        if former == content:
            break
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte not in b"#%" else f"%{byte:02x}" for byte in content
    )
