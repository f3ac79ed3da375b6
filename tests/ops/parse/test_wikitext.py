"""The text of wikitext: what templates show, where holes are, and that no letter outside of markup is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse import wikitext_templates
from silverloom.ops.parse.wikitext import article, cleaned
from silverloom.ops.parse.wikitext_values import COMPUTED
from silverloom.ops.text.holes import HOLE


def paragraphs(wikitext):
    """The paragraphs of an article, with "#" for a hole."""
    sections = article("Tane", "", wikitext).sections
    return [paragraph.replace(HOLE, "#") for section in sections for paragraph in section.paragraphs]


def text(wikitext):
    """The only paragraph."""
    (paragraph,) = paragraphs(wikitext)
    return paragraph


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("{{As of|2019|3}}, the town had 900 people.", "As of March 2019, the town had 900 people."),
        ("It fell {{as of|2014|lc=y}}.", "It fell as of 2014."),
        ("It made the rest.<ref>A</ref>Mills came{{cn}}.{{cn}}The U.S.<ref>B</ref> Army left.",
         "It made the rest. Mills came. The U.S. Army left."),
        ("See it at [http://a.example.org/ ], in a list.[//b.example.org] It is old.",
         "See it at #, in a list. It is old."),
        ("Held {{As of|2025|01|28|df=US|since=y}}.", "Held Since January 28, 2025."),
        ("{{As of|2010|4|1|alt=By the [[census]]}} it grew.", "By the census it grew."),
        ("'''{{HMS|Beagle}}''' sank.", "HMS Beagle sank."),
        ("As {{harvnb|Smith|2001|p=3}} says, it is old; as shown by {{harvcoltxt|Ash|Birk|1990}}, it runs.",
         "As Smith 2001 says, it is old; as shown by Ash & Birk (1990), it runs."),
        ("It grew {{harv|Smith|2001}}.", "It grew (Smith 2001)."),
        ("{{harvtxt|Lee|Kim|Post|2004}} doubt it {{harv|Lee|Kim|Post|2004}}, as {{harvnb|Lee|Kim|Post|2004}}.",
         "Lee, Kim & Post (2004) doubt it (Lee, Kim & Post 2004), as Lee, Kim & Post 2004."),
        ("{{citet|Lee|Kim|Post|Ray|2004b}} doubt it.", "Lee et al. (2004b) doubt it."),
        ("{{harvs|last=Lee|first=Ann|year1=2004|txt=yes}} doubts.", "Ann Lee (2004) doubts."),
        ("It is {{±|3}} m, press {{key press|Ctrl|C}}.", "It is ±3 m, press Ctrl+C."),
        ("See {{bibleverse|1|John|3:16}}, {{bibleverse||John|3:16|KJV}} and {{bibleverse|Genesis|1|2}}.",
         "See 1 John 3:16, John 3:16 and Genesis 1:2."),
        ("The {{sclass|Nimitz|aircraft carrier|4}} and {{abbr|UN|United Nations}} in {{fb|Norway}}.",
         "The Nimitz and UN in Norway."),
        ("The {{USS|Hornet|CV-12}}, {{USS|Hornet|CV-12|6}} and {{USS|Hornet|CV-12|2}}.",
         "The USS Hornet (CV-12), USS Hornet and Hornet."),
        ("The {{ship|ARA|General Belgrano}} and the {{sclass|Valiant|tug}}.",
         "The ARA General Belgrano and the Valiant-class tug."),
        ("Near {{SS|Orla}} in {{flag|Norway}}.", "Near SS Orla in Norway."),
        ("Launched in {{start date|1820}}, on {{start date|1820|5|11}} or {{start date|1820|5|11|df=yes}}.",
         "Launched in 1820, on May 11, 1820 or 11 May 1820."),
        ("At {{start date|1993|02|24|08|30}}, he died {{death date and age|2001|3|4|1920|1|1}}.",
         "At 08:30, February 24, 1993, he died March 4, 2001."),
        ("Its crew was {{formatnum:75}} of {{formatnum: 13003}} men.", "Its crew was 75 of 13,003 men."),
        ("It is {{nowrap|{{convert|5|km}}}} long.", "It is 5 km long."),
        ("Built {{circa|1350}} by {{ill|Jan Holm|nl}}, {{ill|de|Altes Haus}}.",
         "Built c. 1350 by Jan Holm, Altes Haus."),
        ("It is {{frac|3|4}} full of {{sic|grian}} and 1{{frac|1|2}} deep.",
         "It is 3/4 full of grian and 1 1/2 deep."),
        ("It cost {{GBP|5}}, {{US$|2 billion}}, {{currency|9|EUR}}, {{currency|8|US}} or {{¥|3}}.", "It cost £5, US$2 billion, €9, US$8 or ¥3."),
        ("It grew {{increase}} 3 in {{decrease}} 1990.", "It grew 3 in 1990."),
        ("A mass of {{val|6.241|e=18|u=kg}} or 5.98{{e|24}}.", "A mass of 6.241 × 10¹⁸ kg or 5.98×10²⁴."),
        ("It is {{math|''a'' {{=}} 2}}, {{mvar|x}} and {{chem|H|2|O}}.", "It is a = 2, x and H2O."),
        ("A {{w|water power}}, {{w|wind power|wind}} and {{langx|fr|Moulin}}.", "A water power, wind and Moulin."),
        ("{{lang|de|[[Kant|I. Kant]]}} wrote {{transl|ar|ALA|Allāh}}.", "I. Kant wrote Allāh."),
        ("On 15{{nbsp}}September it rained{{snd}}a lot{{mdash}}here.",
         "On 15 September it rained – a lot—here."),
        ("The crew of ''Heron''{{'s}} boat and ''GQ''{{'}}s man.", "The crew of Heron's boat and GQ's man."),
        ("The current is <math>I=V/R</math>.", "The current is I=V/R."),
        ("It is 10<sup>6</sup> m<sup>2</sup>, the 5<sup>th</sup>.", "It is 10⁶ m², the 5th."),
        ("The ion {{chem|SO|4|2-}} at x{{sup|2}}, {{sup|th}} {{not a typo|teh}}.", "The ion SO4²⁻ at x², th teh."),
        ("{{as of|2014|pre=early}} it {{citation needed span|was so|date=x}}.", "As of early 2014 it was so."),
        ("It says <nowiki>[[a]] {{b}}</nowiki>.", "It says [[a]] {{b}}."),
        ("It is here {{anchor|x}}.{{citation needed|date=May}} It was{{when}} there{{sfn|A|2}}, {{efn|b}}too.",
         "It is here. It was there, too."),
    ],
)  # fmt: skip
def test_a_template_is_the_text_that_it_shows(wikitext, shown):
    assert text(wikitext) == shown


def test_every_line_of_the_table_of_templates_can_be_used():
    names = [name for name, _ in wikitext_templates.template_table()]
    shown = [pattern for _, alternatives in wikitext_templates.template_table() for pattern in alternatives]
    assert len(names) == len(set(names)) and all(name == name.strip().lower() for name in names if name)
    functions = {pattern[1:] for pattern in shown if pattern.startswith("@")}
    assert functions == {*COMPUTED, "price"}


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("{{harvs|last=Lee|last2=Kim|year=2004|txt=yes}} and {{harvtxt|Lee|Kim}} doubt.", "# and # doubt."),
        ("It is {{±|3|2}} or {{codes|a|b}}.", "It is # or #."),
        ("He beat {{fb|NOR}}, {{cr|ENG}} and {{flagcountry|USA}}.", "He beat #, # and #."),
        ("It has {{pop density|3|4}} people.", "It has # people."),
        ("The value is <math>\\frac{1}{2}</math>.", "The value is #."),
        ("It lies at {{coord|52|N|4|E}} in it.", "It lies at # in it."),
        ("It is {{val|15|+1|-2}} in {{CURRENTYEAR}}.", "It is # in #."),
        ("He was {{#if:a|b}} or {{lc:ABC}}.", "He was # or #."),
        ("It is {{convert|{{odd}}|km}}.", "It is #."),
        ("It costs {{formatnum:{{Inflation|US|5}}}}.", "It costs #."),
        ("It is {{nowrap|about {{odd|5}} km}}.", "It is about # km."),
        ("The value is\n:<math>\\alpha</math>,\nwhere it is.", "The value is #, # where it is."),
        ("The value is\n:<math>\\alpha</math> for all x.", "The value is # for all x."),
        ("The value is\n:<math>I=V</math> for all x.", "The value is I=V for all x."),
        ("It is {{lang|de|open.", "It is #lang|de|open."),
        ("It is [[open.", "It is #open."),
        ("It is <ref>open.", "It is #open."),
        ("It is <math>open.", "It is #open."),
        ("See [http://a.example] for it.", "See # for it."),
        ("According to {{citation|title=The Book}}, it is long.", "According to #, it is long."),
        ("He read {{cite book|title=The Book}} in 1990.", "He read # in 1990."),
        ("It is told in {{cite book|title=a}}. See {{citation|title=a}}.", "It is told in #. See #."),
        ("{{cite book|title=a}}, it is long.", "#, it is long."),
        ("The {{unknown\n|foo}} was long.", "The # was long."),
        ("{{unknown\n|foo}} was long.", "# was long."),
        ("The {{cite book\n|title=The Book}} was long.", "The # was long."),
        (f"The {{{{odd|{'x' * 30_000}}}}} was long.", "The # was long."),
    ],
)
def test_what_cannot_be_rendered_leaves_a_hole(wikitext, shown):
    assert text(wikitext) == shown


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("{{Odd sidebar}}\n{{Odd box\n|a=b}}\nIt is.", ["It is."]),
        ("{{Odd sidebar}}'''It''' is.", ["It is."]),
        ("It is.{{odd remark}} It was, {{odd}} here.", ["It is. It was, # here."]),
        ("It is.\n* {{official website}}\n* {{odd}}\nIt was.", ["It is.", "It was."]),
        ("It is.\n\n{{Odd navbox}}\n\nIt was.", ["It is.", "It was."]),
        ("It is.\n:<math>\\alpha</math>\nIt was.", ["It is.\nIt was.".replace("\n", " ")]),
        ("It is. {{odd}}\n\nIt was.", ["It is.", "It was."]),
        ("It is.[http://a.example] It flows [http://b.example].", ["It is. It flows."]),
        ("It is at {{coord|52|N|4|E|display=title}} sea.", ["It is at sea."]),
        ("It is. {{cite book|title=a}}\n\nIt was.{{cite book|title=a}} It is.", ["It is.", "It was. It is."]),
        (
            "It is long {{cite book|title=a}}, or old ({{cite book|title=a}}) {{citation|title=a}}.",
            ["It is long, or old."],
        ),
        ("It is the gold standard{{cite book|title=a}} of all.", ["It is the gold standard of all."]),
        ("It is.\n* {{cite book|title=a}}\n{{refbegin}}\n{{cite book\n|title=a}}\n{{refend}}", ["It is."]),
        (f"{{{{Odd box\n|a={'x' * 30_000}}}}}{{{{Odd\n|a}}}} It is.", ["It is."]),
    ],
)
def test_a_template_of_the_page_or_a_remark_is_no_hole(wikitext, shown):
    assert paragraphs(wikitext) == shown


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("'''Bremu''' (BRM, {{IPAc-en|b}}) is.", "Bremu (BRM) is."),
        ("'''Tarn''' (from Norse:{{IPA|t}}, ''tjorn'') is.", "Tarn (from Norse: tjorn) is."),
        ("'''Tarn''' ({{IPA|t}}; Norse: ''tjorn'' {{IPA|t}}) is.", "Tarn (Norse: tjorn) is."),
        ("'''Tarn''' ({{IPA|t}}, {{audio|a.ogg}}) is.", "Tarn is."),
        ("'''Tarn''' (pronounced {{IPAc-en|a}}) is.", "Tarn is."),
        ("'''Tarn''' ({{IPAc-en|a}} or {{IPAc-en|b}}; X) is.", "Tarn (X) is."),
        ("'''Tarn''' ({{IPAc-en|a}}, X) is (/b/, old).", "Tarn (X) is (/b/, old)."),
        ("'''Tarn''' (X / {{IPA|x}}) is ({{IPA|fr|x}} – old).", "Tarn (X) is (old)."),
        ("'''Tarn''' (German: {{IPA|t}}; Norse: ''tjorn'') is.", "Tarn (Norse: tjorn) is."),
        ("'''Tarn''' ({{respell|a(w)l|BAY}}, born 1821<ref>a</ref>) is.", "Tarn (born 1821) is."),
        ("The vowel {{IPA|/a/}} and {{IPA-de|b|lang}}.", "The vowel /a/ and [b]."),
        ("It lies (at {{coord|5|N|4|E}}) there.", "It lies (at #) there."),
        ("It lies ({{odd|5}}) there.", "It lies # there."),
        ("It calls main() or f(x).", "It calls main() or f(x)."),
        ("The .NET runtime and a .22 rifle.", "The .NET runtime and a .22 rifle."),
        ("It is . It was , too.", "It is. It was, too."),
        ("Type , (comma) or . (full stop).", "Type , (comma) or . (full stop)."),
        ("It is. . . so.", "It is. . . so."),
    ],
)
def test_brackets_and_points_close_only_where_something_was_taken_out(wikitext, shown):
    assert text(wikitext) == shown


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("It grows.<br />It is green.", ["It grows. It is green."]),
        ("It grows.</br>It is{{br}}green.{{clear}}Too.", ["It grows. It is green. Too."]),
        ("It grows.{{pb}}It is green.", ["It grows.", "It is green."]),
        ("It grows.<br><br/>It is green.", ["It grows.", "It is green."]),
        ("It is.<table><tr><td>Oats<td>4<table><tr><td>a</table></table>It was.", ["It is.", "It was."]),
        ("It is.<tr><td>Oats</td></tr>", ["It is."]),
        ("It is.<ul><li>One</li><li>Two</li></ul>It was.<p>Three.</p>Four", ["It is.", "It was.", "Three.", "Four"]),
        ("It says: {{quote|A tax.<ref>x</ref>|Ann}} It is: {{blockquote|text=No tax}}",
         ["It says:", "A tax.", "It is:", "No tax"]),
        ("It is.<blockquote>A.</blockquote><poem>B\nc</poem>", ["It is.", "A.", "B c"]),
        ("__NOTOC__Alba is __X__ __NOEDIT__a town.\n----It is.\n----\nOld.", ["Alba is __X__ a town.", "It is.", "Old."]),
        ("!Kung is a language.", ["!Kung is a language."]),
        ("{|\n! a\n| b\n! c\nIt is.", ["It is."]),
        ("Text<gallery>a</gallery>end<PRE>b</PRE>.", ["Text end."]),
        ("It runs:\n 4 L ← R (often).\n   GOTO 6\nIt ends.", ["It runs:", "It ends."]),
        (" It is an old\n mill.", ["It is an old mill."]),
    ],
)  # fmt: skip
def test_blocks_are_not_joined(wikitext, shown):
    assert paragraphs(wikitext) == shown


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("They included {{quote|the mill.}} It is.", ["They included", "the mill.", "It is."]),
        ("It says that\n\n:it is\n\ninstead of\n* this", ["It says that #", "# instead of #"]),
        ("Those of Ann\n* and Bo\nhad been members.", ["Those of Ann #", "# had been members."]),
        ("They are:\n* one", ["They are:"]),
        ("it is old.", ["it is old."]),
        ('It is "so"\n* one\nIt is (so)\n* two', ['It is "so"', "It is (so)"]),
        ("It is old\n\n== Next ==\ne-mail is new", ["It is old", "e-mail is new"]),
    ],
)
def test_a_sentence_that_a_list_interrupts_has_a_hole(wikitext, shown):
    assert paragraphs(wikitext) == shown


@pytest.mark.parametrize(
    ("wikitext", "items"),
    [
        ("It is.<ul><li>One</li><li>Two</li></ul>It was.", [(1, "One"), (1, "Two")]),
        ("* [[One]]\n** ''Two''<ref>x</ref>\n\nIt is.\n# Three\n: Four\n*\n", [(0, "One"), (0, "Two"), (1, "Three"), (1, "Four")]),
        ("It is\n: <math>x \\in X</math>\nand so on.", []),
    ],
)  # fmt: skip
def test_items_of_lists_have_their_place_among_the_paragraphs(wikitext, items):
    [section] = article("Tane", "", wikitext).sections
    assert section.items == items


def test_a_comment_that_is_not_closed_goes_to_the_end_of_the_page_as_in_mediawiki():
    assert paragraphs("It is <!-- a --> new. <!-- It was\n\nold.") == ["It is new."]


def test_a_formula_alone_is_no_prose():
    assert article("Tane", "", "<math>y^3</math>").reason == "no_prose"
    assert paragraphs("It is.\n\n<math>y^3</math>\n\nIt was.") == ["It is.", "It was."]


@pytest.mark.parametrize(
    ("wikitext", "reason"),
    [
        ("In 2010 it elected [[John Smith]]{{disambiguation needed|date=May 2018}} as mayor.", ""),
        ("{{Disambiguation needed}} It is.", ""),
        ("It is. <!--\n{{disambig}} -->", ""),
        ("It is. <pre>\n{{disambig}}\n</pre>", ""),
        ("Tane may be:\n* one\n{{disambig|geo}}", "disambiguation"),
        ("Tane may be:\n* one\n{{stub}}{{Human name disambiguation}}", "disambiguation"),
    ],
)
def test_the_pages_own_template_makes_it_a_disambiguation(wikitext, reason):
    assert article("Tane", "", wikitext).reason == reason


@pytest.mark.parametrize(
    ("cited", "url"),
    [
        (
            "{{cite web|url=http://a.example/wiki/Sorrel_(plant)|title=b}}",
            "http://a.example/wiki/Sorrel_(plant)",
        ),
        ("(see http://a.example/b).", "http://a.example/b"),
        ("[http://a.example/O'Brien Name]", "http://a.example/O'Brien"),
        ("''http://a.example/b''", "http://a.example/b"),
        ("{{cite web|url=http://a.example/?a{{=}}b&amp;c=d}}", "http://a.example/?a=b&c=d"),
    ],
)
def test_an_address_ends_where_it_ends(cited, url):
    assert [work.url for work, _ in article("Tane", "", f"It is.<ref>{cited}</ref>").citations] == [url]


@pytest.mark.parametrize(
    ("cited", "title", "date", "archive"),
    [
        (
            "{{cite web |url=http://a.example/b |title=The ''[[River|rivers]]'' of Varn |date=3 May 2010\n"
            "|archive-url=https://web.archive.org/2011/http://a.example/b |archive-date=2011}}",
            "The rivers of Varn",
            "3 May 2010",
            "https://web.archive.org/2011/http://a.example/b",
        ),
        ("{{cite book|title=Varn &amp; Tane|year=1999|url=http://a.example/b}}", "Varn & Tane", "1999", ""),
        ("[http://a.example/b ''Rivers'' of Varn], p. 3", "Rivers of Varn", "", ""),
        ("http://a.example/b", "", "", ""),
        ("{{cite web|title=Other}} http://a.example/b", "", "", ""),
    ],
)
def test_a_citation_says_what_work_it_is(cited, title, date, archive):
    [(work, _)] = article("Tane", "", f"It is.<ref>{cited}</ref>").citations
    assert work == ("http://a.example/b", title, date, archive)


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("{{a|" * 8_000 + "end", f"{HOLE}a|" * 8_000 + "end"),
        ("}}{{ x", f"{HOLE}{HOLE} x"),
        ("[[" * 5_000 + "File:a", HOLE * 5_000 + "File:a"),
        ("<ref>" * 5_000 + "x", HOLE * 5_000 + "x"),
        ("<math>" * 5_000 + "x", HOLE * 5_000 + "x"),
        ("<nowiki>" * 5_000 + "x", HOLE * 5_000 + "x"),
        ("a <!-- b", "a "),
        ("{|\n" * 5_000, "{|\n" * 5_000),
        ("{{nowrap|" * 5_000 + "x" + "}}" * 5_000, HOLE),
        ("{{cite web|" * 5_000 + "}}" * 5_000, HOLE),
        ("{{refbegin}}\n" * 5_000 + "{{refend}}", "\n" * 5_000),
        ("<sup>" * 5_000 + "x", "<sup>" * 5_000 + "x"),
        ("a (" * 5_000, "a (" * 5_000),
    ],
)
def test_unclosed_markup_takes_linear_time(wikitext, shown):
    assert re.sub("[\ufdd0-\ufdd2]", "", cleaned(wikitext).text) == shown
    article("Tane", "", wikitext)


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("It <ce>H stays. <div>b</div>", ["It #H stays.", "b"]),
        ("<math>x It stays.</math and this", ["#x It stays.</math and this"]),
        ("<pre>x</PRE\n> It stays.", ["It stays."]),
        ("<ſource> It stays.</source>", ["<ſource> It stays.</source>"]),
    ],
)
def test_an_element_ends_at_its_own_end_tag_only(wikitext, shown):
    assert paragraphs(wikitext) == shown


#: Words of any letters; letters with a longer lower case are tried often.
WORDS = st.text(
    st.sampled_from("İẞßŉǰΐﬁſıKa") | st.characters(categories=["L", "Nd"]), min_size=1, max_size=6
)
SILENT = st.sampled_from(
    [
        "<gallery>\nFile:İ.jpg\n</gallery>", "<ref>İ</ref>", '<ref name="ſ">x</REF>', "<timeline/>", "<!-- İ -->",
        "{{citation needed|date=İ}}", "{{sfn|İ|1}}", "[[File:İ.jpg|thumb|[[ı]]]]", "[[Category:İ]]", "<br/>",
        "''", "<b></b>", " ", "\n",
    ]
)  # fmt: skip
HOLES = st.sampled_from(
    ["<math>\\x</math>", "{{odd|İ}}", "{{odd\u017f}}", "<hiero>İ</hiero >", "<CE>\\a</CE\n>"]
)


@given(st.lists(st.tuples(WORDS, SILENT | HOLES), min_size=1, max_size=8))
def test_no_letter_outside_of_markup_is_lost_and_none_is_added(pieces):
    together = "a" + "".join(f" {word} {markup} " for word, markup in pieces) + "b"
    wikitext = re.sub("\n +", "\n", together)  # lines that begin with a space are shown as typed, like code
    shown = "".join(paragraphs(wikitext)).replace("#", "")
    assert "".join(shown.split()) == "".join(["a", *(word for word, _ in pieces), "b"])


BLOCKS = st.sampled_from(
    [
        "\n\n", "<p>", "</div><div>", "{{quote|Q.}}", "\n{|\n| x\n|}\n", "<table><tr><td>x</td></tr></table>", "<hr/>",
        "\n* item\n", "\n== H ==\n", "<blockquote>Q.</blockquote>", "{{Odd\n|a=b}}\n\n", "\n\n[[File:a.jpg]]\n\n",
        "<br><br>", "<ul><li>x</li></ul>", "\n\n{{odd}}\n\n",
    ]
)  # fmt: skip


@given(st.lists(st.tuples(WORDS, BLOCKS), min_size=1, max_size=8))
def test_no_two_blocks_are_joined(pieces):
    wikitext = "".join(f"A {word}.{block}" for word, block in pieces)
    expected = [f"A {word}." for word, _ in pieces]
    assert [paragraph for paragraph in paragraphs(wikitext) if paragraph != "Q."] == expected


def test_a_turkish_article_keeps_every_sentence_between_elements():
    sentences = [f"İstanbul İl'i {number}. ilçedir." for number in range(50)]
    wikitext = "".join(f"{sentence} <gallery>x_{{i}}</gallery> " for sentence in sentences)
    assert text(wikitext) == " ".join(sentences)
