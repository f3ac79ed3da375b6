"""Which characters are text, and how others are escaped."""

import pytest

from silverloom.ops.parse.decoding import check_characters, one_line
from silverloom.ops.parse.source import ParseError


@pytest.mark.parametrize("code", [0x00, 0x08, 0x0B, 0x1B, 0xD800])
def test_control_characters_and_lone_surrogates_are_not_text(code):
    with pytest.raises(
        ParseError, match=rf"the text holds the character U\+{code:04X}, .*\(line 2, column 2\)"
    ):
        check_characters(f"a\nb{chr(code)}", "the text")


def test_windows_1252_quotes_and_dashes_decoded_as_latin_1_are_kept():
    check_characters("the users\x92 \x93gold standard\x94 \x96 and \x7f", "the text")


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0)])
def test_terminal_control_characters_are_escaped(code):
    assert one_line(f"a{chr(code)}b") == f"a\\x{code:02x}b"


def test_line_breaks_are_escaped_and_printable_text_is_unchanged():
    assert one_line("\u2028\u2029\u0085") == "\\u2028\\u2029\\x85"
    assert one_line("caf\u00e9\u00a0\u00a1 ~") == "caf\u00e9\u00a0\u00a1 ~"
