"""String columns over 2 GiB, which do not fit into one Arrow array, are read chunk by chunk."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from silverloom.ops.core.sampling import sample
from silverloom.ops.parasci.dataset.threshold_scores import found_by
from silverloom.orchestration.checks.conservation import unit_ids
from tests.long_columns import CHUNKS, chunked, long_text

IDS = pa.array([str(number) for number in range(CHUNKS)])


@pytest.fixture(scope="module")
def text():
    return long_text()


def test_such_a_column_cannot_be_one_array(text):
    with pytest.raises(pa.ArrowInvalid, match="offset overflow"):
        chunked(text).combine_chunks()


def test_rows_with_long_texts_are_sampled(text):
    table = pa.table({"id": IDS, "text": chunked(text)})
    assert len(sample(table, 2, 0)) == 2


def test_pairs_are_selected_by_long_lists_of_methods(text):
    lists = pa.ListArray.from_arrays([0, 1, 2], pa.concat_arrays([pa.array(["intra"]), text]))
    assert found_by(chunked(lists), "intra").tolist() == [True, False] * CHUNKS


def test_units_are_read_from_long_sentences_of_documents(text):
    sentences = pa.StructArray.from_arrays([pa.array(["unit"]), text], ["id", "text"])
    read = pa.table({"sentences": chunked(pa.ListArray.from_arrays([0, 1], sentences))})
    parts = SimpleNamespace(parts=[SimpleNamespace(read=read.select)])
    assert list(unit_ids(parts, "sentences")) == ["unit"] * CHUNKS
