"""A system's release: a folder that `datasets` and Croissant tools load, with checksums and a card; or a refusal."""

import hashlib
import json
import re
import subprocess
from types import SimpleNamespace

import pytest
import yaml

from silverloom.orchestration.release.contents import Words
from silverloom.orchestration.release.write import size_category, statistics
from silverloom.orchestration.state.dvc_files import parse_lock

SYSTEMS = ("discofuse", "parasci", "talksumm", "wikisum")


def tree(folder) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def head(folder):
    return yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])


def loaded(folder, cache) -> dict[str, dict[str, list[str]]]:
    """The ids of rows as `datasets` reads them, by configuration and split."""
    from datasets import get_dataset_config_names, load_dataset

    return {
        config: {
            split: rows["id"][:]
            for split, rows in load_dataset(str(folder), config, cache_dir=str(cache)).items()
        }
        for config in get_dataset_config_names(str(folder))
    }


def records(folder) -> dict[str, list[str]]:
    """The same as mlcroissant reads them, by record set; its validation reports errors and warnings."""
    import mlcroissant

    dataset = mlcroissant.Dataset(folder / "croissant.json")
    assert not dataset.metadata.ctx.issues.report()
    return {
        found.uuid: [row[f"{found.uuid}/id"].decode() for row in dataset.records(found.uuid)]
        for found in dataset.metadata.record_sets
    }


def test_a_release_loads_with_datasets_and_with_croissant(done, tmp_path):
    done.silverloom("release", "talksumm")
    folder = done.root / "release/talksumm"
    rows = loaded(folder, tmp_path)
    of_paper = {"ratio_30", "ratio_40", "words_150", "words_250"}
    assert set(rows) == of_paper | {"talk_abstract", "talk_summary", "segment_section"}
    assert all(splits["train"] for splits in rows.values())
    assert records(folder) == {
        f"{config}-{split}": ids for config, splits in rows.items() for split, ids in splits.items()
    }
    assert head(folder)["license"] == ["cc0-1.0"]
    card = (folder / "README.md").read_text()
    assert "Of words_150, ratio_30, ratio_40, words_250:" in card and "| `coverage` | double |" in card
    assert "| talksumm/training_sets |" in card.partition("## What was dropped")[2]
    assert head(folder)["size_categories"] == ["n<1K"]


@pytest.mark.long
def test_discofuse_loads_balanced_unless_another_configuration_is_requested(made_sample_project, tmp_path):
    import mlcroissant
    from datasets import load_dataset

    project = made_sample_project.copy(tmp_path / "sample")
    project.silverloom("release", "discofuse")
    folder = project.root / "release/discofuse"
    card = (folder / "README.md").read_text()
    rows = loaded(folder, tmp_path / "cache")
    assert list(rows) == ["balanced", "encyclopedia", "splits", "sports", "tokenised"]
    every = {row for config in rows.values() for ids in config.values() for row in ids}
    assert sum(map(int, re.findall(r"^\| Apache-2.0 \| (\d+) \|$", card, re.MULTILINE))) == len(every)
    default = load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: table["id"][:] for split, table in default.items()} == rows["balanced"]
    whole = load_dataset(str(folder), "sports", cache_dir=str(tmp_path / "cache"))["train"]
    assert set(rows["balanced"]["train"]) > {row["id"] for row in whole if row["balanced"]}
    share = {
        name: sum(table["control"]) / len(table)
        for name, table in (("balanced", default["train"]), ("whole", whole))
    }
    assert share["balanced"] < 0.05 and share["whole"] < 0.05
    for row in load_dataset(str(folder), "splits", cache_dir=str(tmp_path / "cache"))["train"]:
        assert not row["control"] and row["discourse_type"].startswith("SINGLE_")
    for row in whole:
        assert row["control"] == (row["discourse_type"] == "PAIR_NONE")
        assert row["control"] == (row["unfused_detokenised"] == row["fused_detokenised"])
    assert records(folder) == {
        f"{config}-{split}": ids for config, splits in rows.items() for split, ids in splits.items()
    }
    first = mlcroissant.Dataset(folder / "croissant.json").metadata.record_sets[0]
    assert first.uuid == "balanced-train"


@pytest.mark.long
def test_checksums_are_the_versions_of_the_data(done):
    done.silverloom("release", "talksumm", "--folder", "out")
    folder = done.root / "out"
    subprocess.run(["md5sum", "-c", "checksums.md5"], cwd=folder, check=True, capture_output=True)
    (out,) = [
        out
        for out in parse_lock(done.lock.encode())["talksumm-release_files"]["outs"]
        if out["path"] == "data/talksumm/release_files"
    ]
    listed = (folder / "dvc.json").read_bytes()
    assert hashlib.md5(listed, usedforsecurity=False).hexdigest() + ".dir" == out["md5"]
    of_files = {entry["relpath"].removeprefix("__files/"): entry["md5"] for entry in json.loads(listed)}
    found = {
        name: hashlib.md5(content, usedforsecurity=False).hexdigest()
        for name, content in tree(folder).items()
    }
    parquet = {name: md5 for name, md5 in found.items() if name.endswith(".parquet")}
    assert parquet
    assert parquet.items() <= of_files.items()
    assert f"`{out['md5']}`" in (folder / "README.md").read_text()
    croissant = json.loads((folder / "croissant.json").read_text())
    assert {file["contentUrl"]: file["md5"] for file in croissant["distribution"] if "md5" in file} == parquet


@pytest.mark.long
def test_a_release_has_the_same_bytes_twice_and_names_its_commit_and_what_it_lacks(done):
    folder = done.root / "release/talksumm"
    done.silverloom("release", "talksumm")
    first = tree(folder)
    done.silverloom("release", "talksumm")
    assert tree(folder) == first
    assert done.git("rev-parse", "HEAD").strip() in first["README.md"].decode()
    assert "differed from that commit" not in first["README.md"].decode()
    (done.root / "NOTES").write_text("untracked")
    done.silverloom("release", "talksumm")
    assert "these files differed from that commit**: `NOTES`." in (folder / "README.md").read_text()
    assert {name: content for name, content in tree(folder).items() if name != "README.md"} == {
        name: content for name, content in first.items() if name != "README.md"
    }


@pytest.mark.parametrize(
    ("rows", "category"),
    [(0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (2_000_000, "1M<n<10M"), (10**9, "n>1B")],
)
def test_size_categories_have_the_names_that_hubs_use(rows, category):
    assert size_category(rows) == category


def test_a_configuration_without_a_statistic_has_no_column_in_the_card():
    asked = [{"name": "words", "paper": "78"}, {"name": "pages", "paper": ""}]
    numbers = {("words", "lead"): 12.0, ("words", "article"): None, ("pages", "article"): 0.0}
    contents = SimpleNamespace(
        words=SimpleNamespace(head={"statistics": asked}),
        splits=["lead", "article", "normalised"],
        statistic=lambda ask, config: numbers.get((ask["name"], config)),
    )
    assert statistics(contents) == (
        ["lead", "article"],
        [("words", ["12", ""], "78"), ("pages", ["", "0"], "")],
    )


@pytest.mark.long
def test_every_system_of_the_sample_is_released_and_loads(made_sample_project, tmp_path):
    project = made_sample_project.copy(tmp_path / "sample")
    for system in SYSTEMS:
        project.silverloom("release", system)
        folder = project.root / "release" / system
        rows = loaded(folder, tmp_path / "cache")
        assert records(folder) == {
            f"{config}-{split}": ids for config, splits in rows.items() for split, ids in splits.items()
        }
        assert all(splits["train"] for splits in rows.values())
        assert Words.of(system).head.get("default", "default") == head(folder)["configs"][0]["config_name"]
        words = (folder / "README.md").read_text()
        assert all(
            f"## {part}" in words
            for part in ("Where it comes from", "Known faults", "Sizes", "Statistics", "Licences", "Cite")
        )
