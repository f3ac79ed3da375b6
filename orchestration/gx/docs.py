"""`silverloom gx`: Great Expectations' project in `gx/`, with what checks of kept rows found.

Belongs here: what declarations and manifests become in Great Expectations. Not here: validating (checks/),
the suites that users add (assets/declare/own_suites.py).

All of it is a projection that may be deleted: a manifest alone says what the checks of a partition found
about all tables. Its results are written once for each version of the partition and of its checks.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.expectations import Suite
from silverloom.assets.declare.own_suites import GX, suite_name
from silverloom.orchestration.checks.evaluate import suite
from silverloom.orchestration.checks.validate import LEVELS
from silverloom.orchestration.compat import (
    known_result,
    known_results,
    page_of,
    store_validation,
    stored_validations,
    suite_page,
)
from silverloom.orchestration.files.identity import text_md5
from silverloom.orchestration.files.publish import sharing
from silverloom.orchestration.messages import describe
from silverloom.orchestration.state.freshness import CheckResult, Manifest, manifest_file, read_manifest
from silverloom.orchestration.workspace.workspace import Workspace
from silverloom.pages.paths import DATA_DOCS

#: The names of what is written start with it; Great Expectations stores it below folders of this name.
OURS = "silverloom"
_NO_EXCEPTION = {"raised_exception": False, "exception_message": None, "exception_traceback": None}
#: The files of a new project.
TEMPLATE = Path(__file__).with_name("template")


def write_docs(workspace: Workspace, datasets: Iterable[Dataset]) -> Path:
    """Bring Great Expectations' project and Data Docs up to date for some datasets. Return the first page.

    A partition without results of today's checks gets none. Raises ValueError for a project that Great
    Expectations cannot open, and, after all other datasets, for one whose own suite is wrong; TimeoutError if
    another process does not stop writing.
    """
    with sharing(workspace):
        return _write_docs(workspace, datasets)


def _write_docs(workspace: Workspace, datasets: Iterable[Dataset]) -> Path:
    first = workspace.quality / DATA_DOCS / "index.html"
    context, pages, faults = _open(workspace), list[Any](), list[str]()
    stored = stored_validations(context)
    for dataset in datasets:
        try:
            expectations = [asked for asked in dataset.suite if asked.table == "kept"]
            for number, (partition, manifest) in enumerate(_checked(workspace, dataset)):
                if number == 0:
                    pages.append(_write_suite(context, dataset, expectations, first.parent))
                place = f"{OURS}.{suite_name(*dataset.key)}", partition or "all", _batch(manifest)
                if (key := stored.get(place)) is None:
                    result = _result(dataset, expectations, partition, manifest)
                    made = manifest_file(workspace, dataset, partition).stat().st_mtime
                    time = datetime.fromtimestamp(made, UTC)
                    key = store_validation(context, result, place[1], time, place[2])
                pages.append(key)
        except (ValueError, LookupError) as error:
            faults.append(f"{dataset.name}: {error}")
    due = [key for key in pages if not _is_built(page_of(first.parent, key), first)]
    if due or not first.exists():
        try:
            context.build_data_docs(resource_identifiers=due if first.exists() else None)
        except ValueError:  # a suite of the user's own cannot be read
            context.build_data_docs(resource_identifiers=due)
    if faults:
        raise ValueError("; ".join(faults))
    return first


def _is_built(page: Path, first: Path) -> bool:
    """Return whether a page is whole: Great Expectations writes the first page after all others."""
    return page.exists() and first.exists() and page.stat().st_mtime_ns <= first.stat().st_mtime_ns


def renew_docs(workspace: Workspace) -> str:
    """Bring all Data Docs up to date if they were asked for before. Return "", or why that failed."""
    if not (workspace.quality / DATA_DOCS).exists():
        return ""
    try:
        write_docs(workspace, workspace.datasets.values())
    except Exception as error:
        return f"the Data Docs are not up to date: {describe(error)}"
    return ""


def _open(workspace: Workspace) -> Any:
    import great_expectations as gx
    from great_expectations.exceptions import GreatExpectationsError

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    for path in TEMPLATE.iterdir():  # a user may have changed them
        target = workspace.root / GX / path.name.replace("gitignore", ".gitignore")
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            shutil.copy(path, target)
    ours = [path for part in ("*", "uncommitted/*") for path in (workspace.root / GX).glob(f"{part}/{OURS}*")]
    files = [file for path in ours for file in ([path] if path.is_file() else path.rglob("*.json"))]
    torn = {path for path in files if not _is_json(path)}  # by a killed process: they are written again
    if any("uncommitted" not in path.parts for path in torn):  # suites and checkpoints refer to each other
        torn |= {path for path in files if "uncommitted" not in path.parts}
    for path in torn:
        path.unlink()
    try:
        context: Any = gx.get_context(mode="file", project_root_dir=workspace.root)
        _rows(context)
    except (KeyError, LookupError):
        raise ValueError(
            f"{GX}/great_expectations.yml has no source {OURS} with data frame `rows` and batch `whole`: "
            "add it, or move the file away to get a new one"
        ) from None
    except GreatExpectationsError as error:
        raise ValueError(f"{GX}/great_expectations.yml: {error}") from error
    return context


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


def _rows(context: Any) -> Any:
    return context.data_sources.get(OURS).get_asset("rows").get_batch_definition("whole")


def _checked(workspace: Workspace, dataset: Dataset) -> Iterator[tuple[str, Manifest]]:
    """Yield the partitions with the results of today's checks; a report has none."""
    for partition in dataset.made_partitions:
        manifest = read_manifest(workspace, dataset, partition)
        if manifest and manifest.key["code"].get("expectations", "") == dataset.code.get("expectations"):
            yield partition, manifest


def _batch(manifest: Manifest) -> str:
    """Return the name of what was validated: the version of the partition, a hash of checks and results."""
    found = text_md5(repr([manifest.key["code"]["expectations"], manifest.checks]))
    return f"{manifest.version.removesuffix('.dir')}-{found[:8]}"


def _write_suite(context: Any, dataset: Dataset, expectations: Suite, docs: Path) -> Any:
    """Write the suite of a dataset, with a checkpoint for rows of any partition, unless they are there.

    Return the key of its page, which is removed from Data Docs if it is no longer right.
    """
    import great_expectations as gx
    from great_expectations.exceptions import DataContextError

    name = f"{OURS}.{suite_name(*dataset.key)}"
    columns = sorted({column for asked in expectations for column in asked.columns})
    about = {"version": dataset.code["expectations"], "columns": columns}
    with suppress(DataContextError):
        if about.items() <= context.suites.get(name).meta.items() and context.checkpoints.get(name):
            return suite_page(name)
    written = context.suites.add_or_update(suite(name, expectations, None, about))
    definition = gx.ValidationDefinition(name=name, data=_rows(context), suite=written)
    definition = context.validation_definitions.add_or_update(definition)
    context.checkpoints.add_or_update(gx.Checkpoint(name=name, validation_definitions=[definition]))
    page_of(docs, page := suite_page(name)).unlink(missing_ok=True)
    return page


def _result(dataset: Dataset, expectations: Suite, partition: str, manifest: Manifest) -> Any:
    """Return what a manifest says as Great Expectations' result of validating a suite.

    Where a manifest only says why nothing could be evaluated, this is the result of each expectation.
    """
    import great_expectations as gx

    recorded: dict[str, CheckResult] = {
        result["expected"]: result for check in LEVELS for result in manifest.checks.get(check, ())
    }
    other = [recorded[name] for name in recorded.keys() - {one.name for one in dataset.suite}]
    for one in expectations if other else ():
        recorded.setdefault(one.name, other[0])
    name = f"{OURS}.{suite_name(*dataset.key)}"
    asked = suite(name, [one for one in expectations if one.name in recorded], partition)
    results = [
        known_result(
            success=recorded[one.meta["name"]]["passed"],
            expectation_config=one.configuration,
            result={"observed_value": escape(recorded[one.meta["name"]]["observed"])},  # GX does not
            exception_info=dict(_NO_EXCEPTION),
        )
        for one in asked.expectations
    ]
    met = sum(bool(result.success) for result in results)
    return known_results(
        success=met == len(results) and all(result["passed"] for result in other),
        results=results,
        suite_name=name,
        statistics={
            "evaluated_expectations": len(results),
            "successful_expectations": met,
            "unsuccessful_expectations": len(results) - met,
            "success_percent": 100 * met / len(results) if results else None,
        },
        meta={
            "great_expectations_version": gx.__version__,
            "active_batch_definition": {
                "datasource_name": OURS,
                "data_connector_name": "fluent",
                "data_asset_name": dataset.name,
                "batch_identifiers": {"partition": partition or "all"},
            },
            "batch_spec": {"data_asset_name": dataset.name, "data version": manifest.version},
            "batch_markers": {},
        },
    )
