"""The four transcript formats: golden files, malformed ones, and large hostile ones."""

from __future__ import annotations

import itertools
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.parse.source import ParseError
from ops.talksumm.sources.captions import read_srt, read_webvtt
from ops.talksumm.sources.transcripts import decoded_transcript, read_plain, read_timed

VTT = """WEBVTT - a talk
Kind: captions
Language: en

NOTE
made by hand

STYLE
::cue { color: red }

REGION
id:left

intro
00:00.000 --> 00:02.000 align:start position:0%
<v Ada Lovelace>Hello <c.loud>wor</c>ld,
it &amp; I

1:00:02.000 --> 01:00:04.000
one<01:00:03.500><c> two</c>
"""

ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000
\x20
hello<00:00:00.500><c> world</c>

00:00:02.000 --> 00:00:02.010
hello world
\x20

00:00:02.010 --> 00:00:04.000
hello world
this<00:00:03.000><c> is</c>

00:00:04.000 --> 00:00:04.010
this is
\x20

00:00:04.010 --> 00:00:05.000
this is
this
"""

SRT = (
    "\ufeff1\r\n00:00:00,000 --> 00:00:03,000\r\n<i>Good</i> {\\an8}day to you\r\n2019\r\n\r\n"
    '2\r\n00:00:03.000 --> 00:00:04.000\r\n<font color="red">all</font> a < b\r\n'
)


def spans(words):
    return [(word.text, word.start, word.end) for word in words]


def test_webvtt_keeps_only_what_is_spoken_and_times_it_by_characters():
    assert spans(read_webvtt(VTT)) == [
        ("Hello", 0.0, 0.667),
        ("world,", 0.667, 1.467),
        ("it", 1.467, 1.733),
        ("&", 1.733, 1.867),
        ("I", 1.867, 2.0),
        ("one", 3602.0, 3603.5),
        ("two", 3603.5, 3604.0),
    ]


def test_offsets_lead_back_to_the_first_character_of_a_word_in_the_file():
    found = {word.text: VTT[word.offset :] for word in read_webvtt(VTT)}
    assert found["Hello"].startswith("Hello <c.loud>")
    assert found["world,"].startswith("wor</c>ld,")
    assert found["&"].startswith("&amp; I")
    assert found["two"].startswith("two</c>")


def test_rolling_captions_count_every_word_once():
    assert spans(read_webvtt(ROLLING)) == [
        ("hello", 0.0, 0.5),
        ("world", 0.5, 2.0),
        ("this", 2.01, 3.0),
        ("is", 3.0, 4.0),
        ("this", 4.01, 5.0),
    ]


def test_a_repeated_line_stays_unless_captions_roll():
    text = "WEBVTT\n\n" + "".join(
        f"00:0{index}.000 --> 00:0{index + 1}.000\n{line}\n\n"
        for index, line in enumerate(["Thank you.", "Thank you.", "Next slide.", "It works.", "Questions?"])
    )
    assert [word.text for word in read_webvtt(text)].count("Thank") == 2


def test_subrip_with_byte_order_mark_crlf_and_tags():
    words = read_srt(SRT)
    assert [word.text for word in words] == ["Good", "day", "to", "you", "2019", "all", "a", "<", "b"]
    assert spans(words)[4] == ("2019", 2.25, 3.0)
    assert all(SRT[word.offset :].startswith(word.text) for word in words)


def test_a_cue_right_under_the_webvtt_header_is_read():
    assert spans(read_webvtt("WEBVTT\nKind: x\n00:01.000 --> 00:02.000\nhi")) == [("hi", 1.0, 2.0)]


@pytest.mark.parametrize("wrap", [lambda words: words, lambda words: {"language": "en", "words": words}])
def test_json_words_keep_their_own_times(wrap):
    entries = [
        {"word": " Hi", "start": 0, "end": 0.25, "confidence": 0.5},
        {"text": "caf\u00e9 \U0001f600 bar", "startTime": 0.25, "endTime": 1.25},
        {"word": "unaligned"},
        {"word": " ", "start": 2, "end": 3},
    ]
    text = json.dumps(wrap(entries))
    words = read_timed(text)
    assert spans(words) == [
        ("Hi", 0.0, 0.25),
        ("café", 0.25, 0.75),
        ("\U0001f600", 0.75, 0.875),
        ("bar", 0.875, 1.25),
        ("unaligned", None, None),
    ]
    assert text[words[1].offset :].startswith("caf\\u00e9 ")
    assert text[words[2].offset :].startswith("\\ud83d\\ude00 ")
    assert text[words[3].offset :].startswith('bar"')


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "line 1: no WEBVTT"),
        ("WEBVTTX\n", "line 1: no WEBVTT"),
        ("00:01.000 --> 00:02.000\nhi", "line 1: no WEBVTT"),
        ("WEBVTT\n\n00:01.000 --> 00:61.000\nhi", "line 3: malformed cue times"),
        ("WEBVTT\n\nid\n00:01 --> 00:02\nhi", "line 4: malformed cue times"),
        ("WEBVTT\n\n-00:01.000 --> 00:02.000\nhi", "line 3: malformed cue times"),
        ("WEBVTT\n\n00:02.000 --> 00:01.000\nhi", "line 3: the cue ends before it starts"),
        (
            "WEBVTT\n\n00:02.000 --> 00:03.000\na\n\n00:01.000 --> 00:05.000\nb",
            "line 6: the cue starts before",
        ),
        (
            "WEBVTT\n\n00:02.000 --> 00:03.000\na\n00:03.000 --> 00:04.000\nb",
            "line 5: cue times inside a cue",
        ),
        ("WEBVTT\n\n00:02.000 --> 00:03.000\na <00:04.000>b", "line 3: the times inside the cue"),
        ("WEBVTT\n\nlost words\nof nobody", "line 3: neither cue times nor NOTE"),
    ],
)
def test_malformed_webvtt_names_the_line(text, cause):
    with pytest.raises(ParseError, match=cause):
        read_webvtt(text)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("1\n00:00:01,000 -> 00:00:02,000\nhi", "line 2: malformed cue times"),
        ("1\n00:00:01,000 --> 00:00:02,000\nhi\n\nmore of it\n", "line 5: malformed cue times"),
        ("1\n\n00:00:01,000 --> 00:00:02,000\nhi", "line 1: malformed cue times"),
        ("just words", "line 1: malformed cue times"),
    ],
)
def test_malformed_subrip_names_the_line(text, cause):
    with pytest.raises(ParseError, match=cause):
        read_srt(text)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("{", "line 1: not JSON"),
        ('[\n{"word": "a" "b"}]', "line 2: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("3", "expected a list of words"),
        ('{"text": "hello"}', "expected a list of words"),
        ('{"words": {}}', "expected a list of words"),
        ('["hello"]', r"words\[0\]: expected an object"),
        ('[{"word": 3}]', r"words\[0\]: \"word\" is missing or not a string"),
        ('[{"start": 0, "end": 1}]', r"words\[0\]: \"word\" is missing or not a string"),
        ('[{"word": "a", "start": 1}]', r"words\[0\]: start without end"),
        ('[{"word": "a", "start": "1", "end": 2}]', r"words\[0\]: start is not a number"),
        ('[{"word": "a", "start": true, "end": 2}]', r"words\[0\]: start is not a number"),
        ('[{"word": "a", "start": NaN, "end": 2}]', "NaN is no JSON number"),
        ('[{"word": "a", "start": 0, "end": 1e999}]', r"words\[0\]: end is negative or infinite"),
        (
            '[{"word": "a", "start": 0, "end": 1' + "0" * 9999 + "}]",
            r"words\[0\]: end is negative or infinite",
        ),
        ('[{"word": "a", "start": -1, "end": 2}]', r"words\[0\]: start is negative"),
        ('[{"word": "a", "start": 2, "end": 1}]', r"words\[0\]: ends at 1.0 before it starts at 2.0"),
        (
            '[{"word": "a", "start": 2, "end": 3}, {"word": "b", "start": 1, "end": 4}]',
            r"words\[1\]: starts at 1.0 before the word before it at 2.0",
        ),
        ('[{"word": "\\ud800", "start": 0, "end": 1}]', r"words\[0\]: the word holds the character U\+D800"),
    ],
)
def test_malformed_json_names_the_word_or_the_line(text, cause):
    with pytest.raises(ParseError, match=cause):
        read_timed(text)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (b"caf\xe9 au lait", r"not UTF-8 at byte 3 \(0xe9\)"),
        ("hello".encode("utf-16"), r"not UTF-8 at byte 0 \(0xff\)"),
        ("hello".encode("utf-16-le"), "a NUL at byte 1"),
        (b"a\nb\x1b", r"the file holds the character U\+001B, which is no text \(line 2, column 2\)"),
    ],
)
def test_bytes_that_are_not_text_are_refused(content, cause):
    with pytest.raises(ParseError, match=cause):
        decoded_transcript(content)


TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")))


@settings(deadline=None)
@given(st.text())
def test_offsets_of_plain_words_increase_and_point_at_them(text):
    words = read_plain(text)
    assert all(text[word.offset : word.offset + len(word.text)] == word.text for word in words)
    assert all(a.offset + len(a.text) < b.offset for a, b in itertools.pairwise(words))
    assert [word.text for word in words] == text.removeprefix("\ufeff").split()


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, st.floats(0, 1e6)), max_size=20), st.booleans())
def test_json_offsets_increase_whatever_the_escapes(entries, ascii_only):
    moments = sorted(moment for _, moment in entries)
    text = json.dumps(
        [{"word": word, "start": at, "end": at} for (word, _), at in zip(entries, moments, strict=True)],
        ensure_ascii=ascii_only,
    )
    words = read_timed(text)
    assert [word.text for word in words] == [piece for word, _ in entries for piece in word.split()]
    assert all(a.offset < b.offset for a, b in itertools.pairwise(words))
    if not ascii_only:
        unescaped = [word for word in words if json.dumps(word.text, ensure_ascii=False)[1:-1] == word.text]
        assert all(text[word.offset :].startswith(word.text) for word in unescaped)


@settings(deadline=None)
@given(st.text(alphabet="WEBVTNO-> :.,0123<>c/v&;{}\\\n\r ab\ufeff"))
def test_any_text_is_read_or_refused(text):
    for read in (read_webvtt, read_srt, read_timed, read_plain):
        for candidate in (text, "WEBVTT\n\n00:01.000 --> 00:02.000\n" + text):
            try:
                words = read(candidate)
            except ParseError:
                continue
            assert all(0 <= word.offset < len(candidate) for word in words)


CUE = "WEBVTT\n\n00:01.000 --> 00:02.000\n"


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_webvtt, CUE + "<a" * 500_000),
        (read_webvtt, CUE + "<" * 1_000_000),
        (read_webvtt, CUE + "<b>x" * 250_000),
        (read_webvtt, CUE + "&a" * 500_000),
        (read_webvtt, CUE + "{\\" * 500_000),
        (read_webvtt, CUE + "a\n" * 500_000),
        (read_webvtt, CUE + "x<00:01.500> " * 75_000),
        (read_webvtt, "WEBVTT\n\n" + " " * 1_000_000 + "-->"),
        (read_webvtt, "WEBVTT\n\n" + "0" * 1_000_000 + " -->"),
        (read_webvtt, "WEBVTT\n\n" + "00:01.000 --> 00:02.000\na\na\na\n\n" * 30_000),
        (read_srt, "1\n" * 500_000),
        (read_srt, "1\n00:00:01,000 --> 00:00:02,000\na\n\n" * 25_000),
        (read_timed, '[{"word": "' + "\\u0041" * 160_000 + '"}]'),
        (read_timed, '[{"word": "' + "a " * 500_000 + '", "start": 0, "end": 1}]'),
        (read_timed, '{"a":' * 200_000),
        (read_timed, "[" + "1" * 1_000_000),
        (read_plain, "a " * 500_000),
        (read_plain, "\r" * 1_000_000),
    ],
)
def test_a_hostile_megabyte_takes_no_longer_than_a_megabyte(read, text):
    begin = time.process_time()
    try:
        read(text)
    except ParseError as error:
        assert len(str(error)) < 300
    assert time.process_time() - begin < 12  # quadratic work on this much takes hours
