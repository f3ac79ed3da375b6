"""TEI, JATS and ParsCit: sections, running text without figures and notes, marks, and refused XML."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.extraction_tools import Tei
from silverloom.ops.parse.papers.paper import Mark, PaperBuilder
from silverloom.ops.parse.source import ParseError, Raw
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
        ("1 Introduction", "introduction", ["Labels are dear (Doe, 2016), see Fig. 1.", "They are noisy (Roe)."]),
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


def test_a_sentence_over_very_many_paragraphs_takes_linear_time():
    seconds = []
    for paragraphs in (8_000, 32_000):
        content = flooded("grobid_tei", "<p>word</p>" * paragraphs).encode()
        began = time.process_time()
        paper = Tei().parse(Raw("p.xml", "p", content))
        seconds.append(time.process_time() - began)
        assert [len(sentence.text) for sentence in paper.sentences] == [paragraphs * 5 - 1]
    assert seconds[1] < 9 * seconds[0]  # quadratic time took 16 times as long


def test_a_mark_has_no_surrounding_space_whatever_it_contains():
    marks = [
        "<ref type='bibr'> [1] </ref>", "<ref type='bibr'> <note>x</note> [2]<note>x</note> </ref>", "<ref type='bibr'> </ref>",
        "<ref type='bibr'/>", "<ref type='bibr'> [3 <ref type='bibr'> 4] </ref></ref>",
    ]  # fmt: skip
    paper = read("grobid_tei", flooded("grobid_tei", f"<p>{'So'.join(marks)}</p>"))
    assert [paper.text[mark.start : mark.end] for mark in paper.marks] == ["[1]", "[2]", "[3 4]", "4]"]


def sentences(kind, body):
    return [sentence.text for sentence in read(kind, flooded(kind, body)).sentences]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("grobid_tei", "<p><s>We ask.</s><s>It ends (cf.</s><s>Fig. 3).</s></p>", ["We ask.", "It ends (cf. Fig. 3)."]),
        ("grobid_tei", "<p>Steps:</p><list><item>mix it</item><item>bake it</item></list>", ["Steps:", "mix it", "bake it"]),
        ("grobid_tei", "<p>It is</p><p>one sentence.</p>", ["It is one sentence."]),
        ("grobid_tei", "<p><s>It is</s></p><p><s>one sentence.</s></p>", ["It is one sentence."]),
        (
            "jats",
            "<p>We do:<list><list-item><label>1.</label><p>mix it</p></list-item></list>We end.</p>",
            ["We do:", "mix it", "We end."],
        ),
        ("jats", "<p>He said:<disp-quote><p>It is old</p></disp-quote>We agree</p>", ["He said:", "It is old", "We agree"]),
        ("jats", "<p>We asked.</p><speech><speaker>J</speaker><p>It is old</p></speech><p>We agree</p>", ["We asked.", "It is old", "We agree"]),
        ("jats", "<p>A mill<break/>A bell<break/>and a town</p>", ["A mill", "A bell and a town"]),
        ("grobid_tei", "<p>We do:<list><head>Steps</head><item><label>1.</label>mix it</item></list></p>", ["We do:", "Steps", "mix it"]),
        ("grobid_tei", "<list><label>Hive</label><item>home of bees</item><label>Comb</label><item>wax</item></list>", ["Hive", "home of bees", "Comb", "wax"]),
        ("grobid_tei", "<p>A new<lb/>line of X-<lb break='no'/>rays.<pb/>It ends.</p>", ["A new line of X-rays.", "It ends."]),
        ("jats", "<list><title>Steps</title><list-item><p>mix it</p></list-item></list>", ["Steps", "mix it"]),
        (
            "jats",
            "<p>We use<def-list><title>Words</title><def-item><term>Hive:</term><def><p>home of bees. It is warm.</p></def></def-item>"
            "<def-item><term>Comb</term><def><p>wax</p></def></def-item></def-list>and end.</p>",
            ["We use", "Words", "Hive:", "home of bees.", "It is warm.", "Comb", "wax", "and end."],
        ),
        ("jats", "<p>We run<code>x = 1</code>then</p><statement><title>Claim</title><p>It holds.</p></statement>", ["We run", "x = 1", "then", "Claim", "It holds."]),
        ("jats", "<verse-group><verse-line>O mill</verse-line><verse-line>O bell</verse-line></verse-group>", ["O mill", "O bell"]),
    ],
)  # fmt: skip
def test_blocks_are_paragraphs_and_marked_sentences_are_sentences(kind, body, expected):
    assert sentences(kind, body) == expected


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("jats", '<p>We use BERT.<sup><xref ref-type="bibr">1</xref></sup> It works.</p>'),
        ("jats", '<p>We use BERT.<xref ref-type="bibr"><sup>1</sup></xref> It works.</p>'),
        ("jats", '<p>We use BERT.<sup>1</sup> It works.</p>'),
        ("grobid_tei", '<p>We use BERT.<ref type="bibr">1</ref> It works.</p>'),
        ("grobid_tei", '<p>We use BERT.<hi rend="superscript">1</hi> It works.</p>'),
    ],
)  # fmt: skip
def test_a_raised_mark_is_in_the_sentence_before_it(kind, body):
    assert sentences(kind, body) == ["We use BERT.1", "It works."]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("10<sup>6</sup> cells", "10^6 cells"),
        ("1 × 10<sup>−4</sup> M", "1 × 10^−4 M"),
        ("10 <sup>-25</sup> at", "10 ^-25 at"),
        ("<italic>10</italic><sup><bold>6</bold></sup> cells", "10^6 cells"),
        ("2.10<sup>6</sup> or 2<sup>n</sup>", "2.10^6 or 2^n"),
        ("log<sub>10</sub>5 and 101<sub>2</sub>", "log10 5 and 101_2"),
        ("x<sub>t−1</sub> and x<sub>i + 1</sub>", "x_(t−1) and x_(i + 1)"),
        # units, charges, isotopes, alleles, formulas and ordinals read well as they are
        ("5 cm<sup>2</sup> at 3 min<sup>−1</sup>", "5 cm2 at 3 min−1"),
        ("Ca<sup>2+</sup>, <sup>14</sup>C, H<sub>2</sub>O", "Ca2+, 14C, H2O"),
        ("Capn2<sup>-/-</sup> and 21<sup>st</sup>", "Capn2-/- and 21st"),
        # marks are no powers, whatever they are behind
        ('in 10<sup><xref ref-type="bibr" rid="r6">6</xref></sup> we', "in 106 we"),
        ('in 10<xref ref-type="bibr" rid="r6"><sup>6</sup></xref> we', "in 106 we"),
        ("since 1999<sup>2</sup> we", "since 19992 we"),
    ],
)
def test_raised_and_lowered_text_keeps_its_meaning(inside, expected):
    assert sentences("jats", f"<p>It is {inside}.</p>") == [f"It is {expected}."]
    paper = read("jats", f"<article><front><article-meta><title-group><article-title>{inside}</article-title>"
                 "</title-group></article-meta></front><body><p>It is.</p></body></article>")  # fmt: skip
    assert paper.title == expected


def test_text_is_raised_and_lowered_in_tei_by_its_rendition():
    body = "<p>It is 10<hi rend='superscript'>6</hi> or 10<hi rend='sup'>7</hi> at x<hi rend='subscript'>i+1</hi>.</p>"
    assert sentences("grobid_tei", body) == ["It is 10^6 or 10^7 at x_(i+1)."]


MARKED = {
    "jats": ('<xref ref-type="bibr" rid="b{0}">{0}</xref>', "<sup>{}</sup>"),
    "grobid_tei": ('<ref type="bibr" target="#b{0}">{0}</ref>', '<hi rend="sup">{}</hi>'),
}


@pytest.mark.parametrize("kind", MARKED)
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("as others carry", " the bags.", "as others carry [2,3] the bags."),
        ("as others carry", ".", "as others carry [2,3]."),
        ("as others carry", ", we ask.", "as others carry [2,3], we ask."),
        ("as others carry ", " the bags.", "as others carry 2,3 the bags."),
        ("the Hox", " gene is.", "the Hox2,3 gene is."),  # may be a name
    ],
)
def test_a_mark_is_not_glued_to_the_word_before_it(kind, before, after, expected):
    cites, raises = MARKED[kind]
    several = f"{cites.format(2)},{cites.format(3)}"
    for marks in (several, raises.format(several)):
        paper = read(
            kind, flooded(kind, f"<p>It is so, {before}{marks}{after} We {cites.format(7)} end.</p>")
        )
        assert paper.sentences[0].text == f"It is so, {expected}"
        assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
            ("2", "b2"), ("3", "b3"), ("7", "b7")
        ]  # fmt: skip
    (plain, _) = sentences(kind, f"<p>It is so, {before}{raises.format('2,3')}{after} We end.</p>")
    assert plain == f"It is so, {expected}"


def test_a_square_behind_a_unit_or_a_function_is_no_mark():
    body = "<p>It is in mol<sup>2</sup> by the chi<sup>2</sup> test.</p>"
    assert sentences("jats", body) == ["It is in mol2 by the chi2 test."]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["carry", "at", "GPT-", "5", " "]),
            st.integers(0, 2),
            st.sampled_from([" ", ",", ", ", "x"]),
        )
    )
)
def test_marks_are_the_same_signs_with_brackets_around_them(pieces):
    text, marks = "", []
    for word, count, after in pieces:
        text += word
        for number in range(count):
            text += ", " * bool(number)
            marks.append(Mark(len(text), len(text) + 1, f"b{len(marks)}"))
            text += str(number)
        text += after
    paper = PaperBuilder("T")
    paper.section("S")
    paper.body(f"{text}we end.", "here", marks)
    read = paper.finish()
    assert [read.text[mark.start : mark.end] for mark in read.marks] == [
        text[mark.start : mark.end] for mark in marks
    ]
    assert [mark.entry for mark in read.marks] == [mark.entry for mark in marks]
    assert re.sub(r" \[|\]", "", read.text) == f"T\n\nS\n{text}we end.\n"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("<mi>log</mi><mo>&#x2061;</mo><mi>n</mi>", ("It is log n.", 0)),
        ("<msup><mn>10</mn><mn>6</mn></msup>", ("It is 10^6.", 0)),
        (
            "<mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mrow><mn>2</mn><mi>n</mi></mrow></mfrac>",
            ("It is x=1/(2n).", 0),
        ),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", ("It is x_i^2.", 0)),
        ("<mi>f</mi><mfenced><mi>x</mi></mfenced>", ("It is f(x).", 0)),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>", ("It is [a,b,c].", 0)),
        (
            "<mfenced separators='; |'><mi>a</mi><mi>b</mi><mi>c</mi><mi>d</mi></mfenced>",
            ("It is (a;b|c|d).", 0),
        ),
        ("<msup><mfenced><mi>a</mi><mi>b</mi></mfenced><mn>2</mn></msup>", ("It is (a,b)^2.", 0)),
        ("<semantics><mi>k</mi><annotation encoding='tex'>k</annotation></semantics>", ("It is k.", 0)),
        (
            "<semantics><mi>k</mi><annotation-xml><ci>k</ci></annotation-xml></semantics><mo>+</mo><mn>1</mn>",
            ("It is k+1.", 0),
        ),
        ("<mn>5</mn><mspace width='1em'/><mtext>km</mtext>", ("It is 5 km.", 0)),
        ("<mphantom><mi>q</mi></mphantom><mi>z</mi>", ("It is z.", 0)),
        ("<mstack><mn>424</mn><mn>33</mn></mstack>", ("It is.", 1)),
        ("<msqrt><mn>2</mn></msqrt>", ("It is.", 1)),
        ("<mover><mi>x</mi><mo>~</mo></mover>", ("It is.", 1)),
    ],
)
def test_a_formula_in_a_line_keeps_its_meaning_or_leaves_a_hole(formula, expected):
    body = f"<p>It is <inline-formula><math>{formula}</math></inline-formula>.</p>"
    [sentence] = read("jats", flooded("jats", body)).sentences
    assert (sentence.text, sentence.holes) == expected


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        ("jats", '<xref ref-type="fn"><sup>a</sup></xref>'),
        ("jats", '<sup><xref ref-type="table-fn">*</xref></sup>'),
        ("grobid_tei", '<ref type="foot">1</ref>'),
    ],
)
def test_the_mark_of_a_footnote_is_no_text_either(kind, mark):
    assert sentences(kind, f"<p>We use BERT{mark} and end.{mark} It works.</p>") == [
        "We use BERT and end.",
        "It works.",
    ]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("jats", "<p>The rate is <disp-formula>x</disp-formula> at most.</p>", [("The rate is at most.", 1)]),
        ("jats", "<p>The rate is</p><disp-formula>x</disp-formula><p>at most.</p>", [("The rate is at most.", 1)]),
        ("jats", "<p>It holds.<disp-formula>x</disp-formula>We end.</p>", [("It holds.", 0), ("We end.", 0)]),
        ("jats", "<p>As follows:<disp-formula>x</disp-formula>We end.</p>", [("As follows:", 0), ("We end.", 0)]),
        ("jats", "<p>Let <inline-formula><tex-math>x</tex-math></inline-formula> be.</p>", [("Let be.", 1)]),
        ("jats", "<p>The <chem-struct><graphic/></chem-struct> reacts.</p>", [("The reacts.", 1)]),
        ("jats", "<p>Let <inline-formula><math>x</math></inline-formula> be.</p>", [("Let x be.", 0)]),
        ("jats", "<p>Let f(<inline-formula><tex-math>x</tex-math></inline-formula>) be.</p>", [("Let f() be.", 1)]),
        ("jats", "<p>The sign <inline-graphic/> means <private-char><glyph-data>.X.</glyph-data></private-char> too.</p>", [("The sign means too.", 2)]),
        ("jats", "<p>The sign <graphic/> is old.<graphic/> It ends.</p>", [("The sign is old.", 1), ("It ends.", 0)]),
        ("jats", "<p>As follows:</p><graphic/><p>We end.<graphic/></p>", [("As follows:", 0), ("We end.", 0)]),
        ("grobid_tei", "<p>The sign <graphic/> and <g ref='#x'/> are old.</p>", [("The sign and are old.", 2)]),
        ("grobid_tei", "<p>The values <table><row><cell>1</cell></row></table> are old.</p>", [("The values are old.", 1)]),
        ("grobid_tei", "<p>It is old.</p><table><row><cell>1</cell></row></table><p>We end.</p>", [("It is old.", 0), ("We end.", 0)]),
        ("grobid_tei", "<p>We see <figure><figDesc>A mill.</figDesc></figure> that it is.</p>", [("We see that it is.", 0)]),
        ("grobid_tei", "<p>The rate is</p><formula>x</formula><p>at most.</p>", [("The rate is at most.", 1)]),
        ("grobid_tei", "<list><item>two stones</item></list><formula>x</formula><p>where a is.</p>", [("two stones", 0), ("where a is.", 1)]),
        ("grobid_tei", "<list><item>the rate is</item></list><formula>x</formula><p>We end.</p>", [("the rate is", 1), ("We end.", 0)]),
        ("jats", "<p>Eq. <disp-formula>x</disp-formula> where a is b.</p>", [("Eq. where a is b.", 1)]),
        ("jats", "<p>As follows: <disp-formula>x</disp-formula> where <italic>a</italic> is b.</p>", [("As follows:", 0), ("where a is b.", 1)]),
        ("jats", "<p>It holds.</p><disp-formula>x</disp-formula><p>where a is b.</p>", [("It holds.", 0), ("where a is b.", 1)]),
        ("grobid_tei", "<p>The rate is</p><formula>x</formula><p>, where a is b. We end.</p>", [("The rate is, where a is b.", 1), ("We end.", 0)]),
        ("grobid_tei", "<p><s>The rate is</s></p><formula>x</formula><p><s>; then a is b.</s><s>We end.</s></p>", [("The rate is; then a is b.", 1), ("We end.", 0)]),
        ("jats", "<p>The rate is</p><disp-formula>x</disp-formula><p>. We end.</p>", [("The rate is.", 1), ("We end.", 0)]),
        ("jats", "<p>The rate is</p><disp-formula>x</disp-formula><p>(3) where a is b.</p>", [("The rate is (3) where a is b.", 1)]),
        ("jats", "<p>The rate is</p><disp-formula>x</disp-formula><p>(3)</p><p>We end.</p>", [("The rate is (3)", 1), ("We end.", 0)]),
        ("jats", "<p>As follows:<disp-formula>x</disp-formula>. We end.</p>", [("As follows:", 0), ("We end.", 0)]),
        ("jats", "<p>As follows:</p><disp-formula>x</disp-formula><p>.</p><p>We end.</p>", [("As follows:", 0), ("We end.", 0)]),
        ("jats", "<p>As follows:<disp-formula>x</disp-formula>, where a is b.</p>", [("As follows:", 0), (", where a is b.", 1)]),
        ("grobid_tei", "<p>The rate is</p><formula>x</formula><p>(3) Here a is b. We end.</p>", [("The rate is", 1), ("Here a is b.", 0), ("We end.", 0)]),
        ("grobid_tei", "<p>It is old.</p><formula>x</formula><p>(A.3a) Here a is b.</p>", [("It is old.", 0), ("Here a is b.", 0)]),
        ("jats", "<p>As follows: <disp-formula>x</disp-formula> (2) Here a is b.</p>", [("As follows:", 0), ("Here a is b.", 0)]),
        ("jats", "<p>The parts are</p><p>(1) a mill.</p>", [("The parts are", 0), ("(1) a mill.", 0)]),
    ],
)  # fmt: skip
def test_a_formula_that_cannot_be_rendered_leaves_a_hole_in_the_sentence_that_it_interrupts(
    kind, body, expected
):
    paper = read(kind, flooded(kind, body))
    assert [(sentence.text, sentence.holes) for sentence in paper.sentences] == expected


def test_boxes_are_sections_after_the_body_and_authors_summaries_after_the_abstract():
    paper = read(
        "jats",
        "<article><front><article-meta><abstract><p>We label.</p></abstract>"
        '<abstract abstract-type="author"><title>Author Summary</title><p>We help.</p></abstract>'
        '<abstract abstract-type="graphical"><p>A picture.</p></abstract></article-meta></front><body>'
        "<sec><title>Data</title><p>It is old.</p><boxed-text><label>Box 1</label><caption><title>Mills</title>"
        "</caption><p>They turn.</p></boxed-text><sec><title>Zebras</title><p>It works.</p></sec></sec>"
        "<boxed-text><sec><title>Synopsis</title><p>It is good.</p></sec></boxed-text></body>"
        "<back><app-group><app><title>Forms</title><p>It is long.</p></app></app-group></back>"
        "<floats-group><fig><caption><p>A picture.</p></caption></fig><boxed-text><p>It floats.</p></boxed-text>"
        "</floats-group></article>",
    )
    assert outline(paper) == [
        ("Abstract", "abstract", ["We label."]),
        ("Author Summary", "other", ["We help."]),
        ("Data", "data", ["It is old."]),
        ("Zebras", "data", ["It works."]),
        ("Box 1 Mills", "other", ["They turn."]),
        ("Synopsis", "other", ["It is good."]),
        ("Forms", "other", ["It is long."]),
        ("Box", "other", ["It floats."]),
    ]


def test_text_without_paragraphs_is_read():
    tei = read(
        "grobid_tei",
        "<TEI><teiHeader><profileDesc><abstract>We label.</abstract></profileDesc></teiHeader>"
        "<text><body>Labels are dear.<div><head>Data</head>They are old.</div></body></text></TEI>",
    )
    assert outline(tei) == [
        ("Abstract", "abstract", ["We label."]),
        ("", "preamble", ["Labels are dear."]),
        ("Data", "data", ["They are old."]),
    ]
    jats = "<article><front><article-meta><abstract>We label.</abstract></article-meta></front></article>"
    assert outline(read("jats", jats)) == [("Abstract", "abstract", ["We label."])]


def test_a_glossary_is_a_section():
    body = "<glossary><title>Abbreviations</title><def-list><def-item><term>PCR</term><def><p>chain reaction</p></def></def-item></def-list></glossary>"  # fmt: skip
    paper = read("jats", f"<article><body><p>We ask.</p></body><back>{body}</back></article>")
    assert outline(paper)[1] == ("Abbreviations", "other", ["PCR", "chain reaction"])


def test_a_note_leaves_no_space_before_a_full_stop_and_glues_no_words():
    body = "<p>It is so<fn><p>A note.</p></fn>. It was<fn><p>A note.</p></fn>more, we say<fn/>.</p>"
    assert sentences("jats", body) == ["It is so.", "It was more, we say."]


def test_a_title_has_no_notes_and_a_break_in_it_is_a_space():
    tei = TEI.replace("Learning from\n  Noise", "Learning<lb/>from Noise<note>A note.</note>")
    jats = JATS.replace("Learning from", 'Learning<break/>from<xref ref-type="fn">*</xref>')
    assert {read("grobid_tei", tei).title, read("jats", jats).title} == {"Learning from Noise"}


def test_parts_of_tei_have_the_title_of_their_kind_if_they_have_none():
    front = '<front><div type="abstract"><p>We label.</p></div></front>'
    back = '<back><div type="acknowledgement"><div><p>We thank Ann.</p></div></div></back>'
    paper = read("grobid_tei", f"<TEI><text>{front}<body><p>It is so.</p></body>{back}</text></TEI>")
    assert outline(paper) == [
        ("Abstract", "abstract", ["We label."]),
        ("", "preamble", ["It is so."]),
        ("Acknowledgments", "acknowledgments", ["We thank Ann."]),
    ]


def test_an_entry_is_as_printed_in_mixed_citations_and_has_spaces_between_the_parts_of_others():
    parts = "<name><surname>Doe</surname></name>{}<year>2001</year>{}<source>Bees</source>"
    mixed = f"<ref><mixed-citation>{parts.format(' (', '). ')}.</mixed-citation></ref>"
    parted = f"<ref id='b'><element-citation>{parts.format('', '')}</element-citation></ref>"
    body = "<body><p>We ask.</p></body>"
    paper = read("jats", f"<article>{body}<back><ref-list>{mixed}{parted}</ref-list></back></article>")
    assert [entry.text for entry in paper.bibliography] == ["Doe (2001). Bees.", "Doe 2001 Bees"]


INLINE = {"jats": ("italic", "sup", "xref"), "grobid_tei": ("hi", "ref")}
BLOCKS = {
    "jats": ("p", "list", "list-item", "disp-quote", "def-list", "term", "def", "code"),
    "grobid_tei": ("p", "list", "item", "quote"),
}
SKIPPED = {"jats": ("fig", "table-wrap", "fn"), "grobid_tei": ("figure", "table", "note")}


@st.composite
def trees(draw, kind):
    """A tree of elements in which every word occurs once, and the words of each of its blocks."""
    words = (f"Word{number}x" for number in range(10_000))
    blocks = [[]]

    def text(read=True):
        several = [next(words) for _ in range(draw(st.integers(0, 2)))]
        if read:
            blocks[-1] += several
        return "".join(f" {word} " for word in several)

    def element(depth):
        name = draw(st.sampled_from([*INLINE[kind], *BLOCKS[kind], *SKIPPED[kind]]))
        if name in SKIPPED[kind]:
            return f"<{name}>{text(read=False)}</{name}>{text()}"
        block = name in BLOCKS[kind]
        if block:
            blocks.append([])
        inside = text() + "".join(element(depth - 1) for _ in range(draw(st.integers(0, 2 * (depth > 0)))))
        if block:
            blocks.append([])
        return f"<{name}>{inside}</{name}>{text()}"

    body = "<p>Begin." + "".join(element(3) for _ in range(draw(st.integers(0, 4)))) + "</p>"
    blocks[0].insert(0, "Begin.")
    return body, [block for block in blocks if block]


@pytest.mark.parametrize("kind", INLINE)
@given(data=st.data())
def test_no_word_is_lost_or_added_and_no_two_blocks_are_joined(kind, data):
    body, blocks = data.draw(trees(kind))
    read = [re.findall(r"\S+", sentence) for sentence in sentences(kind, body)]
    assert [word for sentence in read for word in sentence] == [word for block in blocks for word in block]
    first_words = {block[0] for block in blocks}
    assert all(word not in first_words for sentence in read for word in sentence[1:])
