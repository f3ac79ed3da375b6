"""Text that is not UTF-8 is read as declared, or by a recorded guess; what cannot be decoded is rejected."""

import codecs

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from silverloom.ops.discofuse.sources import FUSION_PAIR_FORMATS as PAIRS
from silverloom.ops.discofuse.sources import PROSE_FORMATS, parse_prose
from silverloom.ops.parse.encodings import damaged_utf8, guessed
from silverloom.ops.parse.scan import Corpus, SourceError
from silverloom.ops.parse.source import Source
from silverloom.ops.talksumm.sources.talks import FORMATS as TALKS
from silverloom.ops.talksumm.sources.talks import parse_talks
from tests.parts import OneProcess

TEXT = "The “first” café of Zoë’s brother – it costs 5 €.\n\nIt was naïve, he said, and Renée laughed."
FOLDED = "The “first” café of Zoë’s brother – it costs 5 €.\n\nIt was naïve, he said, and Renée laughed."


def outcome(root, kind="plain_prose", formats=PROSE_FORMATS, parse=parse_prose, **more):
    source = Source(kind=kind, path="texts", licence="CC0-1.0", **more)
    found = Corpus("prose", {"mine": source}, formats, root, "", "", 99, OneProcess(), "none")
    found.check()
    (part,) = found.records("all").map(parse)
    return part


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    return tmp_path / "texts"


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-8"])
def test_a_text_is_read_as_its_source_declares(tmp_path, folder, encoding):
    (folder / "a.txt").write_bytes(TEXT.encode(encoding))
    part = outcome(tmp_path, encoding=encoding)
    assert part.kept["text"].to_pylist() == [FOLDED] and part.combinations == {}
    assert part.kept["encoding"].to_pylist() == [
        None if encoding == "utf-8" else codecs.lookup(encoding).name
    ]


def test_an_undeclared_encoding_is_guessed_and_the_guess_is_recorded_and_counted(tmp_path, folder):
    (folder / "a.txt").write_bytes(TEXT.encode("windows-1252"))
    (folder / "b.txt").write_text(TEXT, encoding="utf-8")
    part = outcome(tmp_path)
    assert part.kept["text"].to_pylist() == [FOLDED, FOLDED]
    assert part.kept["encoding"].to_pylist() == ["cp1252", None]
    assert part.combinations == {"texts guessed to be in cp1252": 1}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_recognised_without_a_byte_order_mark(tmp_path, folder, encoding):
    (folder / "a.txt").write_bytes(TEXT.encode(encoding))
    part = outcome(tmp_path)
    assert part.kept["text"].to_pylist() == [FOLDED]
    assert part.combinations == {f"texts guessed to be in {encoding}": 1}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_lines_in_utf16_are_rejected_saying_so(tmp_path, folder, encoding):
    (folder / "a.jsonl").write_bytes('{"text": "It is."}\n{"text": "It was."}\n'.encode(encoding))
    part = outcome(tmp_path, "jsonl_prose")
    errors = part.rejected["error"].to_pylist()
    assert len([error for error in errors if "it is in UTF-16" in error]) == 2
    assert part.kept.num_rows == 0


def test_cyrillic_is_guessed_by_its_letters(tmp_path, folder):
    text = "Река Тане длиннее всех рек острова. Лосось водился в ней до тысяча восемьсот тридцатого года."
    (folder / "a.txt").write_bytes(text.encode("windows-1251"))
    assert outcome(tmp_path).kept["text"].to_pylist() == [text]


@pytest.mark.parametrize(
    ("content", "more", "cause"),
    [
        (TEXT.encode("windows-1252"), {"encoding": "utf-8"}, "not UTF-8: byte 0x93"),
        (b"\x81 is none", {"encoding": "windows-1252"}, "not windows-1252: "),
        (bytes(range(256)) * 4, {}, "not UTF-8: byte 0x80"),
        (
            TEXT.encode()[:-20] + b"\xe9" + TEXT.encode(),
            {},
            "not UTF-8: byte 0xe9",
        ),  # otherwise all quotes are garbled
        (b"half a pair \xed\xa0\xbd", {}, "not UTF-8: byte 0xed"),
    ],
)
def test_undecodable_text_is_rejected(tmp_path, folder, content, more, cause):
    (folder / "a.txt").write_bytes(content)
    (error,) = outcome(tmp_path, **more).rejected["error"].to_pylist()
    assert cause in error


def test_an_unknown_encoding_is_reported_before_anything_runs(tmp_path, folder):
    with pytest.raises(SourceError, match="encoding: unknown encoding 'klingon'; for instance utf-8"):
        outcome(tmp_path, encoding="klingon")
    with pytest.raises(SourceError, match="encoding: unknown encoding 'zlib'"):
        outcome(tmp_path, encoding="zlib")


@pytest.mark.parametrize("encoding", ["utf-16", "iso2022_jp", "utf-7"])
@pytest.mark.parametrize(("kind", "formats"), [("table", PROSE_FORMATS), ("split_and_rephrase", PAIRS)])
def test_an_encoding_without_lines_is_refused_if_records_are_lines(tmp_path, folder, encoding, kind, formats):
    with pytest.raises(SourceError, match=f"encoding: lines cannot be found in {encoding}"):
        outcome(tmp_path, kind, formats, encoding=encoding)


def test_a_letter_in_another_encoding_is_found_anywhere_in_a_long_text():
    text = "It is plain and goes on. " * 40_000
    content = text.encode() + TEXT.encode("windows-1252") + text.encode()
    assert guessed(content) == (text + TEXT + text, "cp1252")


WORDS = ["plain", "naïve", "Zoë’s", "“café”", "5–6", "né"]


@given(st.lists(st.sampled_from([*WORDS, "川"])), st.integers(0))
@example(["it’s"], 2)
def test_utf8_without_one_of_its_bytes_is_not_read_in_another_encoding(words, place):
    content = " ".join([*words, "né né"]).encode()
    foreign = [index for index, byte in enumerate(content[:-3]) if byte >= 0x80]
    cut = foreign[place % len(foreign)]
    assert damaged_utf8(content[:cut] + content[cut + 1 :])


@pytest.mark.parametrize("cut", ["it’s".encode()[:-2] + b"s", "naïve “one".encode().replace(b"\x9c", b"")])
def test_a_single_cut_quote_is_damage(cut):
    assert guessed(cut) is None


@given(st.lists(st.sampled_from(WORDS), min_size=1))
def test_windows_1252_is_no_damaged_utf8(words):
    text = " ".join(words)
    assume(not text.isascii())
    assert not damaged_utf8(text.encode("cp1252"))


@pytest.mark.parametrize("declared", ["windows-1252", ""])
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_rows_of_a_table_are_decoded_one_by_one(tmp_path, folder, name, declared):
    rows = {
        "rows.csv": 'id,text\na,"Zoë’s café, and Renée’s."\nb,Plain.\n',
        "rows.jsonl": '{"id": "a", "text": "Zoë’s café, and Renée’s."}\n{"id": "b", "text": "Plain."}\n',
    }
    (folder / name).write_bytes(rows[name].encode("windows-1252"))
    part = outcome(tmp_path, kind="table", encoding=declared)
    assert part.kept.select(["document", "text"]).to_pylist() == [
        {"document": "a", "text": "Zoë’s café, and Renée’s."},
        {"document": "b", "text": "Plain."},
    ]
    assert part.kept["encoding"].to_pylist() == ["cp1252", None]
    assert part.combinations == ({} if declared else {"texts guessed to be in cp1252": 1})


def test_a_column_of_metadata_named_encoding_is_not_a_guess(tmp_path, folder):
    (folder / "metadata.csv").write_text("file,title,date,url,licence,encoding\na.txt,A,2018-06-01,,,mp3\n")
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    part = outcome(tmp_path, "transcripts", TALKS, parse_talks)
    assert part.kept["encoding"].to_pylist() == [None] and part.combinations == {}


ENGLISH = "The keepers of the valley met in May to count the hives that had come through the winter. "


@pytest.mark.parametrize(
    "sentence",
    [
        "We used IBM® SPSS® 20.", "He took ASPIRIN® daily.", "They use MeSH© terms.", "SPSS® ran at 5 °C.",
        "They gave ASPIRIN® and 5 µg of it.", "They flew from Tromsø to Bodø.", "Raï is a music.",
    ],
)  # fmt: skip
def test_a_few_signs_and_letters_in_english_are_of_windows_1252(sentence):
    text = ENGLISH + sentence
    assert guessed(text.encode("windows-1252")) == (text, "cp1252")


@pytest.mark.parametrize(
    ("sentence", "encoding"),
    [
        ("He met Dvořák and Čapek.", "cp1250"), ("She is from Łódź.", "iso8859-2"),
        ("Kaunas ir Šiauliai, ąžuolas ėjo.", "cp1257"),
    ],
)  # fmt: skip
def test_names_in_english_may_be_of_another_encoding(sentence, encoding):
    assert guessed((ENGLISH + sentence).encode(encoding)) == (ENGLISH + sentence, encoding)
