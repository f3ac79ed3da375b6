"""Filters in a run: what they drop, which datasets read the rest, and what becomes stale."""

import json

import pyarrow.parquet as pq
import pytest
import yaml

from tests.projects import Project

MILL = (
    "The tide mill at Corrow stands on a dam of grey stone. It was built by monks in about 1280. "
    "The gates close when the tide turns, and the water leaves through the wheel."
)
LIGHTHOUSE = (
    "Der Leuchtturm steht an der Küste der Insel. Er wurde gebaut, nachdem zwei Schiffe gesunken waren."
)
FERRY = "The ferry links the island with the mainland. It has crossed the sound since 1822, mostly by steam."
SHOP = (
    "Hanna opened her shop with a single shelf. The police searched it every month, but they found nothing."
)

PARAMS = {
    "partitions": {"start": "2018-06", "end": "2018-07"},
    "sources": {
        "prose": {
            "notes": {
                "kind": "plain_prose",
                "path": "corpus/prose",
                "month": {"field": "date"},
                "licence": "CC0-1.0",
            }
        },
        "test_sets": {
            "fusion": {
                "kind": "texts",
                "path": "corpus/tests",
                "month": {"constant": "2018-06"},
                "licence": "CC0-1.0",
            }
        },
    },
    "filters": {"prose": {}},
    "discofuse": {"examples": {"control": 1}},  # the text is short: it gives little but controls
}


def write(project, name, month, text):
    folder = project.root / "corpus/prose"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(f"# {name.title()}\ndate: {month}-01\n\n{text}\n")


@pytest.fixture(scope="module")
def project(sample_project, tmp_path_factory) -> Project:
    project = sample_project.copy(tmp_path_factory.mktemp("filters") / "checkout")
    write(project, "mill", "2018-06", MILL)
    write(project, "ferry", "2018-06", FERRY)
    write(project, "copy", "2018-07", MILL.replace(". ", ".\n"))
    write(project, "lighthouse", "2018-07", LIGHTHOUSE)
    (project.root / "corpus/tests").mkdir()
    test = {
        "text": "The gates close when the tide turns, and the water leaves through the wheel. So it went."
    }
    (project.root / "corpus/tests/fusion.jsonl").write_text(json.dumps(test))
    (project.root / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    return project


@pytest.fixture(scope="module")
def filtered(project, tmp_path_factory):
    """The project after a run of its filters, and the output of the run."""
    project = project.copy(tmp_path_factory.mktemp("filtered") / "checkout")
    return project, project.silverloom("run", "--select", "sources/filtered_prose")


@pytest.fixture(scope="module")
def made(filtered, tmp_path_factory) -> Project:
    """The project after a run of the examples, too."""
    project = filtered[0].copy(tmp_path_factory.mktemp("made") / "checkout")
    project.silverloom("run", "--select", "discofuse/clean_examples")
    return project


def rows(project, dataset, table="kept"):
    files = sorted((project.root / "data" / dataset).rglob(f"{table}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def test_other_languages_and_copies_are_dropped(filtered):
    project, output = filtered
    assert "sources/prose 2018-07: 2 kept" in output, output
    dropped = {row["document"]: row for row in rows(project, "sources/filtered_prose", "dropped")}
    assert dropped["lighthouse"]["reason"] == "language" and dropped["lighthouse"]["detail"] == "de"
    (copied,) = dropped.keys() - {"lighthouse"}
    kept = {row["document"]: row for row in rows(project, "sources/filtered_prose")}
    assert {copied, *kept} == {"mill", "ferry", "copy"}
    (stays,) = kept.keys() - {"ferry"}
    assert dropped[copied]["reason"] == "duplicate" and dropped[copied]["detail"] == f"as {kept[stays]['id']}"
    assert kept[stays]["id"] < dropped[copied]["id"]


@pytest.mark.long
def test_nothing_is_made_from_dropped_documents(made):
    kept = {row["document"] for row in rows(made, "sources/filtered_prose")}
    assert {row["document"] for row in rows(made, "discofuse/annotated")} == kept


@pytest.mark.long
def test_an_example_that_contains_a_sentence_of_a_test_set_is_dropped_with_its_name(made):
    dropped = rows(made, "discofuse/clean_examples", "dropped")
    assert dropped and all("gates close" in row["fused"] for row in dropped)
    assert all(
        row["reason"] == "contaminated" and row["detail"].startswith("in fusion, test-") for row in dropped
    )
    kept = rows(made, "discofuse/clean_examples")
    assert kept and not any("gates close" in row["fused"] for row in kept)
    assert len(kept) + len(dropped) == len(rows(made, "discofuse/examples"))


def test_a_dropped_document_is_explained(filtered):
    project, _ = filtered
    (row,) = (
        row for row in rows(project, "sources/filtered_prose", "dropped") if row["reason"] == "language"
    )
    shown = project.silverloom("explain", row["id"])
    assert "sources/prose 2018-07 [kept]" in shown and "sources/filtered_prose 2018-07 [dropped]" in shown


@pytest.mark.long
def test_a_new_document_without_repeats_makes_no_other_month_again(made, tmp_path):
    project = made.copy(tmp_path / "checkout")
    write(project, "shop", "2018-07", SHOP)
    output = project.silverloom("run", "--select", "discofuse/clean_examples")
    names = project.made(output)
    assert "sources/prose_duplicates" in names and "sources/filtered_prose 2018-07" in names
    assert not [name for name in names if name.endswith("2018-06")], output


def test_moving_a_bound_recomputes_no_score(filtered, tmp_path):
    project = filtered[0].copy(tmp_path / "checkout")
    project.params(lambda params: params["filters"]["prose"].update(bounds={"language": None}))
    names = project.made(project.silverloom("run", "--select", "sources/filtered_prose"))
    assert names == [
        "sources/prose_duplicates",
        *(f"sources/filtered_prose {month}" for month in ("2018-06", "2018-07")),
    ]  # only documents within the other bounds are compared
    assert "lighthouse" in {row["document"] for row in rows(project, "sources/filtered_prose")}


@pytest.mark.long
def test_without_the_section_there_are_no_filters(project, tmp_path):
    project = project.copy(tmp_path / "checkout")
    project.params(lambda params: (params.pop("filters"), params["sources"].pop("test_sets")))
    project.silverloom("render")
    stages = yaml.safe_load((project.root / "dvc.yaml").read_text())["stages"]
    assert not [name for name in stages if "filtered" in name or "overlaps" in name or "scores" in name]


@pytest.mark.long
def test_the_card_of_a_release_lists_what_was_dropped(made, tmp_path):
    project = made.copy(tmp_path / "checkout")
    project.silverloom("release", "discofuse")
    card = (project.root / "release/discofuse/README.md").read_text()
    bounds = "filters.prose.bounds.language 0.5"  # no similarity: near duplicates are not searched
    assert f"| sources/filtered_prose | {bounds} | 2 | duplicate 1, language 1 | none |" in card
    dropped = len(rows(project, "discofuse/clean_examples", "dropped"))
    assert f"contaminated {dropped} |" in card
