"""A release in Croissant's words, for tools that load any dataset: mlcommons.org/croissant.

Belongs here: files, record sets and fields. Not here: the card for people (card.py).
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pyarrow as pa

from orchestration.release.contents import Contents

_VERSION = "http://mlcommons.org/croissant/1.1"
_PARQUET = "application/x-parquet"


def croissant(contents: Contents) -> bytes:
    """Return `croissant.json`: every file with its MD5, and a record set for each split of a configuration.

    Raises mlcroissant.ValidationError for what Croissant does not allow.
    """
    import mlcroissant as mlc

    context = mlc.Context()
    context.conforms_to = type(context.conforms_to)(_VERSION)
    head, commit = contents.words.head, contents.commit
    library: Any = mlc
    metadata = library.Metadata(
        ctx=context,
        name=contents.system,
        description=" ".join(head["summary"].split()),
        cite_as=head["citation"].strip(),
        date_published=datetime.fromisoformat(commit.time) if commit else None,
        in_language=head["language"],
        keywords=head["tags"],
        license=[_address(licence) for licence, _ in contents.licences],
        url=head["paper"],
        version=f"1.0.0+{contents.manifest.version.removesuffix('.dir')}",
        distribution=[*_files(contents, context, library), *_file_sets(contents, context, library)],
        record_sets=_record_sets(contents, context, library),
    )
    return (json.dumps(metadata.to_json(), indent=1, ensure_ascii=False, default=str) + "\n").encode()


def _files(contents: Contents, context: Any, library: Any) -> list[Any]:
    return [
        library.FileObject(
            ctx=context,
            id=row["file"],
            name=row["file"],
            content_url=row["file"],
            content_size=f"{row['bytes']} B",
            encoding_formats=[_PARQUET],
            md5=row["md5"],
        )
        for row in contents.files
    ]


def _file_sets(contents: Contents, context: Any, library: Any) -> list[Any]:
    return [
        library.FileSet(
            ctx=context,
            id=f"{config}-{split}-files",
            name=f"{config}-{split}-files",
            encoding_formats=[_PARQUET],
            includes=[f"data/{config}/{split}-*.parquet"],
        )
        for config, splits in contents.splits.items()
        for split in splits
    ]


def _record_sets(contents: Contents, context: Any, library: Any) -> list[Any]:
    return [
        library.RecordSet(
            ctx=context,
            id=f"{config}-{split}",
            name=f"{config}-{split}",
            description=f"The split {split} of the configuration {config}.",
            key=[f"{config}-{split}/id"],
            fields=[
                library.Field(
                    ctx=context,
                    id=f"{config}-{split}/{field.name}",
                    name=field.name,
                    description=meaning or field.name,
                    data_types=[_data_type(field.type, library)],
                    **({"is_array": True, "array_shape": "-1"} if pa.types.is_list(field.type) else {}),
                    source=library.Source(
                        ctx=context,
                        file_set=f"{config}-{split}-files",
                        extract=library.Extract(ctx=context, column=field.name),
                    ),
                )
                for field, meaning in contents.columns
            ],
        )
        for config, splits in contents.splits.items()
        for split in splits
    ]


def _data_type(kind: pa.DataType, library: Any) -> Any:
    """Return the type of a column, or of the items of a list. Raises TypeError for nested rows."""
    inner = kind.value_type if pa.types.is_list(kind) else kind
    types = {
        pa.string(): library.DataType.TEXT,
        pa.bool_(): library.DataType.BOOL,
        pa.int32(): library.DataType.INT32,
        pa.int64(): library.DataType.INT64,
        pa.float64(): library.DataType.FLOAT64,
    }
    if inner not in types:
        raise TypeError(f"a release has no columns of {kind}")
    return types[inner]


def _address(licence: str) -> str:
    return f"https://spdx.org/licenses/{licence}" if " " not in licence else licence
