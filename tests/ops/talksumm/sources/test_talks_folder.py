"""The table of a folder of transcripts: which columns it needs."""

from silverloom.ops.parse.source import Source
from silverloom.ops.talksumm.sources.talks import FORMATS


def talks(folder, table):
    (folder / "a.txt").write_text("We count rare words.")
    (folder / "metadata.csv").write_text(table)
    source = Source(kind="transcripts", path=str(folder), licence="MIT")
    return [raw for raw in FORMATS["transcripts"].split(folder, source) if raw.path == "a.txt"]


def test_files_titles_and_dates_are_enough(tmp_path):
    [raw] = talks(tmp_path, "file,title,date\na.txt,Rare words,2018-06-01\n")
    talk = FORMATS["transcripts"].parse(raw)
    assert (talk.title, talk.date, talk.url, talk.licence) == ("Rare words", "2018-06-01", "", "")


def test_a_table_without_dates_is_refused(tmp_path):
    [raw] = talks(tmp_path, "file,title\na.txt,Rare words\n")
    assert raw.error.startswith("no metadata: metadata.csv: no column date")
