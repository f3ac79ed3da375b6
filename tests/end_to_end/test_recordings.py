"""Recordings of talks as a run hears them: by pocketsphinx, and by faster-whisper where it is installed."""

import pyarrow.parquet as pq
import pytest

from tests.espeak import spoken
from tests.whisper import MODEL, OPTIONS, installed

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


@pytest.mark.skipif(not installed(), reason="faster-whisper is not installed: run `make whisper`")
def test_a_recording_is_heard_by_the_model_that_its_source_names(fresh):
    add_recording(fresh, **OPTIONS)
    words = heard(fresh)
    assert {"central", "idea", "examples"} <= {word.lower().strip(",.") for word in words}
    line = next(
        line for line in (fresh.root / "whisper-models.txt").read_text().splitlines() if MODEL in line
    )
    fresh.edit("whisper-models.txt", line.rpartition(":")[2], "0" * 64)
    assert f"model {MODEL} changed" in " ".join(fresh.silverloom("plan").split())


@pytest.mark.skipif(installed(), reason="faster-whisper is installed")
def test_a_source_that_asks_for_faster_whisper_without_it_stops_the_run_and_says_what_to_do(fresh):
    add_recording(fresh, **OPTIONS)
    output = " ".join(fresh.silverloom("run", "--select", "sources/talks", ok=False).split())
    assert "faster_whisper is not installed: run `make whisper`" in output
