"""Write a system's release: a folder that `datasets.load_dataset` and Croissant's tools can load.

Belongs here: the files in the folder, its card (README.md, with a YAML head for hubs and text for people),
its Croissant file, and replacing the folder as a whole. Not here: the content (contents.py), a system's own
text (ops/<system>/card.md).

The Parquet files are a dataset like any other (`<system>/release_files`), which depends only on data, params
and code. The card names the commit and the versions in dvc.lock: a dataset with these would have to be made
again by the very commit that records it. So card, Croissant file and checksums are written when a release is
requested.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import yaml

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.assets.declare.logins import without_logins
from silverloom.assets.rows.reading import tables
from silverloom.ops.core.release import RELEASE_FILES, ReleaseParams
from silverloom.orchestration.files.identity import listing
from silverloom.orchestration.files.publish import building
from silverloom.orchestration.messages import escaped
from silverloom.orchestration.release.contents import Contents, Words, check
from silverloom.orchestration.state.freshness import View, unreplaced
from silverloom.orchestration.workspace.workspace import WRITTEN, Workspace, commit

#: The list of checksums, which identifies a folder as a release.
CHECKSUMS = "checksums.md5"


def released(workspace: Workspace, system: str) -> Dataset:
    """Return the dataset with a system's released files. Raises LookupError if it releases no files."""
    releases = {
        dataset.key.group: dataset
        for dataset in workspace.datasets.values()
        if dataset.key.asset == RELEASE_FILES
    }
    if system not in releases:
        raise LookupError(
            f"system {system!r} has no release; systems with one: {', '.join(sorted(releases))}"
        )
    return releases[system]


def write(workspace: Workspace, system: str, target: Path) -> Path:
    """Write a release into a folder; a former release there is replaced in one step.

    Raises LookupError for a system without a release, RuntimeError if its files are not made yet,
    ForbiddenError if a licence forbids it, FileExistsError for a folder that is not a release.
    """
    dataset = released(workspace, system)
    target = target.absolute()
    if target.exists() and not (target / CHECKSUMS).is_file():
        raise FileExistsError(f"{target} exists and is not a release; choose another with --folder")
    read = {parent.name: parent.made_partitions for parent in workspace.graph.ancestors(dataset)}
    with unreplaced(workspace, {dataset.name: [""], **read}):
        view = View(workspace)
        status = view.status(dataset, "")
        if (manifest := status.fresh_manifest) is None:
            raise RuntimeError(f"{label(dataset, '')} must be made first: {'; '.join(status.reasons)}")
        params = next(value for value in dataset.arguments.values() if isinstance(value, ReleaseParams))
        check(workspace, dataset, params)
        inside = target.is_relative_to(workspace.root)
        besides = [*WRITTEN, *([target.relative_to(workspace.root).as_posix()] if inside else [])]
        contents = Contents(
            workspace, dataset, manifest, Words.of(system), commit(workspace, besides), params
        )
        if not contents.files:
            lost = _lost(workspace, dataset)
            raise RuntimeError(f"{dataset.name} has no rows: there is nothing to release{lost}")
        with building(target.parent / ".building", target) as new:
            for row in contents.files:
                (new / row["file"]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(contents.folder / row["file"], new / row["file"])
            (new / "README.md").write_bytes(card(contents))
            (new / "croissant.json").write_bytes(croissant(contents))
            (new / "dvc.json").write_bytes(listing(manifest.files))
            (new / CHECKSUMS).write_text(_checksums(contents))
    return target


def _lost(workspace: Workspace, dataset: Dataset) -> str:
    """Return why most units of the released dataset were dropped, with details."""
    (rows,) = [source for source in dataset.argument_inputs if source.argument == dataset.consumes]
    consumed = workspace.datasets[rows.key.to_user_string()]
    losses = Counter(
        (row["reason"], row["detail"])
        for partition in consumed.made_partitions
        for table in tables(workspace.folder(consumed, partition), "dropped", ["reason", "detail"])
        for row in table.to_pylist()
    )
    if not losses:
        return ""
    [((reason, detail), count)] = losses.most_common(1)
    return f"; {consumed.name} dropped {count} units as {reason}{f': {detail}' if detail else ''}"


def _checksums(contents: Contents) -> str:
    version = contents.manifest.version.removesuffix(".dir")
    lines = [(version, "dvc.json"), *((row["md5"], row["file"]) for row in contents.files)]
    return "".join(f"{md5}  {name}\n" for md5, name in lines)


#: Licences that hubs know by name: their SPDX name in lower case.
_KNOWN = re.compile(
    r"(apache-2\.0|mit|cc0-1\.0|cc-by(-nc)?(-sa|-nd)?-[234]\.0|bsd-[23]-clause|[al]?gpl-3\.0)"
)

_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)


def card(contents: Contents) -> bytes:
    """Return the card as Markdown."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(  # noqa: S701  not HTML
        loader=loader, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["escaped"] = escaped
    return (
        environment.get_template("card.md.jinja")
        .render(
            contents=contents,
            words=contents.words.head,
            text=contents.words.text,
            head=_yaml(head(contents)),
            statistics=statistics(contents),
            params=_yaml(contents.params),
            software=software(),
            release=contents.params_of_release,
        )
        .encode()
        + b"\n"
    )


def statistics(contents: Contents) -> tuple[list[str], list[tuple[str, list[str], str]]]:
    """Return the configurations with a statistic; each statistic's name, values and value in the paper."""
    asked = contents.words.head["statistics"]
    values = {
        config: [_shown(contents.statistic(ask, config)) for ask in asked] for config in contents.splits
    }
    values = {config: column for config, column in values.items() if any(column)}
    rows = [
        (ask["name"], [column[row] for column in values.values()], ask["paper"])
        for row, ask in enumerate(asked)
    ]
    return [*values], rows


def software() -> str:
    """Return the version of silverloom, and the address and commit if it was installed from a repository."""
    try:
        installed = metadata.distribution("silverloom")
    except metadata.PackageNotFoundError:  # a checkout that was never set up
        return "silverloom"
    told = f"silverloom {installed.version}"
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    address, commit = str(origin.get("url", "")), origin.get("vcs_info", {}).get("commit_id")
    if not commit or not address.startswith("http"):  # the path of a folder stays private
        return told
    return f"{told} (<{without_logins(address)}>, commit `{commit}`)"


def head(contents: Contents) -> dict[str, Any]:
    """Return the YAML head that hubs and `datasets` read."""
    rows = sum(count for _, count in contents.licences)
    return {
        "pretty_name": contents.title,
        **_licence([licence for licence, _ in contents.licences]),
        "language": contents.words.head["language"],
        "task_categories": contents.words.head["tasks"],
        "tags": contents.words.head["tags"],
        "size_categories": [size_category(rows)],
        "configs": [
            {
                "config_name": config,
                **({"default": True} if number == 0 else {}),
                "data_files": [
                    {"split": split, "path": f"data/{config}/{split}-*.parquet"} for split in splits
                ],
            }
            for number, (config, splits) in enumerate(contents.splits.items())
        ],
    }


def size_category(rows: int) -> str:
    """Return the hubs' name for a number of rows, such as `1K<n<10K`."""
    names = ["1K", "10K", "100K", "1M", "10M", "100M", "1B"]
    place = sum(rows >= size for size in _SIZES)
    if place in (0, len(_SIZES)):
        return f"n<{names[0]}" if place == 0 else f"n>{names[-1]}"
    return f"{names[place - 1]}<n<{names[place]}"


def _licence(licences: list[str]) -> dict[str, Any]:
    names = sorted({name for licence in licences for name in licence.split(" AND ")})
    if all(_KNOWN.fullmatch(name.lower()) for name in names):
        return {"license": [name.lower() for name in names]}
    return {"license": "other", "license_name": " AND ".join(names)}


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _yaml(content: Any) -> str:
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return text


_VERSION = "http://mlcommons.org/croissant/1.1"
_PARQUET = "application/x-parquet"


def croissant(contents: Contents) -> bytes:
    """Return `croissant.json`: every file with its MD5, and a record set per split of each configuration.

    Raises mlcroissant.ValidationError for anything that Croissant does not allow.
    """
    import mlcroissant as mlc

    context = mlc.Context()
    context.conforms_to = type(context.conforms_to)(_VERSION)
    head, commit = contents.words.head, contents.commit
    library: Any = mlc
    described = library.Metadata(
        ctx=context,
        name=contents.system,
        description=" ".join(head["summary"].split()),
        cite_as=head["citation"].strip(),
        date_published=datetime.fromisoformat(commit.time) if commit else None,
        in_language=head["language"],
        keywords=head["tags"],
        license=[_address(licence) for licence, _ in contents.licences],
        url=contents.params_of_release.homepage or head["paper"],
        creators=[library.Person(ctx=context, name=name) for name in contents.params_of_release.creators],
        version=f"1.0.0+{contents.manifest.version.removesuffix('.dir')}",
        distribution=[*_files(contents, context, library), *_file_sets(contents, context, library)],
        record_sets=_record_sets(contents, context, library),
    )
    return (json.dumps(described.to_json(), indent=1, ensure_ascii=False, default=str) + "\n").encode()


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
                _field(f"{config}-{split}", field, meaning, context, library)
                for field, meaning in contents.columns[config]
            ],
        )
        for config, splits in contents.splits.items()
        for split in splits
    ]


def _field(
    record_set: str, field: pa.Field, meaning: str, context: Any, library: Any, column: str | None = None
) -> Any:
    """Return a column as a Croissant field; the fields of a struct, or of a list of structs, are sub-fields.

    `column` is the column that a sub-field is in.
    """
    place = f"{column}/{field.name}" if column else field.name
    inner = field.type.value_type if pa.types.is_list(field.type) else field.type
    rows = pa.types.is_struct(inner)
    whole = {"is_array": True, "array_shape": "-1"} if pa.types.is_list(field.type) else {}
    source = library.Source(
        ctx=context,
        file_set=f"{record_set}-files",
        extract=library.Extract(ctx=context, column=column or field.name),
        transforms=[library.Transform(ctx=context, json_path=field.name)] if column else [],
    )
    within = [inner.field(number) for number in range(inner.num_fields)] if rows else []
    return library.Field(
        ctx=context,
        id=f"{record_set}/{place}",
        name=f"{record_set}/{place}" if column else field.name,
        description=meaning or field.name,
        data_types=[] if rows else [_data_type(inner, library)],
        **whole,
        **({} if rows else {"source": source}),
        sub_fields=[_field(record_set, item, "", context, library, field.name) for item in within],
    )


def _data_type(inner: pa.DataType, library: Any) -> Any:
    """Return the Croissant type of a column or of a list's items. Raises TypeError for any other."""
    types = {
        pa.string(): library.DataType.TEXT,
        pa.bool_(): library.DataType.BOOL,
        pa.int32(): library.DataType.INT32,
        pa.int64(): library.DataType.INT64,
        pa.float64(): library.DataType.FLOAT64,
    }
    if inner not in types:
        raise TypeError(f"a release cannot have columns of type {inner}")
    return types[inner]


def _address(licence: str) -> str:
    return f"https://spdx.org/licenses/{licence}" if " " not in licence else licence
