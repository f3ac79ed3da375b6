"""Bad input, bad params and changed bytes are refused with messages that say what to do."""

import re
from pathlib import Path

import pytest

MAKE_ONE = Path(__file__).with_name("make_one.py")


def set_in(*path, value):
    def change(params):
        place = params
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_in("talksumm", "hmm", "lamda", value=1), "params.yaml: unknown key talksumm.hmm.lamda"),
        (set_in("sources", "papers", "text", "kind", value="docx"),
         r"sources.papers.text: unknown kind 'docx'; known: (\w+, )*plain_text, (\w+, )*scirex"),
        *(pytest.param(*variant, marks=pytest.mark.long) for variant in [
        (set_in("talksum", value={}), "params.yaml: unknown key talksum"),
        (set_in("talksumm", "hmm", "gamma", value=-1), r"params.yaml: talksumm.hmm.gamma: .*greater than 0.*-1"),
        (set_in("partitions", "end", value="2018-05"), r"partitions: end \(2018-05\) is before start \(2018-06\)"),
        (set_in("partitions", "end", value="June"), r"partitions.end: .*'June'"),
        (set_in("partitions", value={"start": "2099-01", "end": "2099-01"}),
         "partitions: the month 2099-01 is not over yet by this machine's clock, which says 20"),
        (set_in("sources", "papers", "text", "path", value="nowhere"), "sources.papers.text: no such folder: nowhere"),
        (set_in("sources", "papers", "text", "month", value={}), "give exactly one of field, id_year, constant"),
        (set_in("exclude", value=[{"asset": "talksumm/pears", "partition": "2018-06", "reason": "?"}]),
         "exclude: unknown asset talksumm/pears"),
        (set_in("talksumm", "hmm", "vectors", value="no-such-vectors"), "no-such-vectors"),
        ]),
    ],
)  # fmt: skip
def test_unusable_params_are_refused_before_anything_runs(fresh_project, tmp_path, change, message):
    project = fresh_project.copy(tmp_path / "project")
    project.params(change)
    output = project.run(ok=False)
    assert re.search(message, output), output
    assert not (project.root / "data").exists()


def test_params_that_are_not_yaml_are_refused(toy):
    (toy.root / "params.yaml").write_text("partitions: [")
    assert "error: params.yaml cannot be read" in toy.run(ok=False)


def test_a_selection_that_matches_nothing_is_refused(toy):
    output = toy.silverloom("run", "--select", "nonsense", ok=False)
    assert "nothing is called 'nonsense'; known: " in output and "toy/questions" in output


def test_a_changed_byte_is_refused_with_the_file_and_both_hashes(done_toy):
    path = done_toy.root / "data/sources/riddles/2018-06/kept-00000.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    ended = done_toy.zygote.run(done_toy.root, ["toy/questions", "2018-06"], path=str(MAKE_ONE), env={})
    assert ended.status != 0
    found = re.search(
        r"(\S*kept-00000.parquet) was changed after it was made: its MD5 is (\w{32}), but its manifest has (\w{32})",
        ended.output,
    )
    assert found and found.group(2) != found.group(3), ended.output
    plan = done_toy.silverloom("plan")
    assert re.search(r"sources/riddles\s+2018-06\s+yes\s+its bytes changed after it was made", plan)


def test_an_edited_dvc_yaml_is_rendered_again_by_a_run(done_toy):
    rendered = (done_toy.root / "dvc.yaml").read_text()
    done_toy.edit("dvc.yaml", "persist: true", "persist: false")
    assert "everything is up to date" in done_toy.silverloom("plan")
    assert "rendered dvc.yaml" in done_toy.run()
    assert (done_toy.root / "dvc.yaml").read_text() == rendered
    assert "rendered dvc.yaml" not in done_toy.run()


@pytest.mark.long
def test_unreadable_documents_are_rejected_with_file_and_cause(done):
    papers, talks = done.root / "corpus/papers", done.root / "corpus/talks"
    (papers / "empty.txt").write_text("")
    (papers / "half.txt").write_bytes(b"# Caf\xed\xa0\xbd\ndate: 2018-06-01\n\n## Abstract\nText.\n")
    (papers / "bare.txt").write_text("# Only a title\ndate: 2018-06-01\n")
    (talks / "silent.vtt").write_text("WEBVTT\n")
    with (talks / "metadata.csv").open("a") as file:
        file.write("silent.vtt,A Title,2018-06-02,,\nghost.txt,Another Title,2018-06-03,,\n")
    (talks / "orphan.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nhello there\n")
    assert "sources/papers 2018-06: 2 kept, 0 dropped, 3 rejected" in done.run()
    rows = rejected(done, "sources/papers") | rejected(done, "sources/talks")
    causes = {Path(name).name: error for name, error in rows.items()}
    assert set(causes) == {"empty.txt", "half.txt", "bare.txt", "silent.vtt", "metadata.csv", "orphan.srt"}
    assert all(name in error for name, error in causes.items()), causes
    assert "ghost.txt" in causes["metadata.csv"]


def rejected(project, name):
    import pyarrow.parquet as pq

    rows = {}
    for path in sorted((project.root / "data" / name).rglob("rejected-*.parquet")):
        rows |= {row["path"]: row["error"] for row in pq.read_table(path).to_pylist()}
    return rows


@pytest.fixture(scope="module")
def explained(done_project, tmp_path_factory):
    """A finished project for tests that change nothing in it."""
    return done_project.copy(tmp_path_factory.mktemp("explained") / "checkout")


def test_explain_traces_a_row_back_to_its_file_and_on_to_its_uses(explained):
    import pyarrow.parquet as pq

    summary = pq.read_table(
        explained.root / "data/talksumm/summaries/2018-06/kept-00000.parquet"
    ).to_pylist()[0]
    text = explained.silverloom("explain", summary["id"])
    assert "talksumm/summaries 2018-06 [kept]" in text
    assert "params talksumm.summaries" in text and "talksumm/training_sets [kept]" in text
    place = re.search(r"sources/sentences 2018-06 \[kept\] \S+: line \d+.*characters (\d+)-(\d+): (.*)", text)
    assert place, text
    name = re.search(r"file corpus/papers/(\w+).txt", text).group(1)
    source = (explained.root / f"corpus/papers/{name}.txt").read_text()
    assert " ".join(source[int(place.group(1)) : int(place.group(2))].split()) == place.group(3)
    spoken = re.search(r"spoken at characters (\d+)-(\d+) of the transcript: (.*)", text)
    transcript = (explained.root / f"corpus/talks/{name}.txt").read_text()
    assert " ".join(transcript[int(spoken.group(1)) : int(spoken.group(2))].split()) == spoken.group(3)


def test_explain_shows_why_a_unit_was_dropped(explained):
    import pyarrow.parquet as pq

    (row,) = pq.read_table(
        explained.root / "data/talksumm/pairs/2018-06/__dropped/dropped-00000.parquet"
    ).to_pylist()
    text = explained.silverloom("explain", row["id"])
    assert "sources/talks 2018-06 [kept]" in text and "talksumm/pairs 2018-06 [dropped]" in text
    assert "reason: unmatched" in text and "params talksumm.pairs: {margin: 0.05, threshold: 0.78}" in text
    assert "file corpus/talks/lost.txt" in text


@pytest.mark.parametrize(
    "name", ["lost", *(pytest.param(name, marks=pytest.mark.long) for name in ("lost.txt", "talks/lost.txt"))]
)
def test_explain_finds_a_row_by_what_its_source_calls_the_document(explained, name):
    first, kept, dropped, *_ = explained.silverloom("explain", name).splitlines()
    assert first.startswith("row talk-")
    assert kept == "  sources/talks 2018-06: kept"
    assert dropped.startswith("  talksumm/pairs 2018-06: dropped as unmatched, score 0.")


def test_explain_of_a_document_with_several_rows_shows_the_fate_of_each(explained):
    said = explained.silverloom("explain", "alpha").splitlines()
    assert {line for line in said if line.startswith("  sources/")} == {
        "  sources/papers 2018-06: kept",
        "  sources/citations 2018-06: kept",
        "  sources/talks 2018-06: kept",
    }
    assert "made of" not in said and "`silverloom explain ID`" in said[-1]


def test_explain_says_when_a_row_is_unknown(explained):
    said = explained.silverloom("explain", "nobody", ok=False)
    assert "error: no dataset has a row or a document 'nobody'" in said
