"""The sample corpus is as data/sample/README.md describes it."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
PAPERS = SAMPLE / "papers"
TALKS = SAMPLE / "talks"
BROKEN = {"broken-empty.txt", "broken-latin-1.txt"}
TEXT_PAPERS = sorted(p for p in (PAPERS / "text").glob("*.txt") if p.name not in BROKEN)
PAPER_OF_ALIGNED_TALK = {
    "how-much-silver.vtt": "how-much-silver.txt",
    "agreement.txt": "agreement-is-not-accuracy.txt",
    "ask-back.json": "crowd-paraphrases.txt",
}
LEFT_OVER = re.compile(r"\d{1,2}(?:[A-Z]|http)|\*|Proceedings of|Copyright 201")


def metadata() -> list[dict[str, str]]:
    with (TALKS / "metadata.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def alignment(talk: str) -> list[dict[str, str]]:
    path = SAMPLE / "alignments" / f"{Path(talk).stem}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def spoken_words(path: Path) -> list[str]:
    if path.suffix == ".json":
        return [w["word"] for w in json.loads(path.read_text(encoding="utf-8"))["words"]]
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".txt":
        return text.split()
    words: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        _, arrow, cue = block.partition("-->")
        if arrow:
            words += re.sub(r"<[^>]*>", "", cue.partition("\n")[2]).split()
    return words


def sections(path: Path) -> list[tuple[str, list[str]]]:
    """Headings and their paragraphs, lines joined and lines left over from layout removed."""
    body = path.read_text(encoding="utf-8").split("\n\n", 1)[1]
    found: list[tuple[str, list[str]]] = []
    for block in re.split(r"\n\n|\n(?=#)|(?<=\n)\n", body):
        lines = block.strip().split("\n")
        if lines[0].startswith("#"):
            found.append((lines.pop(0).lstrip("# "), []))
        text = " ".join(line for line in lines if line and not LEFT_OVER.match(line))
        if text:
            found[-1][1].append(re.sub(r"(?<=[a-z])- (?=[a-z])", "", text))
    return found


def test_metadata_lists_every_transcript_and_only_those() -> None:
    rows = metadata()
    assert list(rows[0]) == ["file", "title", "date", "url", "licence"]
    files = [row["file"] for row in rows]
    assert sorted(files) == sorted(p.name for p in TALKS.iterdir() if p.name != "metadata.csv")
    assert Counter(Path(f).suffix for f in files) == {".vtt": 4, ".srt": 3, ".txt": 3, ".json": 2}
    assert {row["date"][:7] for row in rows} == {"2018-06", "2018-07", "2018-08"}
    assert {row["licence"] for row in rows} == {"CC-BY-4.0", "Apache-2.0"}
    assert len({row["url"] for row in rows}) == len(rows) == 12


def test_talks_have_the_promised_length() -> None:
    for row in metadata():
        count = len(spoken_words(TALKS / row["file"]))
        if row["file"] == "stopping-early.txt":
            assert count == 0
        else:
            assert 350 <= count <= 650, row["file"]


def test_word_times_never_run_backwards() -> None:
    for path in TALKS.glob("*.json"):
        words = json.loads(path.read_text(encoding="utf-8"))["words"]
        times = [t for w in words for t in (w["start"], w["end"])]
        assert times == sorted(times)


def test_there_are_as_many_papers_as_promised() -> None:
    months: Counter[str] = Counter()
    for path in TEXT_PAPERS:
        lines = path.read_text(encoding="utf-8").split("\n")
        assert re.match(r"# \S", lines[0])
        header = dict(line.split(": ", 1) for line in lines[1 : lines.index("")])
        assert re.fullmatch(r"2018-0[678]-\d\d", header["date"])
        assert header["authors"]
        months[header["date"][:7]] += 1
    months["2018-07"] += len(list((PAPERS / "cl_scisumm").glob("*.xml")))
    months["2018-08"] += len(list((PAPERS / "science_parse").glob("*.json")))
    for path in (PAPERS / "scirex").glob("*.jsonl"):
        months["2018-06"] += len(path.read_text(encoding="utf-8").splitlines())
    assert len(TEXT_PAPERS) == 11
    assert months == {"2018-06": 5, "2018-07": 5, "2018-08": 6}


@pytest.mark.parametrize("path", TEXT_PAPERS, ids=lambda p: p.name)
def test_text_paper_has_the_usual_parts(path: Path) -> None:
    parts = sections(path)
    headings = [heading for heading, _ in parts]
    assert headings[0] == "Abstract"
    assert headings[1].endswith("Motivation" if "field-guide" in path.name else "Introduction")
    assert {"Acknowledgments", "Acknowledgements"} & set(headings)
    assert "References" in headings
    words = sum(len(p.split()) for h, ps in parts if h != "References" for p in ps)
    assert 900 <= words <= 1500


def test_broken_papers_are_broken() -> None:
    assert (PAPERS / "text" / "broken-empty.txt").read_bytes() == b""
    with pytest.raises(UnicodeDecodeError):
        (PAPERS / "text" / "broken-latin-1.txt").read_text(encoding="utf-8")


def test_structured_papers_have_their_shapes() -> None:
    for path in (PAPERS / "cl_scisumm").glob("*.xml"):
        root = ElementTree.parse(path).getroot()
        sids = [int(s.attrib["sid"]) for s in root.iter("S")]
        assert root.tag == "PAPER"
        assert sids == list(range(len(sids)))
    for path in (PAPERS / "science_parse").glob("*.json"):
        paper = json.loads(path.read_text(encoding="utf-8"))
        assert paper["sections"][0]["heading"] is None
        assert paper["abstractText"]
        for mention in paper["referenceMentions"]:
            year = str(paper["references"][mention["referenceID"]]["year"])
            assert year in mention["context"][mention["startOffset"] : mention["endOffset"]]
    for path in (PAPERS / "scirex").glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            paper = json.loads(line)
            for spans in (paper["sections"], paper["sentences"]):
                assert spans[0][0] == 0
                assert spans[-1][1] == len(paper["words"])
                assert all(a[1] == b[0] for a, b in pairwise(spans))


def test_three_talks_are_aligned() -> None:
    found = {path.stem for path in (SAMPLE / "alignments").glob("*.csv")}
    assert found == {Path(talk).stem for talk in PAPER_OF_ALIGNED_TALK}


@pytest.mark.parametrize("talk", PAPER_OF_ALIGNED_TALK)
def test_alignment_covers_every_word_in_order(talk: str) -> None:
    rows = alignment(talk)
    expected = 0
    for row in rows:
        assert int(row["first_word"]) == expected
        assert int(row["last_word"]) >= expected
        expected = int(row["last_word"]) + 1
    assert expected == len(spoken_words(TALKS / talk))


@pytest.mark.parametrize(("talk", "paper"), PAPER_OF_ALIGNED_TALK.items())
def test_alignment_names_sentences_of_the_paper(talk: str, paper: str) -> None:
    parts = sections(PAPERS / "text" / paper)
    everywhere = "\n".join(p for _, paragraphs in parts for p in paragraphs)
    unused = re.compile(r"Abstract|References|Acknowledg|[\d. ]*(Related Work|Background)")
    states = "\n".join(p for h, paragraphs in parts if not unused.match(h) for p in paragraphs)
    for row in alignment(talk):
        prefix = row["sentence"]
        if prefix:
            assert len(prefix) >= 40, prefix
            assert everywhere.count(prefix) == 1, prefix
            assert re.search(r"(?:^|[.?!]\s)" + re.escape(prefix), states, re.MULTILINE), prefix


def test_four_papers_have_summaries_of_about_150_words() -> None:
    papers = {path.stem for path in PAPERS.rglob("*") if path.is_file()}
    files = sorted((SAMPLE / "summaries").rglob("*.txt"))
    assert len(files) == 7
    assert {path.parts[-3] for path in files} <= papers
    assert len({path.parts[-3] for path in files}) == 4
    for path in files:
        if path.name.endswith((".human.txt", ".gold.txt")):
            assert 135 <= len(path.read_text(encoding="utf-8").split()) <= 175, path.name


def test_no_file_contains_a_path_of_a_machine() -> None:
    for path in SAMPLE.rglob("*"):
        if path.is_file():
            assert not re.search(rb"/(?:work|tmp|home|root)/", path.read_bytes()), path.name


PROSE = SAMPLE / "prose"
MONTHS = ("2018-06", "2018-07", "2018-08")


def articles() -> dict[str, str]:
    found = sorted((PROSE / "encyclopedia").glob("*.txt"))
    return {path.stem: path.read_text(encoding="utf-8") for path in found if path.name not in BROKEN}


def reports(month: str) -> list[str]:
    return (PROSE / "sports" / f"{month}.jsonl").read_text(encoding="utf-8").splitlines()


def test_every_month_has_prose_of_both_domains() -> None:
    texts = articles()
    assert len(texts) == 17
    months = Counter(re.search(r"^date: (\d{4}-\d{2})", text, re.MULTILINE)[1] for text in texts.values())
    assert set(months) == set(MONTHS) and min(months.values()) >= 5
    lines = {month: reports(month) for month in MONTHS}
    assert {month: len(some) for month, some in lines.items()} == {"2018-06": 5, "2018-07": 5, "2018-08": 8}
    found = [json.loads(line) for some in lines.values() for line in some if line.endswith("}")]
    assert sum(bool(one["text"].strip()) for one in found) == 16


def test_the_odd_documents_are_odd_as_described() -> None:
    texts = articles()
    for name in BROKEN:
        assert (PROSE / "encyclopedia" / name).exists()
    with pytest.raises(UnicodeDecodeError):
        (PROSE / "encyclopedia" / "broken-latin-1.txt").read_text(encoding="utf-8")
    assert texts["one-sentence"].split("\n\n")[1].count(".") == 1
    assert {"\u201c", "\u2013", "\u2615", "ë"} <= set(texts["cafe-zoe"]) and "\n## Today\n" in texts[
        "cafe-zoe"
    ]
    cut, nothing = reports("2018-08")[-2:]
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut)
    assert not json.loads(nothing)["text"].strip()
    plain = [name for name, text in texts.items() if not text.isascii()]
    assert plain == ["cafe-zoe"]


def test_prose_contains_what_the_rules_look_for() -> None:
    text = " ".join(" ".join(articles().values()).split()) + " ".join(map("".join, map(reports, MONTHS)))
    for pattern in (
        r"\. (However|For example|As a result|In fact|Nevertheless), ", r"\. Although [^.]+, ", r"\. Since [^.]+, ",
        r", (and|but|so|yet) (he|she|it|they) ", r" (because|while|unless|so that) ", r", who [^,.]+, ",
        r", which [^,.]+, ", r", an? [^,.]+, ", r"\. [A-Z][a-z]+ing [^.,]+, [A-Z]", r"\. (He|She|They|His|Her) ",
        r"\. The (team|club|company|coach) ",
    ):  # fmt: skip
        assert len(re.findall(pattern, text)) >= 2, pattern


def test_fusion_pairs_have_the_promised_counts() -> None:
    lines = {
        name: (SAMPLE / "fusion_pairs" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        for name in ("train", "validation", "test")
    }
    sound = {name: sum("<::::>" in line for line in some) for name, some in lines.items()}
    assert sound == {"train": 36, "validation": 12, "test": 11} and len(lines["test"]) == 12
    assert len({line for some in lines.values() for line in some}) == 60
