"""The counts of a dataset that pages show."""

from silverloom.assets.rows.reading import counted
from tests.rows_corpus import JUNE, row, write


def test_the_size_of_a_dataset_includes_files_in_subfolders(tmp_path):
    everything = write(tmp_path, "talksumm/matches", JUNE, [row("match-a")])
    folder = everything["talksumm/matches"][JUNE]
    before = counted(everything)["talksumm/matches"].size
    (folder / "pointer" / "words_150").mkdir(parents=True)
    (folder / "pointer" / "words_150" / "weights.safetensors").write_bytes(b"x" * 1000)
    assert counted(everything)["talksumm/matches"].size == before + 1000
