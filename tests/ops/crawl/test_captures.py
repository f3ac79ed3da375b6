"""Captures of Common Crawl, looked up in its columnar index and read as ranges of WARC files."""

import gzip
import json
import threading
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.crawl.captures.fetch import CapturePlace, fetch_captures, spans
from silverloom.ops.crawl.captures.index import FOUND, Capture, HostRanges, keys_of, row_groups
from silverloom.ops.crawl.captures.places import CaptureOptions
from silverloom.ops.crawl.cited import FORMATS, crawl_cited
from silverloom.ops.crawl.client import FetchError
from silverloom.ops.crawl.crawl import CrawlError
from silverloom.ops.crawl.journal import FormerVersion, Journal, UrlOutcome
from silverloom.ops.crawl.options import CAPTURES, CrawlPlace
from silverloom.ops.parse.warc import CrawledRows
from tests.ops.crawl.common_crawl import CRAWL, CommonCrawl
from tests.ops.crawl.crawling import MONTH, QUICK, articles, record_at
from tests.ops.crawl.hostile import answering, reply

OPTIONS = {**QUICK, "licence": "LicenseRef-web"}


def fetched(tmp_path, urls, period=MONTH, options=None, former=None, working="working", tell=None):
    """Fetch the captures of one article's citations; return outcomes by address, and the records."""
    given = CaptureOptions.model_validate({**OPTIONS, **(options or {"index": "cc", "files": "cc"})})
    place = CapturePlace(tmp_path / working, tmp_path, given.digest)
    journal = Journal(place.folder, given.digest)
    journal.add(UrlOutcome(url="article", fate="listing", links=tuple(urls)))
    fetch_captures(
        ["article"], period, given, place, journal, FormerVersion(former), tell or (lambda done, known: None)
    )
    outcomes = {url: journal.entries[url] for url in journal.entries if url != "article"}
    records = {url: journal.record(entry) for url, entry in outcomes.items()}
    journal.close()
    return outcomes, records


@pytest.fixture
def cc(tmp_path):
    return CommonCrawl(tmp_path / "cc")


@pytest.mark.parametrize(
    ("url", "surt"),
    [
        ("http://archive.org", "org,archive)/"),
        ("http://archive.org:80/", "org,archive)/"),
        ("https://www2.archive.org:8080/", "org,archive:8080)/"),
        ("http://archive.org/goo/?", "org,archive)/goo"),
        ("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"),
        ("http://example.com/app?item=Wroc%C5%82aw", "com,example)/app?item=wroc%c5%82aw"),
        ("http://192.168.1.254/info/", "254,1,168,192)/info"),
        ("http://müller.example/a b#c", "example,xn--mller-kva)/a%20b"),
        (
            "http://archive.org/index.php?PHPSESSID=0123456789abcdefghijklemopqrstuv&action=profile;u=4221",
            "org,archive)/index.php?action=profile;u=4221",
        ),
        (
            "http://a.example/v.gif?&r=http%3A//web.example/1/http%3A//b.example/&b=N%205.0%20%28W%3B%20en-US%29",
            "example,a)/v.gif?&b=n%205.0%20(w;%20en-us)&r=http://web.example/1/http://b.example/",
        ),
    ],
)
def test_keys_follow_the_documentation_of_the_archive(url, surt):
    assert keys_of(url).surt == surt


def test_the_last_good_capture_of_the_month_is_used_and_addresses_without_one_say_why(tmp_path, cc):
    cc.capture("http://a.example/page", "2018-06-02", b"<p>first")
    cc.capture("https://www.a.example/page/", "2018-06-20", b"<p>last", content_truncated="length")
    cc.capture("http://a.example/page", "2018-06-25", b"gone", status=404)
    cc.capture("http://a.example/page", "2018-07-01", b"<p>of July")
    cc.capture("http://b.example/", "2018-07-02", b"<p>of July")
    cc.capture("http://c.example/", "2018-06-02", status=301)
    cc.capture("http://d.example/?a=1&b=2", "2018-06-02", b"<p>d")
    cc.write(files=2)
    urls = ["http://a.example/page", "http://b.example/", "http://c.example/", "http://d.example/?b=2&a=1"]
    urls += ["http://nowhere.example/", "ftp://a.example/", "http://localhost/", "http://[", "no address"]
    found, records = fetched(tmp_path, urls)

    entry = found["http://a.example/page"]
    assert (entry.final_url, entry.date) == ("https://www.a.example/page/", "2018-06-20T00:00:00Z")
    assert (entry.status, entry.content_type, entry.bytes) == (200, "text/html; charset=utf-8", 7)
    assert entry.about["truncated"] == "length"
    name, _, place = entry.about["warc"].partition("#bytes=")
    first, last = map(int, place.split("-"))
    assert (tmp_path / "cc" / name).read_bytes()[first : last + 1] == records[entry.url], "identical bytes"
    record = record_at(records[entry.url])
    assert record.rec_headers.get_header("WARC-Payload-Digest") == entry.digest
    assert found["http://d.example/?b=2&a=1"].final_url == "http://d.example/?a=1&b=2"
    lost = {url: (entry.fate, entry.cause, entry.detail) for url, entry in found.items() if not entry.digest}
    assert lost == {
        "http://b.example/": ("dropped", "not_in_period", "its last good capture is of 2018-07-02T00:00:00Z"),
        "http://c.example/": ("dropped", "no_good_capture", "status 301"),
        "http://nowhere.example/": ("dropped", "not_in_index", "cc, captures of 2018-06"),
        "ftp://a.example/": ("rejected", "the scheme 'ftp' is neither http nor https", ""),
        "http://localhost/": ("rejected", "localhost is this machine", ""),
        "http://[": ("rejected", "no URL: Invalid IPv6 URL", ""),
        "no address": ("rejected", "the scheme '' is neither http nor https", ""),
    }
    assert {*found} == {*urls}


def test_the_last_capture_of_a_given_crawl_is_used_whatever_its_time(tmp_path, cc):
    cc.capture("http://a.example/", "2018-07-01", b"<p>of July")
    cc.write()
    options = {"index": "cc", "files": "cc", "crawl": CRAWL}
    found, _ = fetched(tmp_path, ["http://a.example/"], options=options)
    assert found["http://a.example/"].date == "2018-07-01T00:00:00Z"
    with pytest.raises(FetchError, match="no Parquet files of crawl=CC-MAIN-2017-01 of subset=warc"):
        fetched(tmp_path, ["http://a.example/"], options={**options, "crawl": "CC-MAIN-2017-01"}, working="b")


def test_an_address_whose_key_follows_no_known_rule_is_looked_up_literally(tmp_path, cc):
    cc.capture("http://a.example/x;session=1", "2018-06-01", b"<p>x", url_surtkey="example,a)/another")
    cc.write()
    found, _ = fetched(tmp_path, ["https://a.example/x;session=1"])
    assert found["https://a.example/x;session=1"].final_url == "http://a.example/x;session=1"


def many(cc, hosts=40):
    for number in range(hosts):
        cc.capture(f"http://h{number:02d}.example/", "2018-06-01", b"<p>%d" % number, warc=f"w{number % 4}")


def test_row_groups_without_the_hosts_are_not_read_and_near_records_come_in_one_request(tmp_path, cc):
    many(cc)
    (name,) = cc.write(group=4)
    urls = [f"http://h{number:02d}.example/" for number in (8, 12, 16)]
    with answering({"*": cc.route}) as (site, asked):
        options = {"index": f"{site}/cc-index-table.paths", "files": f"{site}/"}
        found, _ = fetched(tmp_path, urls, options=options)
    assert [found[url].fate for url in urls] == ["fetched"] * 3
    of_warcs = [path for path, _, _ in asked if "warc.gz" in path]
    assert len(of_warcs) == 1, "three neighbouring records of one file"
    groups = pq.ParquetFile(tmp_path / "cc" / name).metadata
    needed, others = [], []
    for number in range(groups.num_row_groups):
        group = groups.row_group(number)
        column = next(
            group.column(n) for n in range(group.num_columns) if group.column(n).path_in_schema == "url"
        )
        begin = column.dictionary_page_offset or column.data_page_offset
        (needed if 2 <= number <= 4 else others).append((begin, begin + column.total_compressed_size))
    ranges = [
        headers["Range"].removeprefix("bytes=").split("-") for path, headers, _ in asked if name in path
    ]
    read = [(int(first), int(last) + 1) for first, last in ranges]
    footer = max(end for _, end in [*needed, *others])

    def is_read(begin, end):
        return any(first <= begin and end <= last <= footer for first, last in read)

    assert all(is_read(*place) for place in needed)
    assert not any(is_read(*place) for place in others)


_HOSTS = st.text("ab,-:1", min_size=1, max_size=4)


@given(
    st.sets(_HOSTS, min_size=1, max_size=5),
    st.lists(st.tuples(_HOSTS, st.text("/a", max_size=2)), min_size=1, max_size=5),
)
def test_a_row_group_is_read_if_it_may_contain_a_key_of_a_host(hosts, pairs):
    found = HostRanges.of(hosts)
    keys = sorted(f"{host}){path}" for host, path in pairs)
    for key in keys:
        assert found.between(key, key) == (key.partition(")")[0] in hosts)
    if any(key.partition(")")[0] in hosts for key in keys):
        assert found.between(keys[0], keys[-1])


def test_row_groups_of_another_month_are_not_read(tmp_path, cc):
    cc.capture("http://a.example/", "2018-05-01", b"<p>a")
    cc.capture("http://b.example/", "2018-06-01", b"<p>b")
    (name,) = cc.write(group=1)
    parquet = pq.ParquetFile(tmp_path / "cc" / name)
    every = lambda least, most: True  # noqa: E731
    assert row_groups(parquet, every, "2018-06") == [1]
    assert row_groups(parquet, every, "2018") == row_groups(parquet, every, "") == [0, 1]


def test_spans_join_near_records_in_one_file_and_are_bounded():
    def capture(file, offset, length):
        return Capture("u", {"file": file, "offset": offset, "length": length}, None, None)

    places = [
        ("a", 0, 10),
        ("a", 0, 10),
        ("a", 15, 10),
        ("a", 40, 10),
        ("a", 52, 60),
        ("b", 112, 500),
        ("b", 612, 1),
    ]
    found = [
        (span.file, span.offset, span.length, len(span.captures))
        for span in spans((capture(*place) for place in places), gap=5, together=60)
    ]
    assert found == [
        ("a", 0, 25, 3),
        ("a", 40, 10, 1),
        ("a", 52, 60, 1),
        ("b", 112, 500, 1),
        ("b", 612, 1, 1),
    ]


def test_as_many_ranges_are_requested_at_once_as_a_host_may_have_connections(tmp_path, cc):
    urls = [f"http://h{number}.example/" for number in range(8)]
    for number, url in enumerate(urls):
        cc.capture(url, "2018-06-01", b"<p>%d" % number, warc=f"w{number}")
    cc.write()
    now, most, lock = 0, 0, threading.Lock()
    wanted, together = 1, threading.Event()

    def route(handler):
        nonlocal now, most
        with lock:
            now += 1
            most = max(now, most)
        if most >= wanted:
            together.set()
        if "warc.gz" in handler.path:
            together.wait(30)
        with lock:
            now -= 1
        cc.route(handler)

    with answering({"*": route}) as (site, _):
        options = {"index": f"{site}/cc-index-table.paths", "files": f"{site}/"}
        alone, _ = fetched(tmp_path, urls, options=options)
        assert most == 1
        wanted = 2
        together.clear()
        beside, _ = fetched(tmp_path, urls, options={**options, "host_connections": 3}, working="beside")
    assert 1 < most <= 3
    assert [*beside.items()] == [*alone.items()] and len(alone) == 8


def test_a_list_may_be_compressed_and_one_with_paths_outside_is_refused(tmp_path, cc):
    many(cc, 2)
    cc.write()
    packed = gzip.compress((tmp_path / "cc/cc-index-table.paths").read_bytes())
    lists = {"/packed": reply(body=packed), "/up": reply(body=b"../../etc/a.parquet\n")}
    lists |= {"/bomb": reply(body=gzip.compress(b"a" * 2**20)), "/cut": reply(body=packed[:-9])}
    with answering({"*": cc.route, **lists}) as (site, _):
        options = {"files": f"{site}/", "listing_bytes": 10_000}
        found, _ = fetched(tmp_path, ["http://h00.example/"], options={**options, "index": f"{site}/packed"})
        assert found["http://h00.example/"].fate == "fetched"
        for name, cause in {
            "up": "no path of a file",
            "bomb": "more than 10000 bytes",
            "cut": "ended",
        }.items():
            with pytest.raises(FetchError, match=cause):
                fetched(
                    tmp_path,
                    ["http://a.example/"],
                    options={**options, "index": f"{site}/{name}"},
                    working=name,
                )


def test_a_bad_record_rejects_only_its_own_address_with_the_cause(tmp_path, cc):
    cc.capture("http://good.example/", "2018-06-01", b"<p>good")
    cc.capture("http://another.example/", "2018-06-01", b"<p>a", says="http://b.example/")
    cc.capture("http://other.example/", "2018-06-01", b"<p>a", fetch_status=200, status=500)
    cc.capture("http://offset.example/", "2018-06-01", b"<p>a", warc_record_offset=7)
    cc.capture("http://short.example/", "2018-06-01", b"<p>a", warc_record_length=30)
    cc.capture("http://long.example/", "2018-06-01", b"<p>a", warc_record_length=2000)
    cc.capture("http://next.example/", "2018-06-01", b"<p>" + b"a" * 3000)
    cc.capture("http://negative.example/", "2018-06-01", b"<p>a", warc_record_offset=-7)
    cc.capture("http://up.example/", "2018-06-01", b"<p>a", warc_filename="../../secret.warc.gz")
    cc.capture("http://away.example/", "2018-06-01", b"<p>a", warc_filename="http://127.0.0.1/x.warc.gz")
    cc.capture("http://gone.example/", "2018-06-01", b"<p>a", warc_filename="crawl-data/gone.warc.gz")
    cc.capture("http://end.example/", "2018-06-01", b"<p>a", warc_record_length=90_000, warc="b")
    cc.capture("http://bomb.example/", "2018-06-01", bytes(10**6))
    cc.capture("http://large.example/", "2018-06-01", b"a", warc_record_length=300_001)
    cc.write()
    urls = [row["url"] for row in cc.rows]
    found, _ = fetched(tmp_path, urls, options={"index": "cc", "files": "cc", "page_bytes": 300_000})
    causes = {url.split("/")[2].partition(".")[0]: entry.cause for url, entry in found.items()}
    assert found["http://good.example/"].fate == "fetched" and causes.pop("good") == causes.pop("next") == ""
    assert causes.pop("bomb") == causes.pop("large") == "size"
    file = f"crawl-data/{CRAWL}/segments/1/warc/a.warc.gz"
    assert causes["another"] == f"{file}: the record is of another address: http://b.example/"
    assert causes["other"] == f"{file}: the record has the status 500"
    assert causes["offset"].startswith(f"{file}: no packed record")
    assert causes["short"] == f"{file}: the record is cut short"
    assert causes["long"] == f"{file}: there are several records where the index names one"
    assert causes["negative"].startswith(f"the index names no record: '{file}', byte -7")
    assert causes["up"].startswith("the index names no record: '../../secret.warc.gz'")
    assert causes["away"].startswith("the index names no record: 'http://127.0.0.1/x.warc.gz'")
    assert causes["gone"].startswith("crawl-data/gone.warc.gz: No such file")
    assert "but 90000 were requested" in causes["end"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path, cc):
    many(cc, 1)
    cc.write()
    (path,) = (tmp_path / "cc/crawl-data").rglob("*.warc.gz")
    path.rename(tmp_path / "secret")
    path.symlink_to(tmp_path / "secret")
    found, _ = fetched(tmp_path, ["http://h00.example/"])
    assert found["http://h00.example/"].cause.endswith("a link out of the folder")


def test_a_damaged_index_file_rejects_the_addresses_that_it_may_contain(tmp_path, cc):
    many(cc)
    names = cc.write(files=2)
    path = tmp_path / "cc" / names[1]
    path.write_bytes(path.read_bytes()[:-100])
    found, _ = fetched(tmp_path, ["http://h01.example/", "http://h39.example/"])
    assert found["http://h01.example/"].fate == "fetched"
    lost = found["http://h39.example/"]
    assert lost.fate == "rejected" and lost.cause.startswith(f"{names[1]} of the index cannot be read: ")


def test_a_table_that_is_not_an_index_is_an_error_with_its_missing_columns(tmp_path):
    (tmp_path / "cc").mkdir()
    pq.write_table(pa.table({"url": ["a"]}), tmp_path / "cc/a.parquet")
    found, _ = fetched(tmp_path, ["http://a.example/"])
    assert "it has no column url_surtkey, fetch_time" in found["http://a.example/"].cause


def test_an_unavailable_file_ends_the_run_and_the_next_run_resumes_without_reading_the_index_again(
    tmp_path, cc
):
    many(cc)
    names = cc.write(files=2)
    urls = [row["url"] for row in cc.rows]
    down = {f"/{names[1]}"}

    def route(handler):
        reply(503, Retry_After="0")(handler) if handler.path in down else cc.route(handler)

    with answering({"*": route}) as (site, asked):
        options = {"index": f"{site}/cc-index-table.paths", "files": f"{site}/", "retries": 0}
        with pytest.raises(FetchError, match=r"part-00001.gz.parquet: status 503"):
            fetched(tmp_path, urls, options=options)
        first = [path for path in asked.paths() if names[0] in path]
        assert first
        down.clear()
        asked.clear()
        done = []

        def interrupt(count, known):
            done.append((count, known))
            if count == 15:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fetched(tmp_path, urls, options=options, tell=interrupt)
        assert [path for path in asked.paths() if names[0] in path] == []
        asked.clear()
        found, _ = fetched(tmp_path, urls, options=options)
    assert {entry.fate for entry in found.values()} == {"fetched"} and len(found) == 40
    assert [path for path in asked.paths() if "parquet" in path] == []
    assert len(asked.paths()) < 5, "the list, and the remaining WARC files"
    assert done[0] == (1, 41), "the article counts as one"


def test_stored_results_are_looked_up_again_if_damaged_or_for_other_addresses(tmp_path, cc):
    many(cc, 8)
    cc.write()
    first, _ = fetched(tmp_path, ["http://h00.example/"])
    for path in (tmp_path / "working" / FOUND).glob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    (tmp_path / "working/journal.db").unlink()
    assert fetched(tmp_path, ["http://h00.example/"])[0] == first
    second, _ = fetched(tmp_path, ["http://h00.example/", "http://h01.example/"])
    assert second["http://h01.example/"].fate == "fetched"


def test_a_capture_that_is_the_same_when_requested_again_is_unchanged(tmp_path, cc):
    many(cc, 2)
    cc.write()
    urls = ["http://h00.example/", "http://h01.example/"]
    fetched(tmp_path, urls)
    cc.capture(urls[1], "2018-06-30", b"<p>new")
    cc.write()
    given = CaptureOptions.model_validate({**OPTIONS, "index": "cc", "files": "cc"})
    former = Journal(tmp_path / "working", given.digest)
    found, _ = fetched(tmp_path, urls, former=former, working="again")
    assert [found[url].unchanged for url in urls] == [True, False]


def crawl(tmp_path, found, working="working", former=None, recrawl=False):
    place = CrawlPlace(tmp_path / working, former, recrawl, lambda done, known: None, tmp_path)
    return list(crawl_cited(found, place))


def of_captures(tmp_path, options, **cited):
    records = articles(tmp_path, options, **cited)
    (rows,) = records.rows
    source = rows.source.model_copy(update={"kind": CAPTURES})
    return replace(records, rows=(replace(rows, source=source, kind=CAPTURES, form=FORMATS[CAPTURES]),))


@pytest.mark.parametrize("clock", [None, "2018-08-31T00:00:00Z"])
def test_cited_pages_are_rows_whose_records_are_read_as_pages(tmp_path, cc, clock):
    cc.capture("http://a.example/", "2018-06-02", b"<p>a")
    cc.capture("http://b.example/", "2018-06-03", b"<p>a", warc="b")
    cc.write()
    options = {**OPTIONS, "index": "cc", "files": "cc", "clock": clock}
    (outcome,) = crawl(
        tmp_path,
        of_captures(
            tmp_path, options, tane=["http://a.example/#x", "http://c.example/"], varn=["http://b.example/"]
        ),
    )
    (row,) = outcome.kept.to_pylist()
    assert (row["url"], row["found_on"], row["also"]) == ("http://a.example/", "tane", ["http://b.example/"])
    assert (row["month"], row["licence"], row["depth"]) == (MONTH, "LicenseRef-web", 1)
    assert json.loads(row["about"])["warc"].startswith(f"crawl-data/{CRAWL}/")
    lost = {row["url"]: row["reason"] for row in outcome.dropped.to_pylist()}
    assert lost == {
        "tane": "listing",
        "varn": "listing",
        "http://c.example/": "not_in_index",
        "http://b.example/": "duplicate",
    }
    (tmp_path / "files").mkdir()
    for name, content in outcome.files.items():
        (tmp_path / "files" / name).write_bytes(content)
    raw = CrawledRows().raw(row, outcome.kept.schema, tmp_path / "files")
    assert raw.error is None and raw.content.endswith(b"<p>a")
    assert raw.companions["url"] == "http://a.example/"
    assert row["file"].endswith(".warc" if clock else ".warc.gz")


def test_only_a_new_citation_is_looked_up_but_a_recrawl_looks_up_all(tmp_path, cc):
    many(cc, 3)
    cc.write()
    first, second, third = (row["url"] for row in cc.rows)
    with answering({"*": cc.route}) as (site, asked):
        options = {**OPTIONS, "index": f"{site}/cc-index-table.paths", "files": f"{site}/"}

        def made(working, former, recrawl, *urls):
            (outcome,) = crawl(tmp_path, of_captures(tmp_path, options, tane=urls), working, former, recrawl)
            folder = tmp_path / f"published-{working}"
            folder.mkdir()
            for name, content in outcome.files.items():
                (folder / name).write_bytes(content)
            return folder, {row["url"]: row["unchanged"] for row in outcome.kept.to_pylist()}

        one, kept = made("one", None, False, first, second)
        assert kept == {first: False, second: False}
        asked.clear()
        two, kept = made("two", one, False, first, second, third)
        assert kept == dict.fromkeys([first, second, third], False)
        assert len([path for path in asked.paths() if "warc.gz" in path]) == 1
        asked.clear()
        assert made("three", two, False, first, second)[1] == {first: False, second: False}
        assert asked == []
        assert made("four", two, True, first, second)[1] == {first: True, second: True}


def test_a_missing_index_ends_the_crawl_with_the_cause(tmp_path):
    options = {**OPTIONS, "index": "nowhere", "files": "cc"}
    with pytest.raises(CrawlError, match="nowhere: there is no such folder"):
        crawl(tmp_path, of_captures(tmp_path, options, tane=["http://a.example/"]))
