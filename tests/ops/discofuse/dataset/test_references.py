"""Examples with equal inputs are references of each other, wherever they are in a dataset."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.parts import FilesFolder
from silverloom.ops.core.release import ReleaseParams, release_files
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.dataset.examples import ExampleParams
from silverloom.ops.discofuse.dataset.references import beside_released, references, several_references
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import EXAMPLES, PROSE
from tests.ops.discofuse.example_cases import example, made_of
from tests.parts import parts

BUT = "The old mill burned down in 1990, but the town never built a new one."
HOWEVER = "The old mill burned down in 1990. However, the town never built a new one!"


def document(name, text):
    nothing = {**dict.fromkeys(PROSE.kept.names, "-"), "holes": []}
    return nothing | {"id": name, "licence": "MIT", "source_ids": ["-"], "title": None, "text": text}


@pytest.fixture(scope="module")
def fused():
    prose = pa.Table.from_pylist([document("a", BUT), document("b", HOWEVER)], PROSE.kept)
    params = AnnotationParams()
    made = candidates(annotate(prose, params).kept, params, RuleParams())
    return made_of(made.kept, ExampleParams()).kept


def test_two_documents_that_say_the_same_with_but_and_however_are_references_of_each_other(fused, tmp_path):
    rows = parts(tmp_path / "examples", EXAMPLES.kept, fused.slice(0, 1), fused.slice(1))
    but = "The old mill burned down in 1990 , but the town never built a new one ."
    however = "The old mill burned down in 1990 . However , the town never built a new one !"
    assert [row["connective_string"] for row in fused.to_pylist()] == [", but", "however ,"]
    texts = [table["references"].to_pylist() for table in references(rows, tmp_path / "scratch")]
    assert texts == [[[but, however]], [[however, but]]]


def test_released_rows_have_all_references_in_every_configuration(fused, tmp_path):
    rows = parts(tmp_path / "examples", EXAMPLES.kept, [*fused.to_pylist(), example("c", domain="-")])
    files = FilesFolder(tmp_path / "files")
    outcomes = release_files(
        rows, files, ReleaseParams(), "domain", subsets={"balanced": rows}, beside=references
    )
    list(outcomes)
    released = [pq.read_table(path) for path in sorted((tmp_path / "files").rglob("*.parquet"))]
    assert released and all("references" in table.column_names for table in released)
    counts = [row for table in released for row in map(len, table["references"].to_pylist())]
    assert sorted(counts) == [1, 2, 2]


SENTENCES = st.sampled_from(["He left .", "he  left !", "She left .", "It rained ."])
TEXTS = st.sampled_from(
    ["He left , but she left .", "he left, but she left.", "He left and she left .", "No ."]
)
ROWS = st.lists(st.tuples(SENTENCES, SENTENCES, TEXTS), max_size=12)


def plain(text):
    return text.lower().replace(" ", "").strip(".!")


def slow(rows):
    """For each row, its text and those of all rows with the same input that differ from the ones before."""
    for first, second, text in rows:
        texts = [text]
        for one, other, candidate in rows:
            same = (plain(one), plain(other)) == (plain(first), plain(second))
            if same and plain(candidate) not in map(plain, texts):
                texts.append(candidate)
        yield texts


@given(ROWS, st.integers(0, 12))
def test_references_are_those_of_the_slow_comparison_of_all_rows(tmp_path_factory, rows, cut):
    made = [
        example(str(number), incoherent_first_sentence=first, incoherent_second_sentence=second, fused=text)
        for number, (first, second, text) in enumerate(rows)
    ]
    folder = tmp_path_factory.mktemp("references")
    split = parts(folder / "examples", EXAMPLES.kept, made[:cut], made[cut:])
    wanted = list(slow(rows))
    tables = references(split, folder / "all")
    assert [texts for table in tables for texts in table["references"].to_pylist()] == wanted
    several = {row["id"]: row["references"] for row in several_references(split, folder / "some").rows()}
    assert several == {str(number): texts for number, texts in enumerate(wanted) if len(texts) > 1}


def test_released_rows_have_name_and_address_of_their_document(fused, tmp_path):
    rows = parts(tmp_path / "examples", EXAMPLES.kept, fused.slice(0, 1), fused.slice(1))
    given = [{"document": f"{name}.txt", "url": url} for name, url in (("b", None), ("a", "https://a.org"))]
    texts = [{**document(row["document"][0], "-"), **row} for row in given]
    found = list(beside_released(parts(tmp_path / "prose", PROSE.kept, texts), rows, tmp_path / "scratch"))
    assert [table["document"].to_pylist() for table in found] == [["a.txt"], ["b.txt"]]
    assert [table["url"].to_pylist() for table in found] == [["https://a.org"], [None]]
    assert [len(references) for table in found for references in table["references"].to_pylist()] == [2, 2]
