"""The transcript formats: golden files, malformed ones, and large hostile ones."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silverloom.ops.parse.source import ParseError
from silverloom.ops.talksumm.sources.captions import read_clocked, read_srt, read_substation, read_webvtt
from silverloom.ops.talksumm.sources.spoken import spoken
from silverloom.ops.talksumm.sources.transcripts import decoded_transcript, read_plain, read_timed

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


def said(words):
    return " ".join(word.text for word in words)


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
    ("read", "text", "cause"),
    [
        (read_webvtt, "", "line 1: no WEBVTT"),
        (read_webvtt, "WEBVTTX\n", "line 1: no WEBVTT"),
        (read_webvtt, "00:01.000 --> 00:02.000\nhi", "line 1: no WEBVTT"),
        (read_webvtt, "WEBVTT\n\nlost words\nof nobody", "no cue times"),
        (read_webvtt, "WEBVTT\n\nlost\n\n00:01.000 --> 00:02.000\nhi", "line 3: text before the first cue"),
        (read_srt, "just words", "no cue times"),
        (read_srt, "a title\n\n1\n00:00:01,000 --> 00:00:02,000\nhi", "line 1: text before the first cue"),
    ],
)
def test_a_file_without_cues_or_with_text_before_them_is_refused(read, text, cause):
    with pytest.raises(ParseError, match=cause):
        read(text)


@pytest.mark.parametrize(
    "times",
    [
        "00:01.000 --> 00:61.000",
        "-00:01.000 --> 00:02.000",
        "00.01.000 --> 00:02.000",
        "--> 00:02.000",
        "-->",
    ],
)
def test_a_cue_whose_times_cannot_be_read_keeps_its_words_without_times(times):
    text = f"WEBVTT\n\n00:00.000 --> 00:01.000\nso\n\n{times}\nwe begin\n\n00:03.000 --> 00:04.000\nnow"
    assert spans(read_webvtt(text)) == [
        ("so", 0.0, 1.0),
        ("we", None, None),
        ("begin", None, None),
        ("now", 3.0, 4.0),
    ]


@pytest.mark.parametrize(
    ("times", "start", "end"),
    [
        ("18:10.59 --> 18:15.59", 1090.59, 1095.59),
        ("00:00:01,5 --> 00:00:02,25", 1.5, 2.25),
        ("00:01 --> 00:02", 1.0, 2.0),
        ("75:00.000 -> 75:01.000", 4500.0, 4501.0),
        ("   0:01:00.00 ---> 0:02:00.00 X1:1", 60.0, 120.0),
        ("00:05.000 --> 00:02.000", 5.0, 5.0),
        ("0:00:01.000,0:00:02.500", 1.0, 2.5),
    ],
)
def test_times_are_read_as_converters_write_them(times, start, end):
    assert spans(read_srt(f"1\n{times}\nhi\n")) == [("hi", start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "1\n00:00:01,000 --> 00:00:02,000\none\n\ntwo\n\n2\n00:00:02,000 --> 00:00:03,000\nthree\n",
        "1\n00:00:01,000 --> 00:00:02,000\none\n \ntwo\n2\n00:00:02,000 --> 00:00:03,000\nthree\n",
        "00:00:01,000 --> 00:00:02,000\none two\n00:00:02,000 --> 00:00:03,000\nthree\n",
        "1\n00:00:01,000 --> 00:00:02,000\none two\n\n \n\n2\n00:00:02,000 --> 00:00:03,000\nthree",
        "2\n00:00:02,000 --> 00:00:03,000\nthree\n\n1\n00:00:01,000 --> 00:00:02,000\none two\n",
        "WEBVTT\n\n00:00:01,000 --> 00:00:02,000\none two\n\n00:00:02,000 --> 00:00:03,000\nthree\n",
    ],
    ids=["blank line in a cue", "line of a blank", "no numbers", "block of a blank", "unsorted", "WebVTT"],
)
def test_one_odd_cue_costs_no_word(text):
    words = read_srt(text)
    assert [word.text for word in words] == ["one", "two", "three"]
    assert (words[0].start, words[-1].end) == (1.0, 3.0)


def test_cues_of_webvtt_need_no_empty_line_between_them():
    text = "WEBVTT\n\n00:02.000 --> 00:03.000\na <00:09.000>b\n00:03.000 --> 00:04.000\nc"
    assert spans(read_webvtt(text)) == [("a", 2.0, 2.5), ("b", 2.5, 3.0), ("c", 3.0, 4.0)]


def captions(*lines):
    """Return SubRip with a cue of a second for each text."""
    return "".join(
        f"{number}\n00:00:{number:02},000 --> 00:00:{number + 1:02},000\n{line}\n\n"
        for number, line in enumerate(lines, 1)
    )


@pytest.mark.parametrize("lines", [["no"] * 7, ["yes we can"] * 3, ["ha", "ha ha", "ha"]])
def test_what_somebody_says_again_stays(lines):
    assert [word.text for word in read_srt(captions(*lines))] == " ".join(lines).split()


@given(st.lists(st.sampled_from("abcdefgh"), min_size=8, max_size=40), st.integers(2, 4), st.integers(2, 5))
def test_rolling_captions_say_what_was_said(letters, repeated, new):
    said = [f"{letter}{position}" for position, letter in enumerate(letters)]
    cues = [said[max(0, start - repeated) : start + new] for start in range(0, len(said), new)]
    assert [word.text for word in read_srt(captions(*map(" ".join, cues)))] == said


def words_of(lines):
    return [word for word in " ".join(lines).split() if word != "[Music]"]


LINES = st.sampled_from(["no", "thank you", "so here we go on", "[Music]", "[Music] bees"])


@given(st.lists(LINES, min_size=2, max_size=12))
def test_scrolling_lines_are_each_said_once(lines):
    cues = [lines[0], lines[0]]
    for before, line in itertools.pairwise(lines):  # as YouTube writes them
        cues += [f"{before}\n{line}", line]
    assert [word.text for word in read_srt(captions(*cues))] == words_of(lines)


@given(st.lists(LINES, min_size=1, max_size=12), st.integers(1, 2))
def test_lines_that_do_not_scroll_are_all_said(lines, height):
    cues = [lines[start : start + height] for start in range(0, len(lines), height)]
    assume(height == 1 or all(before[-1] != now[0] for before, now in itertools.pairwise(cues)))
    assert [word.text for word in read_srt(captions(*map("\n".join, cues)))] == words_of(lines)


@pytest.mark.parametrize("tag", ["<br>", "<br/>", "<BR />"])
def test_a_break_in_a_cue_parts_words(tag):
    assert [word.text for word in read_srt(captions(f"and more{tag}words"))] == ["and", "more", "words"]


def test_a_tag_that_is_not_closed_goes_to_the_end_of_its_cue_and_other_signs_stay():
    text = captions("so <c.first that", "< i >a< /i > &lt &nbsp b &amp; c", "x < y and z > w")
    assert said(read_srt(text)) == "so a < b & c x < y and z > w"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[MUSIC PLAYING] we begin", "we begin"),
        ("[music\nplaying] we begin (LAUGHTER) (applause) here", "we begin here"),
        ("the mill (the old one) turns", "the mill (the old one) turns"),
        ("SPEAKER 1: we begin\n>> Ada Lovelace: thanks\n>> and here", "we begin thanks and here"),
        ("PATRICK WINSTON: we\nAudience member: why\nDR. LEE: so\nPATRICK WINSTON: here", "we why so here"),
        ("MARY POST: we begin\nhere", "we begin here"),
        ("MARY POST: WE BEGIN\nMARY: HERE", "MARY POST: WE BEGIN MARY: HERE"),
        ("Prof. Ada Lovelace: we\nMS. LEE: begin", "we begin"),
        ("WINSTON: we\nWINSTON: begin\nWINSTON: here", "we begin here"),
        ("BERT: we begin\nGPT-3: we\nAttention: here", "BERT: we begin GPT-3: we Attention: here"),
        ("BERT: we begin\nBERT: here", "BERT: we begin BERT: here"),
        ("THE SECOND PART: WE BEGIN", "THE SECOND PART: WE BEGIN"),
        (">> BERT: we begin\nSPEAKER_01: here\nInterviewer 2: so", "we begin here so"),
        ("- yes\n- no -- never\nturns slowly--\n♪ la la ♪", "yes no never turns slowly la la"),
        ("the F1: 3:1 is a ratio, well-known", "the F1: 3:1 is a ratio, well-known"),
        ("0:05\nwe begin\n1:00:07\nhere", "we begin here"),
        ("Speaker 1 (0:05):\nwe begin\nSpeaker 2 [1:00:07]\nhere\nJane Doe  1:02\nso", "we begin here so"),
        ("[Speaker 2]: we begin\n[JANE DOE] : here\n(Speaker 3): so", "we begin here so"),
        ("[0:05] we begin\n[Speaker 2] here", "we begin here"),
        ("in [brackets]:here and (others): so", "in :here and (others): so"),
        ("*laughs* we *really* begin", "we *really* begin"),
        ("Jane Doe: we\nJane Doe: begin\nJane Doe: here", "we begin here"),
        ("Note: we begin\nNote: here", "Note: we begin Note: here"),
        ("0:05 we\n0:07 begin\n(1:00:09) here", "we begin here"),
        ("10:30 is when we begin", "10:30 is when we begin"),
        ("<noise> we *coughs* begin {breath} *here* (door closes)", "we begin *here*"),
    ],
)
def test_sounds_speakers_and_signs_are_no_words(written, said):
    for words in (read_srt(captions(written)), read_plain(written)):
        assert [word.text for word in words] == said.split()


@given(st.text())
def test_what_is_not_spoken_becomes_spaces_in_place(text):
    assert all(b in (a, " ") for a, b in zip(text, spoken(text), strict=True))


SUBSTATION = """[Script Info]
Title: a talk

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,here, at last
Dialogue: Marked=0,0:00:01.00,0:00:02.00,Default,Jane,0,0,0,,{\\i1}So{\\i0}\\Nwe begin
Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,not said
"""


def test_the_dialogue_of_substation_alpha_is_read():
    words = read_substation(SUBSTATION)
    assert [word.text for word in words] == ["So", "we", "begin", "here,", "at", "last"]
    assert (words[0].start, words[-1].end) == (1.0, 3.0)
    assert all(SUBSTATION[word.offset :].startswith(word.text) for word in words)
    with pytest.raises(ParseError, match="no line Dialogue with times"):
        read_substation("[Script Info]\n")


def test_a_sound_whose_tokens_have_a_time_each_is_no_word():
    tokens = [
        " [",
        "Music",
        "]",
        " we",
        " [",
        "APPLAUSE]",
        " begin",
        " [1",
        " a",
        " b",
        " c",
        " d",
        " e",
        "]",
    ]
    entries = [{"word": token, "start": at, "end": at + 1} for at, token in enumerate(tokens)]
    assert said(read_timed(json.dumps({"words": entries}))) == "we begin [1 a b c d e ]"


def test_lines_with_the_times_of_whisper_are_cues():
    text = "[00:01.000 --> 00:02.500]  Okay.\n\n[01:00:02.500 -> 01:00:03.000]  You know\n"
    assert spans(read_clocked(text)) == [
        ("Okay.", 1.0, 2.5),
        ("You", 3602.5, 3602.714),
        ("know", 3602.714, 3603.0),
    ]
    assert read_clocked("[00:01.000 --> 00:02.500] Okay.\nand so on") is None


@pytest.mark.parametrize(
    "entries",
    [
        {"segments": [{"text": " a bc", "words": [{"word": " a", "start": 0, "end": 1}, {"word": " bc"}]}]},
        {
            "segments": [{"start": 0.0, "end": 1.0, "text": " a"}, {"text": "bc", "words": []}],
            "word_segments": [],
        },
        {"chunks": [{"text": " a", "timestamp": [0.0, 1.0]}, {"text": " bc", "timestamp": [None, None]}]},
        {"transcription": [{"text": " a", "offsets": {"from": 0, "to": 1000}}, {"text": " bc"}]},
        {
            "segments": [{"start": 0.0, "end": 1.0, "text": " a bc"}],
            "words": [{"word": "a", "start": 0, "end": 1}, {"word": "bc"}],
        },
        [{"word": "a", "start": 0, "end": 1}, {"word": "bc", "start": None}],
        [{"text": "a", "start": 0, "duration": 1}, {"text": "bc"}],
        [{"result": [{"word": "a", "start": 0, "end": 1}], "text": "a"}, {"result": [{"word": "bc"}]}],
    ],
    ids=[
        "whisper with words",
        "whisper",
        "transformers",
        "whisper.cpp",
        "openai",
        "list",
        "durations",
        "vosk",
    ],
)
def test_json_of_recognisers_keeps_words_and_times(entries):
    assert spans(read_timed(json.dumps(entries))) == [("a", 0.0, 1.0), ("bc", None, None)]


def test_events_of_youtube_have_their_times_in_milliseconds():
    events = [
        {"tStartMs": 0, "dDurationMs": 9000, "id": 1},
        {
            "tStartMs": 1000,
            "dDurationMs": 1000,
            "segs": [{"utf8": "we"}, {"utf8": " begin", "tOffsetMs": 250}],
        },
        {"tStartMs": 2000, "segs": [{"utf8": "\n"}], "aAppend": 1},
        {"tStartMs": 3000, "segs": [{"utf8": "here"}]},
    ]
    words = read_timed(json.dumps({"wireMagic": "pb3", "events": events}))
    assert spans(words) == [("we", 1.0, 1.25), ("begin", 1.25, 2.0), ("here", 3.0, 3.0)]


@pytest.mark.parametrize("end", [None, 1])
def test_a_word_without_an_end_or_with_one_before_its_start_ends_as_it_starts(end):
    text = json.dumps([{"word": "a", "start": 2, "end": end}, {"word": "b", "start": 1, "end": 4}])
    assert spans(read_timed(text)) == [("a", 2.0, 2.0), ("b", 1.0, 4.0)]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("{", "line 1: not JSON"),
        ('[\n{"word": "a" "b"}]', "line 2: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"words": [{"word": "a"}], "words": [{"word": "b"}]}', "the key 'words' occurs twice"),
        ('[{"word": "a", "word": "b"}]', "the key 'word' occurs twice"),
        ("3", "expected a list of words"),
        ('{"text": "hello"}', "expected a list of words"),
        ('{"words": {}}', "expected a list of words"),
        ('["hello"]', r"words\[0\]: expected an object"),
        ('[{"word": 3}]', r"words\[0\]: \"word\" is missing or not a string"),
        ('[{"start": 0, "end": 1}]', r"words\[0\]: \"word\" is missing or not a string"),
        ('[{"word": "a", "start": "1", "end": 2}]', r"words\[0\]: start is not a number"),
        ('[{"word": "a", "start": true, "end": 2}]', r"words\[0\]: start is not a number"),
        ('[{"word": "a", "start": NaN, "end": 2}]', "NaN is no JSON number"),
        ('[{"word": "a", "start": 0, "end": 1e999}]', r"words\[0\]: end is negative or infinite"),
        (
            '[{"word": "a", "start": 0, "end": 1' + "0" * 9999 + "}]",
            r"words\[0\]: end is negative or infinite",
        ),
        ('[{"word": "a", "start": -1, "end": 2}]', r"words\[0\]: start is negative"),
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
        (b"caf\xe9 au lait", "not UTF-8: byte 0xe9 at byte offset 3"),
        ("hello".encode("utf-16"), "not UTF-8: it is in UTF-16"),
        ("hello".encode("utf-16-le"), "not UTF-8: it is in UTF-16-LE"),
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
    assert [word.text for word in words] == spoken(text).removeprefix("\ufeff").split()


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, st.floats(0, 1e6)), max_size=20), st.booleans())
def test_json_offsets_increase_whatever_the_escapes(entries, ascii_only):
    moments = sorted(moment for _, moment in entries)
    text = json.dumps(
        [{"word": word, "start": at, "end": at} for (word, _), at in zip(entries, moments, strict=True)],
        ensure_ascii=ascii_only,
    )
    words = read_timed(text)
    assert [word.text for word in words] == [piece for word, _ in entries for piece in spoken(word).split()]
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
        pytest.param(read_webvtt, CUE + "a\n" * 500_000, marks=pytest.mark.long),
        (read_webvtt, CUE + "x<00:01.500> " * 75_000),
        (read_webvtt, "WEBVTT\n\n" + " " * 1_000_000 + "-->"),
        (read_webvtt, "WEBVTT\n\n" + "0" * 1_000_000 + " -->"),
        (read_webvtt, "WEBVTT\n\n" + "00:01.000 --> 00:02.000\na\na\na\n\n" * 30_000),
        (read_srt, "1\n" * 500_000),
        (read_srt, "1\n00:00:01,000 --> 00:00:02,000\na\n\n" * 25_000),
        (read_timed, '[{"word": "' + "\\u0041" * 160_000 + '"}]'),
        pytest.param(
            read_timed, '[{"word": "' + "a " * 500_000 + '", "start": 0, "end": 1}]', marks=pytest.mark.long
        ),
        (read_timed, '{"a":' * 200_000),
        (read_timed, "[" + "1" * 1_000_000),
        (read_timed, '["' + '\\\\"' * 500_000),
        (read_plain, "a " * 500_000),
        (read_plain, "\r" * 1_000_000),
        (read_plain, "[a" * 500_000),
        (read_plain, "(applause" * 100_000),
        (read_plain, "A " * 500_000),
        pytest.param(read_plain, "\t" * 1_000_000, marks=pytest.mark.long),
    ],
)
def test_a_hostile_megabyte_is_read_or_refused_in_a_line(read, text):
    """Quadratic work on this much takes hours: the limit of every test ends it."""
    try:
        assert len(read(text)) <= 500_000
    except ParseError as error:
        assert len(str(error)) < 300
