"""Talks aligned by hand are an optional source of a corpus."""

import pyarrow.parquet as pq
import pytest

LABELS = """first_word,last_word,sentence
0,10,
11,24,Many systems fail when they meet rare words in the wild
25,33,In this paper we describe how frequency tables
34,200,"""


def reports(project):
    return pq.read_table(project.root / "data/talksumm/tuning/kept-00000.parquet").to_pylist()


def with_labels(params):
    month = {"constant": "2018-06"}
    hand = {"kind": "word_runs", "path": "corpus/alignments", "month": month, "licence": "CC0-1.0"}
    params["sources"]["gold_alignments"] = {"hand": hand}


@pytest.mark.long
def test_adding_or_removing_labels_remakes_only_their_report(done):
    before = done.data()
    assert reports(done) == []
    folder = done.root / "corpus/alignments"
    folder.mkdir()
    words = len((done.root / "corpus/talks/alpha.txt").read_text().split())
    (folder / "alpha.csv").write_text(LABELS.replace("200", str(words - 1)))
    (folder / "beta.csv").write_text("first_word,last_word,sentence\n0,5,\n4,9,\n")
    done.params(with_labels)
    output = done.run()
    assert "rendered dvc.yaml" in output
    assert "sources/gold_alignments 2018-06: 4 kept, 0 dropped, 1 rejected" in output
    assert {name.split()[0] for name in done.made(output)} <= {
        "sources/gold_alignments",
        "talksumm/tuning",
        "quality/pages",
    }
    (current,) = [row for row in reports(done) if row["current"]]
    assert current["words"] > 5 and 0 < current["accuracy"] <= 1
    assert [talk["title"] for talk in current["talks"]] == ["Counting Rare Words in Small Corpora"]
    rejects = pq.read_table(
        done.root / "data/sources/gold_alignments/2018-06/__rejected/rejected-00000.parquet"
    )
    assert rejects["error"].to_pylist() == ["hand/beta.csv: line 3: begins with word 4, due is word 6"]
    assert done.dvc_status() == {}
    assert done.repro().count("didn't change, skipping") > 5

    done.params(lambda params: params["sources"].pop("gold_alignments"))
    done.run()
    assert done.data() == before
    assert done.dvc_status() == {}


def test_a_misspelt_source_does_not_count_as_absent(fresh):
    fresh.params(lambda params: params["sources"].update(gold_alignment={}))
    output = fresh.silverloom("plan", ok=False)
    assert (
        "error: params.yaml: unknown key sources.gold_alignment (did you mean gold_alignments?); known: "
        in output
    )


def test_a_system_without_its_sources_is_left_out_with_a_one_line_notice(fresh):
    fresh.params(lambda params: params["sources"].pop("papers"))
    fresh.silverloom("render")
    output = fresh.silverloom("plan")
    assert "not configured in params.yaml: talksumm (no sources.papers)" in output
    assert "sources/talks" in output and "talksumm/" not in output
    assert "talksumm/" not in (fresh.root / "dvc.yaml").read_text()
