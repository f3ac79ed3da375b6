"""TEI, JATS and ParsCit: sections, running text without figures and notes, marks, and refused XML."""

import pytest

from ops.parse.bounded import BoundedChild, Bounds
from ops.parse.papers import FORMATS
from ops.parse.papers.extraction_tools import Tei
from ops.parse.source import ParseError, Raw
from tests.ops.parse.papers.tei import TEI

JATS = """<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.0//EN" "JATS-archivearticle1.dtd">
<article><front><article-meta><title-group><article-title>Learning from <italic>Noise</italic></article-title></title-group>
<pub-date><year>2018</year></pub-date><pub-date><day>4</day><month>6</month><year>2018</year></pub-date>
<abstract><title>Summary</title><sec><title>Aim</title><p>We label.</p></sec></abstract>
<abstract abstract-type="graphical"><p>A picture.</p></abstract></article-meta></front>
<body><p>A word before.</p><sec><label>1</label><title>Introduction</title><p>Labels are dear [<xref ref-type="bibr" rid="R1">1</xref>,
<xref ref-type="fig" rid="F1">Figure 1</xref>].<fig><caption><p>A picture.</p></caption></fig></p>
<sec><title>Zebras</title><list><list-item><p>They are striped.</p></list-item></list></sec></sec></body>
<back><ack><p>We thank Ann.</p></ack><ref-list><ref id="R1"><label>1</label><element-citation>
<person-group><name><surname>Doe</surname><given-names>Jo</given-names></name></person-group>
<article-title>Dear Labels</article-title><source>ACL</source><year>2016</year><pub-id pub-id-type="doi">10.1000/1</pub-id>
</element-citation></ref></ref-list></back></article>"""

PARSCIT = """<?xml version="1.0" encoding="UTF-8"?>
<algorithms version="110505">
<algorithm name="SectLabel" version="110505"><variant no="0" confidence="0.1">
<title confidence="0.9">
Learning from
Noise
</title>
<sectionHeader genericHeader="abstract">
Abstract
</sectionHeader>
<bodyText>
We label.
</bodyText>
<sectionHeader>
1 Introduction
</sectionHeader>
<bodyText>
Labels are ex-
pensive (Doe et
al., 2016), and many are
</bodyText>
<page>
1
</page>
<footnote>
1 A note.
</footnote>
<bodyText>
noisy. They are (Roe, 2017).
</bodyText>
<subsectionHeader>
1.1 Zebras
</subsectionHeader>
<listItem>
They are striped.
</listItem>
</variant></algorithm>
<algorithm name="ParsCit"><citationList>
<citation valid="true"><authors><author>J Doe</author></authors><title>Dear Labels.</title><date>2016</date>
<contexts><context position="3" citStr="Doe et al., 2016">the words around</context></contexts>
<rawString>Jo Doe. 2016. Dear Labels.</rawString></citation>
<citation valid="false"><title>Not cited.</title></citation>
</citationList></algorithm></algorithms>"""


def read(kind, text):
    return FORMATS[kind].parse(Raw("p.xml", "p", text if isinstance(text, bytes) else text.encode()))


def outline(paper):
    return [
        (section.title, section.role, [one.text for one in paper.sentences if one.section == index])
        for index, section in enumerate(paper.sections)
    ]


def test_tei_is_read_without_figures_formulas_and_notes():
    paper = read("grobid_tei", TEI)
    assert paper.title == "Learning from Noise"
    assert outline(paper) == [
        ("Abstract", "abstract", ["We label."]),
        ("1 Introduction", "introduction", ["Labels are dear (Doe, 2016), see Fig. 1 .", "They are noisy (Roe)."]),
        ("2 Results", "result", ["It works."]),
        ("Acknowledgements", "acknowledgments", ["We thank Ann."]),
    ]  # fmt: skip
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
        ("(Doe, 2016)", "b0"),
        ("(Roe)", ""),
    ]
    (entry,) = paper.bibliography
    assert (entry.title, entry.year, entry.authors, entry.ids) == ("Dear Labels", "2016", ("Jo Doe",), ("doi:10.1000/1",))  # fmt: skip


def test_jats_is_read_with_its_levels_and_its_declared_type():
    paper = read("jats", JATS)
    assert paper.title == "Learning from Noise"
    assert outline(paper) == [
        ("Abstract", "abstract", ["We label."]),
        ("", "preamble", ["A word before."]),
        ("1 Introduction", "introduction", ["Labels are dear [1, Figure 1]."]),
        ("Zebras", "introduction", ["They are striped."]),
        ("Acknowledgments", "acknowledgments", ["We thank Ann."]),
    ]
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [("1", "R1")]
    assert paper.bibliography[0].title == "Dear Labels"
    assert paper.bibliography[0].authors == ("Jo Doe",)


def test_parscit_joins_lines_over_a_page_and_finds_marks_across_lines():
    paper = read("parscit", PARSCIT)
    assert outline(paper) == [
        ("Abstract", "abstract", ["We label."]),
        (
            "1 Introduction",
            "introduction",
            ["Labels are expensive (Doe et al., 2016), and many are noisy.", "They are (Roe, 2017)."],
        ),
        ("1.1 Zebras", "introduction", ["They are striped."]),
    ]
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
        ("Doe et\nal., 2016", "0")
    ]
    assert [entry.title for entry in paper.bibliography] == ["Dear Labels", "Not cited"]
    assert [sentence.locator for sentence in paper.sentences][:2] == ["line 11", "line 17"]


@pytest.mark.parametrize(
    ("kind", "text", "field", "value"),
    [
        ("grobid_tei", TEI, "date", "2018-06-14"),
        ("jats", JATS, "date", "2018"),
        ("parscit", PARSCIT, "title", "Learning from Noise"),
    ],
)
def test_fields_for_month_rules(kind, text, field, value):
    assert FORMATS[kind].fields(Raw("p.xml", "p", text.encode()))[field] == value


LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "haha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)


@pytest.mark.parametrize(
    ("kind", "root"), [("grobid_tei", "TEI"), ("jats", "article"), ("parscit", "algorithms")]
)
@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("", "the file is empty"),
        ("<{root}>", r"malformed XML: .* \(line 1, column"),
        ("<other/>", "expected the element <{root}>, found <other>"),
        (LAUGHS + "<{root}>&j;</{root}>", "declares entities, which are refused|malformed XML"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><{root}>&a;</{root}>', "declares entities"),
        ("<{root}>" + "<a>" * 100_000, "malformed XML"),
        ('<?xml version="1.0" encoding="no-such"?><{root}/>', "malformed XML"),
        ("<{root}>\x00</{root}>", "malformed XML"),
    ],
)  # fmt: skip
def test_malformed_or_unsafe_xml_is_refused(kind, root, content, cause):
    with pytest.raises(ParseError, match=cause.replace("{root}", root)):
        read(kind, content.replace("{root}", root))


def flooded(kind, body):
    """Return a document of one section."""
    inside = f"<sec><title>A</title>{body}</sec>" if kind == "jats" else f"<div><head>A</head>{body}</div>"
    root, text = ("article", inside) if kind == "jats" else ("TEI", f"<text><body>{inside}</body></text>")
    return f"<{root}>{f'<body>{text}</body>' if kind == 'jats' else text}</{root}>"


MARKS = {
    "grobid_tei": '<ref type="bibr" target="#b1">[1]</ref>',
    "jats": '<xref ref-type="bibr" rid="b1">[1]</xref>',
}


@pytest.mark.parametrize("kind", MARKS)
def test_a_paragraph_with_100_000_marks_is_read_within_the_limits_of_a_record(kind):
    paper = read(kind, flooded(kind, f"<p>{f'word {MARKS[kind]} ' * 100_000}end.</p>"))
    assert len(paper.marks) == 100_000
    assert {paper.text[mark.start : mark.end] for mark in paper.marks} == {"[1]"}


def test_a_sentence_over_70_000_paragraphs_takes_linear_time():
    child = BoundedChild(Bounds(seconds=6))  # 2 suffice; quadratic time took 13
    try:
        content = flooded("grobid_tei", "<p>word</p>" * 70_000).encode()
        paper = child.call(Tei().parse, Raw("p.xml", "p", content))
    finally:
        child.close()
    assert [len(one.text) for one in paper.sentences] == [70_000 * 5 - 1]


def test_a_mark_has_no_surrounding_space_whatever_it_contains():
    marks = [
        "<ref type='bibr'> [1] </ref>", "<ref type='bibr'> <note>x</note> [2]<note>x</note> </ref>", "<ref type='bibr'> </ref>",
        "<ref type='bibr'/>", "<ref type='bibr'> [3 <ref type='bibr'> 4] </ref></ref>",
    ]  # fmt: skip
    paper = read("grobid_tei", flooded("grobid_tei", f"<p>{'So'.join(marks)}</p>"))
    assert [paper.text[mark.start : mark.end] for mark in paper.marks] == ["[1]", "[2]", "[3 4]", "4]"]
