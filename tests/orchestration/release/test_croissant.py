"""Croissant metadata, as mlcroissant reads it."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.ops.core.release import ReleaseParams
from silverloom.orchestration.release.contents import described
from silverloom.orchestration.release.write import croissant

mlcroissant = pytest.importorskip("mlcroissant")


def contents(schema):
    head = {"summary": "Some.", "citation": "None", "language": ["en"], "tags": [], "title": "Some"}
    files = [{"file": "data/some/train-00000.parquet", "bytes": 1, "md5": "0" * 32}]
    return SimpleNamespace(
        system="some",
        words=SimpleNamespace(head=head | {"paper": "http://paper.example"}),
        commit=SimpleNamespace(time="2018-06-01T00:00:00+00:00"),
        manifest=SimpleNamespace(version="abc"),
        licences=[("MIT", 1)],
        params_of_release=ReleaseParams(creators=("Ann Lee", "Bo"), homepage="https://example.org/some"),
        files=files,
        splits={"some": {"train": files}},
        columns={"some": [(field, f"meaning of {field.name}") for field in schema]},
    )


def test_nested_columns_are_sub_fields_that_mlcroissant_reads(tmp_path):
    reference = pa.struct([("address", pa.string()), ("cited", pa.bool_()), ("as", pa.list_(pa.string()))])
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("words", pa.list_(pa.int32())),
            ("references", pa.list_(reference)),
        ]
    )
    references = [
        {"address": "http://a", "cited": True, "as": ["http://b", "http://c"]},
        {"address": "http://d", "cited": False, "as": []},
    ]
    rows = [
        {"id": "1", "words": [1, 2], "references": references},
        {"id": "2", "words": [], "references": references[1:]},
        {"id": "3", "words": [3], "references": []},
    ]
    (tmp_path / "data/some").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "data/some/train-00000.parquet")
    (tmp_path / "croissant.json").write_bytes(croissant(contents(schema)))
    dataset = mlcroissant.Dataset(tmp_path / "croissant.json")
    assert not dataset.metadata.ctx.issues.report()
    assert [creator.name for creator in dataset.metadata.creators] == ["Ann Lee", "Bo"]
    assert dataset.metadata.url == "https://example.org/some"
    first, second, third = dataset.records("some-train")
    name = "some-train/references"
    assert [item[f"{name}/address"] for item in first[name]] == [b"http://a", b"http://d"]
    assert [item[f"{name}/cited"] for item in first[name]] == [True, False]
    assert list(first[name][0][f"{name}/as"]) == [b"http://b", b"http://c"]
    assert len(second[name]) == 1 and not third[name]


def test_a_source_is_described_with_whom_to_name_and_without_its_path():
    source = {
        "path": "/secret",
        "kind": "table",
        "licence": "CC-BY-4.0",
        "title": "News",
        "url": "https://news.example",
    }
    told = described({**source, "attribution": "Ann Lee", "domain": ""})
    assert (
        told
        == "title: News; attribution: Ann Lee; url: https://news.example; kind: table; licence: CC-BY-4.0"
    )
