"""A run transcribes recordings of talks with the model that their source names."""

import pyarrow.parquet as pq
import pytest

from silverloom.ops.talksumm.sources.speech import MODEL
from tests.espeak import spoken

SAID = "The central idea is to train the parser on examples that are chosen by their difficulty."


def add_recording(project, **options):
    folder = project.root / "corpus" / "recordings"
    folder.mkdir()
    (folder / "metadata.csv").write_text("file,title,date,url,licence\nheard.wav,A Talk,2018-06-01,,\n")
    (folder / "heard.wav").write_bytes(spoken(SAID))
    source = {
        "kind": "recordings",
        "path": "corpus/recordings",
        "month": {"field": "date"},
        "licence": "MIT",
        "options": options,
    }
    project.params(lambda params: params["sources"]["talks"].update(heard=source))
    project.silverloom("render")


def heard(project):
    project.silverloom("run", "--select", "sources/talks")
    files = sorted((project.root / "data/sources/talks").rglob("kept-*.parquet"))
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    [talk] = [row for row in rows if row["title"] == "A Talk"]
    return [word["text"] for word in talk["words"]]


def plan(project):
    return " ".join(project.silverloom("plan").split())


@pytest.mark.long
def test_whisper_transcribes_a_recording_and_its_model_and_packages_are_in_the_key_of_talks(fresh):
    add_recording(fresh)
    words = heard(fresh)
    assert {"central", "idea", "examples"} <= {word.lower().strip(",.") for word in words}
    assert "sources/talks" not in plan(fresh)
    for package in ("faster-whisper", "ctranslate2"):
        lock = (fresh.root / "requirements.lock").read_text()
        fresh.edit("requirements.lock", f"\n{package}==", f"\n{package}==0.")
        assert f"package {package}: " in plan(fresh)
        (fresh.root / "requirements.lock").write_text(lock)
    listed = (fresh.root / "models.txt").read_text()
    [line] = [line for line in listed.splitlines() if line.startswith(MODEL)]
    fresh.edit("models.txt", line.rpartition(":")[2], "0" * 64)
    assert f"model {MODEL} changed" in plan(fresh)


@pytest.mark.long
def test_a_missing_model_that_a_source_names_stops_the_run(fresh, tmp_path):
    (tmp_path / "model").mkdir()
    add_recording(fresh, model=str(tmp_path / "model"))
    output = " ".join(fresh.silverloom("run", "--select", "sources/talks", ok=False).split())
    assert "has no model in CTranslate2's form" in output
