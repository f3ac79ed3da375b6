"""What {{convert}} shows: the given quantities, with symbols of units; names in adjectives and with abbr=off.

The right texts are those of the template's own documentation, without the converted quantities.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.wikitext import article
from silverloom.ops.text.holes import HOLE


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("10|km|mi", "10 km"),
        ("90|ft|4|in|m", "90 ft 4 in"),
        ("1|acre", "1 acre"),
        ("1/2|acre|ha", "1/2 acre"),
        ("1970|acre", "1,970 acres"),
        ("1.5|miles|km", "1.5 miles"),
        ("22|e6acre|ha", "22 million acres"),
        ("9|kilometers|mi", "9 kilometers"),
        ("3|perches|m2", "3 perches"),
        ("1|week|day", "1 week"),
        ("20|C|F", "20 °C"),
        ("5|C-change|F-change", "5 °C"),
        ("15700|ft3|m3", "15,700 cu ft"),
        ("28748|km2|0", "28,748 km²"),
        ("3|kg/m3", "3 kg/m³"),
        ("9|koilbbl/d", "9 thousand bbl/d"),
        ("2|MUSgal", "2 million US gal"),
        ("93.1|PD/sqmi|PD/km2|adj=off", "93.1 inhabitants per square mile"),
        ("93.1|/sqmi|/km2|sp=us", "93.1 inhabitants per square mile"),
        # Two quantities.
        ("11|st|4|lb|kg", "11 st 4 lb"),
        ("1|lb|8|oz|kg", "1 lb 8 oz"),
        ("3|mi|20|ch|km", "3 mi 20 ch"),
        ("5|yd|2|ft|3|in", "5 yd 2 ft 3 in"),
        ("80|kg|lb stlb", "80 kg"),
        # Ranges.
        ("8|to|10|kn|km/h", "8 to 10 kn"),
        ("1 to 2|m", "1 to 2 m"),
        ("2|by|3|m", "2 by 3 m"),
        ("7|-|9|km|0", "7–9 km"),
        ("1+1/2|mi", "1 1/2 mi"),
        ("12x14x1|ft|cm", "12 × 14 × 1 ft"),
        ("15–17|in", "15–17 in"),
        ("-5|to|5|C", "-5 to 5 °C"),
        # Adjectives.
        ("200|acre|ha|adj=on", "200-acre"),
        ("5|mile|km|adj=on", "5-mile"),
        ("7|foot|m|adj=on", "7-foot"),
        ("7|feet|m|sing=on", "7-foot"),
        ("10|mi|km|adj=on", "10-mile"),
        ("60|nmi|km|adj=on", "60-nautical-mile"),
        ("600000|sqft|m2|adj=on", "600,000-square-foot"),
        ("2.5|km2|acre|adj=on", "2.5-square-kilometre"),
        ("100|km/h|mph|adj=on", "100-kilometre-per-hour"),
        ("5|ft|8|in|adj=on", "5-foot-8-inch"),
        ("1|lb|8|oz|kg|adj=on", "1-pound-8-ounce"),
        ("5|to|10|m|adj=on", "5-to-10-metre"),
        ("193.3|by|69.5|mi|km|adj=on", "193.3-by-69.5-mile"),
        ("22|e6acre|adj=on", "22-million-acre"),
        ("20|C|F|adj=on", "20 °C"),
        ("10|mi|km|adj=on|abbr=on", "10 mi"),
        # Words in them.
        ("6|ft|4|in|cm|adj=mid|-tall", "6-foot-4-inch-tall"),
        ("6|ft|1|in|m|adj=mid|tall", "6-foot-1-inch tall"),
        ("10|ft|m|0|adj=mid|long", "10-foot long"),
        ("5|-|10|m|ft|adj=mid|-long", "5–10-metre-long"),
        ("4|ft|adj=mid|-long", "4-foot-long"),
        ("10|ft|m|abbr=on|adj=mid|long", "10 ft long"),
        ("40|ft|adj=pre|long", "40 long ft"),
        ("4|acre||adj=pre|planted", "4 planted acres"),
        ("10|W|hp|adj=pre|RMS", "10 RMS W"),
        ("4|m||adj=pre|+", "4+ m"),
        ("4|m||disp=preunit|+ |or more ", "4+ m"),
        # Names of units, and spelling.
        ("12|km|abbr=off", "12 kilometres"),
        ("1|km|abbr=off", "1 kilometre"),
        ("100|km|nmi|sp=us|abbr=off", "100 kilometers"),
        ("40|ft|6|in|m|abbr=off", "40 feet 6 inches"),
        ("28748|km2|0|abbr=off", "28,748 square kilometres"),
        ("50|mph|km/h|abbr=off", "50 miles per hour"),
        ("300|m|ft|adj=on|sp=us", "300-meter"),
        # What is converted is not shown, however it would be.
        ("50|mph|km/h|disp=or", "50 mph"),
        ("10|m|ft|disp=x|, or about |", "10 m"),
        ("360|km|mi|0|adj=on|order=flip", "360-kilometre"),
    ],
)  # fmt: skip
def test_a_conversion_is_the_quantity_that_was_given(arguments, shown):
    assert text(f"It is {{{{convert|{arguments}}}}} there.") == f"It is {shown} there."


def test_cvt_has_symbols():
    assert text("A {{cvt|10|mi|km|adj=on}} road.") == "A 10 mi road."


@pytest.mark.parametrize(
    "arguments", ["250|lbft|Nm|abbr=on", "23|mpgus|L/100km", "2|acreft|m3", "5|sqkm", "7|uscwt|kg", "5|km|mi|disp=out", "5|km|mi|disp=number", "10|ft|m|adj=mid", "10|frob/x|km", "about 5|km", "5", ""]
)  # fmt: skip
def test_a_conversion_that_cannot_be_rendered_is_a_hole(arguments):
    assert text(f"It is {{{{convert|{arguments}}}}} there.") == f"It is {HOLE} there."


ARGUMENTS = st.sampled_from(
    ["5", "1.5", "1/2", "-3", "1,200", "to", "by", "x", "ft", "in", "km2", "km/h", "e6acre", "C-change", "long", "-tall", "",
     "adj=on", "adj=mid", "adj=pre", "abbr=off", "abbr=on", "sp=us", "disp=or", "disp=preunit"]
) | st.text("0123456789.,-+/exto kmft", max_size=6)  # fmt: skip


@given(st.lists(ARGUMENTS, max_size=8))
def test_any_arguments_give_the_given_number_or_a_hole(arguments):
    shown = text(f"It is {{{{convert|{'|'.join(arguments)}}}}} there.")
    given_ = next((argument for argument in arguments if "=" not in argument), "")
    assert shown == f"It is {HOLE} there." or digits(shown).startswith(digits(given_))


def digits(text):
    return re.sub(r"\D", "", text)


def text(wikitext):
    [paragraph] = article("Tane", "", wikitext).sections[0].paragraphs
    return paragraph
