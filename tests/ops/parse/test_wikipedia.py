"""Articles: the text of wikitext, citations, pages that are not articles, and streamed dumps."""

import bz2
import gzip
import tracemalloc
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse import wikipedia
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source
from silverloom.ops.parse.unpacked import Unpacked
from silverloom.ops.parse.wikipedia import FORMATS, parse_articles
from silverloom.ops.parse.wikitext import article, cleaned

WIKITEXT = """{{Infobox river|name=Tane<ref name="map">{{cite web|url=http://maps.example.org/tane |title=x
|archive-url=https://web.archive.org/web/2010/http://maps.example.org/tane}}</ref>
|length={{convert|206|km}}}}
The '''Tane''' ({{IPA|x}}; {{lang-mi|Tāne}}) is a [[river]] of {{convert|206|km|mi|abbr=on}} in the [[Sorrel Mountains|Sorrels]].<!-- no
comment --><ref>[http://a.example.org/1 One], http://b.example.org/2.</ref> It rises&nbsp;in the ''north''.
It has [[File:Tane.jpg|thumb|A [[picture]] of it]] salmon.

It ends{{citation needed|date=June 2018}} in the sea.

{| class="wikitable"
! Year !! Salmon
|-
| 1830 || {{formatnum:1000}} <ref>http://in.table.example.org</ref>
|}
== History ==
Salmon were common until 1830.<ref name=map />

* 1830: the mill<ref>https://mill.example.org/(old)</ref>
* 1840: the dam

=== The mill ===
<gallery>
File:Mill.jpg|The mill
</gallery>
The mill burned down.<ref name="map"/> <math>x^2</math>

== References ==
{{reflist|refs=<ref name="late">http://late.example.org</ref>}}

[[Category:Rivers]]
[[de:Tane (Fluss)]]
"""


def test_paragraphs_stay_and_markup_is_removed():
    found = article("Tane", "2018-06-01", WIKITEXT)
    assert [(section.title, section.level, section.paragraphs) for section in found.sections] == [
        (
            "",
            1,
            [
                "The Tane (Tāne) is a river of 206 km in the Sorrels. It rises in the north. It has salmon.",
                "It ends in the sea.",
            ],
        ),
        ("History", 2, ["Salmon were common until 1830."]),
        ("The mill", 3, ["The mill burned down. x^2"]),
        ("References", 2, []),
    ]
    assert [section.items for section in found.sections] == [
        [], [(1, "1830: the mill"), (1, "1840: the dam")], [], []
    ]  # fmt: skip
    assert found.reason == ""


def test_citations_name_the_section_and_not_the_archive():
    found = article("Tane", "", WIKITEXT)
    assert [(work.url, section) for work, section in found.citations] == [
        ("http://maps.example.org/tane", 0),
        ("http://a.example.org/1", 0),
        ("http://b.example.org/2", 0),
        ("http://in.table.example.org", 0),
        ("http://maps.example.org/tane", 1),
        ("https://mill.example.org/(old)", 1),
        ("http://maps.example.org/tane", 2),
        ("http://late.example.org", 3),
    ]
    work, _ = found.citations[0]
    assert (work.title, work.archive) == (
        "x",
        "https://web.archive.org/web/2010/http://maps.example.org/tane",
    )


def test_references_stand_behind_their_words():
    wikitext = (
        "The ''Tane''<ref>http://a.example/name</ref> ({{IPA|x}}<ref name=map>http://a.example/map</ref>) is "
        "long.<ref>Book</ref><ref name=map/> It ends.\n\n* One<ref>http://a.example/item</ref>\n\n"
        "{{box|<ref>http://a.example/box</ref>}}<ref>http://a.example/first</ref>It is salt.<ref>"
        "http://a.example/salt http://a.example/sea</ref>\n== Use ==\nIt ends.<ref name=map/>"
    )
    raw = Raw("tane.txt", "Tane", wikitext.encode())
    record = Record(record_id("src", raw), "src", "wikitext", "MIT", "2018-06", raw)
    [row] = parse_articles([record]).kept.to_pylist()
    urls = [found["url"].removeprefix("http://a.example/") for found in row["citations"]]
    assert [
        (row["text"][: mark["place"]], [urls[place] for place in mark["citations"]]) for mark in row["marks"]
    ] == [
        ("The Tane", ["name"]),
        ("The Tane", ["map"]),
        ("The Tane is long.", []),
        ("The Tane is long.", ["map"]),
        ("The Tane is long. It ends.\n\n", ["first"]),
        ("The Tane is long. It ends.\n\nIt is salt.", ["salt", "sea"]),
        ("The Tane is long. It ends.\n\nIt is salt.\n\nIt ends.", ["map"]),
    ]
    assert [row["citations"][mark["citations"][0]]["section"] for mark in row["marks"][-1:]] == [1]


def test_a_paragraph_between_references_stays():
    wikitext = "<ref>a</ref>It is salt.<ref>b</ref>"
    assert article("Tane", "", wikitext).sections[0].paragraphs == ["It is salt."]


@pytest.mark.parametrize(
    ("wikitext", "categories"),
    [
        (WIKITEXT, ["Rivers"]),
        (
            "[[Category:American male_actors|Holt, Maren]] [[category: islands ]]",
            ["American male actors", "Islands"],
        ),
        ("[[Category:Rivers]][[Category:Rivers| ]]", ["Rivers"]),
        ("[[Kategorie:Fluss]] [[Catégorie:Cours d'eau]]", ["Fluss", "Cours d'eau"]),
        ("A link to [[:Category:Rivers]], [[Rivers]] and [[Help:Category]]", []),
        ("<!-- [[Category:Rivers]] --><noinclude>[[Category:Rivers]]</noinclude>", []),
        ("[[Category:]] [[Category:{{PAGENAME}}]] [[Category", []),
    ],
)
def test_categories_are_those_assigned_by_editors(wikitext, categories):
    assert cleaned(wikitext).categories == categories
    assert article("Tane", "", f"It is a river.\n\n{wikitext}").categories == categories


@pytest.mark.parametrize(
    ("title", "wikitext", "reason"),
    [
        ("Tane river", "#REDIRECT [[Tane]]", "redirect"),
        ("Tane (disambiguation)", "Tane may be a river.", "disambiguation"),
        ("Mercury", "'''Mercury''' may be:\n* a planet\n{{Disambiguation|surname}}", "disambiguation"),
        ("List of rivers", "These are rivers.", "list"),
        ("Stub", "{{stub}}\n* one\n* two", "no_prose"),
        ("Empty", "", "no_prose"),
        ("Listening", "It is an act.", ""),
    ],
)
def test_pages_that_are_not_articles_have_a_reason(title, wikitext, reason):
    assert article(title, "", wikitext).reason == reason


def test_works_outside_references_are_cited_with_their_section():
    wikitext = """Bread.<ref>{{cite web|url=http://a.example/ref}}</ref>

== Notes ==
{{reflist|refs=<ref>{{cite web|url=http://a.example/late}}</ref>}}
* {{Citation needed}} http://a.example/plain
== Further reading ==
{{columns-list|
* {{Cite book |url=http://a.example/book |archive-url=http://archive.example/book}}
* {{citation|title={{lang|fr|Pain}}|url=http://a.example/work}}
}}
* {{Internetquelle|url=http://a.example/quelle}}
== Works ==
{{Refbegin|2}}
* Baker: [http://a.example/listed Bread]. {{cite web|url=http://a.example/both}}
* No address
{{refend}}
* [http://a.example/after After]
{{refbegin}}
* [http://a.example/open Open]
"""
    found = article("Bread", "", wikitext)
    assert [(work.url.removeprefix("http://a.example/"), section) for work, section in found.citations] == [
        ("ref", 0), ("late", 1), ("book", 2), ("work", 2), ("quelle", 2), ("listed", 3), ("both", 3),
    ]  # fmt: skip


def dump(*pages, end="</mediawiki>\n"):
    body = "".join(
        f"  <page>\n    <title>{title}</title>\n    <ns>{ns}</ns>\n    <id>{number}</id>\n"
        f"    <revision><id>9{number}</id><timestamp>2018-06-0{number}T00:00:00Z</timestamp><model>wikitext</model>"
        f'<text xml:space="preserve">{text}</text></revision>\n  </page>\n'
        for number, (title, ns, text) in enumerate(pages, 1)
    )
    return f'<mediawiki version="0.10">\n  <siteinfo/>\n{body}{end}'.encode()


SOURCE = Source(
    kind="mediawiki_dump", path=".", month=MonthRule(field="date"), licence="CC-BY-SA-4.0", max_bytes=10_000
)
PAGES = [("Tane &amp; co", 0, "It flows."), ("Talk:Tane", 1, "Hello."), ("Mill", 0, "#REDIRECT [[Tane]]")]


def split(folder, source=SOURCE):
    return list(FORMATS[source.kind].split(folder, source))


def outcome(raws):
    return parse_articles(
        [Record(record_id("src", raw), "src", "mediawiki_dump", "MIT", "2018-06", raw) for raw in raws]
    )


def test_a_dump_has_a_record_per_page_compressed_or_not(tmp_path):
    half = len(dump(*PAGES)) // 2
    (tmp_path / "a.xml").write_bytes(dump(*PAGES))
    plain = split(tmp_path)
    (tmp_path / "a.xml").unlink()
    # Like multistream dumps: several concatenated streams.
    packed = bz2.compress(dump(*PAGES)[:half]) + bz2.compress(dump(*PAGES)[half:])
    # Parts of real dumps have such names.
    (tmp_path / "a.xml-p10p30302.bz2").write_bytes(packed)
    assert [(raw.document, raw.row, raw.content) for raw in split(tmp_path)] == [
        (raw.document, raw.row, raw.content) for raw in plain
    ]
    assert [(raw.document, raw.row, raw.error) for raw in plain] == [
        ("Tane & co", 1, None),
        ("Talk:Tane", 2, None),
        ("Mill", 3, None),
    ]
    assert FORMATS["mediawiki_dump"].fields(plain[0])["date"] == "2018-06-01T00:00:00Z"


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_revisions_the_newest_counts_with_its_date(tmp_path, order):
    revisions = [
        f"<revision><timestamp>{year}-01-01T00:00:00Z</timestamp><text>It was {year}.</text></revision>"
        for year in (2004, 2011, 2018)
    ]
    page = f"<page><title>Tane</title><ns>0</ns>{''.join(revisions[::order])}</page>"
    (tmp_path / "a.xml").write_text(f"<mediawiki>{page}</mediawiki>")
    (raw,) = split(tmp_path)
    (row,) = outcome([raw]).kept.to_pylist()
    assert (row["text"], row["date"]) == ("It was 2018.", "2018-01-01T00:00:00Z")
    assert FORMATS["mediawiki_dump"].fields(raw)["date"] == "2018-01-01T00:00:00Z"


def test_holes_of_an_article_have_their_places_and_no_sign(tmp_path):
    pages = [("Tane", 0, "It is {{odd}} long.\n\nIt was.\n== A ==\nIn {{odd}}, it was.")]
    (tmp_path / "a.xml").write_bytes(dump(*pages))
    (row,) = outcome(split(tmp_path)).kept.to_pylist()
    assert (row["text"], row["holes"]) == ("It is long.\n\nIt was.\n\nIn, it was.", [6, 24])
    assert (row["page"], row["revision"]) == ("1", "91")


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8), st.integers(1, 40), st.integers(60, 250))
def test_pages_are_read_whole_whatever_the_chunks(sizes, chunk, largest):
    pages = [
        f"<page><title>{number}</title>{'x' * size}</page>".encode() for number, size in enumerate(sizes)
    ]
    content = b"<mediawiki><siteinfo/>" + b" \n".join(pages) + b"</mediawiki>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wikipedia, "CHUNK", chunk)
        stream = Unpacked(BytesIO(content), len(content), 10**6)
        raws = list(wikipedia.pages_of(stream, "a.xml", largest))
    assert [raw.content for raw in raws] == [page if len(page) <= largest else b"" for page in pages]
    assert [raw.error is None for raw in raws] == [len(page) <= largest for page in pages]


def test_every_page_is_kept_dropped_or_rejected(tmp_path):
    pages = [*PAGES, ("Tane &amp; co", 0, "Again."), ("Long", 0, "x" * 20_000), ("Odd", 0, "a <b> c")]
    (tmp_path / "a.xml").write_bytes(dump(*pages))
    found = outcome(split(tmp_path))
    (row,) = found.kept.to_pylist()
    assert (row["title"], row["text"], row["date"]) == ("Tane & co", "It flows.", "2018-06-01T00:00:00Z")
    assert row["sections"] == [{"title": "", "level": 1, "start": 0, "end": 9}]
    assert [(row["detail"], row["reason"]) for row in found.dropped.to_pylist()] == [
        ("Talk:Tane", "not_an_article"),
        ("Mill", "redirect"),
    ]
    errors = found.rejected["error"].to_pylist()
    assert errors[0] == "src/a.xml, line 4: its document id 'Tane & co' is already that of a.xml, line 1"
    assert errors[1] == "src/a.xml, line 5: larger than max_bytes = 10000; it was not read"
    assert errors[2].startswith("src/a.xml, line 6: malformed XML")
    assert len(errors) == 3


def test_sections_are_spans_of_the_text(tmp_path):
    (tmp_path / "a.xml").write_bytes(dump(("Tane", 0, "Lead.\n\nMore.\n== A ==\n== B ==\nOf B.")))
    (row,) = outcome(split(tmp_path)).kept.to_pylist()
    assert [(found["title"], row["text"][found["start"] : found["end"]]) for found in row["sections"]] == [
        ("", "Lead.\n\nMore."),
        ("A", ""),
        ("B", "Of B."),
    ]


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (b"\x00" * 100, "it is no XML"),
        (dump(*PAGES)[:-60], "the file ends within a page"),
        (dump(*PAGES, end=""), "it ends without </mediawiki>"),
    ],
)
def test_a_truncated_dump_gives_its_whole_pages_and_an_error(tmp_path, content, cause):
    (tmp_path / "a.xml").write_bytes(content)
    *pages, last = split(tmp_path)
    assert cause in last.error
    assert all(page.error is None for page in pages)


def test_a_damaged_dump_or_a_bomb_ends_only_its_file(tmp_path):
    packed = bz2.compress(dump(*PAGES))
    (tmp_path / "cut.xml.bz2").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "bomb.xml.bz2").write_bytes(bz2.compress(b"<mediawiki>" + b" " * 50_000_000))
    (tmp_path / "good.xml").write_bytes(dump(("Good", 0, "It is.")))
    errors = {raw.path: raw.error for raw in split(tmp_path)}
    assert "the file is cut short" in errors["cut.xml.bz2"]
    assert "it unpacks to more than 100 times its size" in errors["bomb.xml.bz2"]
    assert errors["good.xml"] is None


@pytest.mark.parametrize(("suffix", "pack"), [(".bz2", bz2.compress), (".xml.gz", gzip.compress)])
def test_a_damaged_stream_costs_its_own_pages(tmp_path, suffix, pack):
    head, *pages = (piece + b"<page>" for piece in dump(*PAGES[:1] * 5).split(b"<page>"))
    texts = [page.replace(b"<title>Tane", b"<title>%d" % number) for number, page in enumerate(pages)]
    streams = [pack(text) for text in [head, *texts[:-1], texts[-1].removesuffix(b"<page>")]]
    broken = bytearray(streams[2])
    broken[len(broken) // 2] ^= 255
    (tmp_path / f"a{suffix}").write_bytes(b"".join([*streams[:2], broken, *streams[3:]]))
    raws = split(tmp_path)
    # The stream after the damaged one begins within a page.
    assert [raw.document[0] for raw in raws if raw.error is None] == ["0", "3", "4"]
    [error] = [raw.error for raw in raws if raw.error]
    assert "damaged" in error and "reading goes on behind it" in error
    assert [raw.row for raw in raws] == [1, 2, 3, 4]


def test_a_dump_is_never_completely_in_memory(tmp_path):
    page = ("It flows. " * 900).strip()
    (tmp_path / "a.xml").write_bytes(dump(*((f"Page {number}", 0, page) for number in range(2_000))))
    tracemalloc.start()
    count = sum(1 for _ in FORMATS["mediawiki_dump"].split(tmp_path, SOURCE))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_000
    assert (tmp_path / "a.xml").stat().st_size > 18_000_000
    assert peak < 3_000_000


def test_a_file_of_wikitext_is_an_article(tmp_path):
    (tmp_path / "The_Tane.txt").write_text(WIKITEXT)
    source = SOURCE.model_copy(update={"kind": "wikitext", "max_bytes": 100_000})
    (raw,) = split(tmp_path, source)
    assert FORMATS["wikitext"].parse(raw).title == "The Tane"
    with pytest.raises(ParseError, match="not UTF-8"):
        FORMATS["wikitext"].parse(Raw("a.txt", "a", b"caf\xe9"))


def test_a_picture_in_any_language_is_not_text():
    found = article("Tane", "", "[[Lêer:Tane.jpg|thumb|links|The ''river''.]] The Tane is a [[river: Tane]].")
    assert found.sections[0].paragraphs == ["The Tane is a river: Tane."]
