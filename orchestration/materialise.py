"""Make one partition: key, write, publish, check, remember.

Belongs here: the `store` resource that every asset body is handed to, and the IO manager through which
its inputs come. Not here: which partitions are made, and when (run.py, stage.py, Dagster itself).
"""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dagster as dg

from assets.declaration import Declaration, declarations
from ops.parts import Part, Parts
from orchestration import conservation
from orchestration.corpora import corpus
from orchestration.engine import engine
from orchestration.failures import give_up_or_retry
from orchestration.freshness import NotReadyError, View, remembered
from orchestration.graph import STATE, WORKSHOP, folder, label
from orchestration.store.counts import counts
from orchestration.store.identity import file_md5, folder_hashes
from orchestration.store.parquet import write_outcomes
from orchestration.store.publish import building, lock_file
from orchestration.store.records import Record, forget, write_record
from orchestration.summary import metadata


class ChangedBytesError(RuntimeError):
    """A file is not what was published; the text names it and both hashes."""


class Store(dg.ConfigurableResource[Any]):
    """Makes partitions. With `commit`, a finished stage goes into dvc.lock at once."""

    commit: bool = True

    def make(
        self, declaration: Declaration, context: dg.AssetExecutionContext, inputs: Mapping[str, Parts]
    ) -> dg.MaterializeResult[Any]:
        """Make one partition and return what Dagster records of it.

        Transient failures are retried with a growing pause, permanent ones are not.
        """
        month = context.partition_key if context.has_partition_key else ""
        name = label(declaration, month)
        try:
            with _alone(declaration, month):
                result = make(declaration, month, inputs, context.run_id)
            if self.commit:
                from orchestration.dvc import commit_finished

                commit_finished(declaration)
        except Exception as error:
            give_up_or_retry(error, context.retry_number, name)
        return result


class PartsIOManager(dg.IOManager):
    """Hands an asset its inputs as `Parts`, whose bytes are checked against their record."""

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        """Do nothing: a partition is published before its materialisation is reported."""

    def load_input(self, context: dg.InputContext) -> Parts:
        """Return the kept rows of an input, of one month or of all that are made."""
        item = declarations()[context.asset_key]
        months = sorted(context.asset_partition_keys) if context.has_asset_partitions else [""]
        try:
            return parts(item, [month for month in months if item.excluded(month) is None])
        except Exception as error:
            give_up_or_retry(error, 0, label(item, ""))


def make(
    declaration: Declaration, month: str, inputs: Mapping[str, Parts], run_id: str
) -> dg.MaterializeResult[Any]:
    """Make one partition: the record is written last, and only when its checks have passed."""
    if (reason := declaration.excluded(month)) is not None:
        raise NotReadyError(f"{label(declaration, month)} is excluded in params.yaml: {reason}")
    started = time.monotonic()
    made_under = View().key(declaration, month)
    target = folder(declaration, month)
    with building(WORKSHOP, target) as new:
        units = write_outcomes(
            new, declaration.function(**_arguments(declaration, month, inputs)), declaration.shape
        )
    findings = {
        "conservation": conservation.conservation(target, units, _expected(declaration, month, inputs)),
        "schema": conservation.schema(target, declaration.shape),
    }
    record = Record(made_under, folder_hashes(target), counts(target), run_id, time.monotonic() - started)
    if View().key(declaration, month) != made_under:
        raise BlockingIOError(
            errno.EAGAIN, f"the inputs of {label(declaration, month)} changed while it was made"
        )
    if all(finding.passed for finding in findings.values()):
        write_record(declaration, month, record)
    else:
        forget(declaration, month)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(record.version),
        metadata=metadata(target, record),
        check_results=[_result(name, finding) for name, finding in findings.items()],
    )


def parts(item: Declaration, months: Iterable[str]) -> Parts:
    """Return the kept rows of partitions, after comparing every byte with their records.

    Raises NotReadyError where one is missing, ChangedBytesError where one was changed.
    """
    paths = []
    for month in months:
        expected = remembered(item, month).hashes
        for path in sorted(folder(item, month).glob("kept-*.parquet")):
            found = file_md5(path, trust_stat=False)
            if found != expected.get(path.name):
                raise ChangedBytesError(
                    f"{path} was changed after it was made: its MD5 is {found}, "
                    f"recorded is {expected.get(path.name)}; `dvc checkout` brings it back"
                )
            paths.append(Part(str(path)))
    return Parts(item.shape.kept, tuple(paths), engine())


def _arguments(declaration: Declaration, month: str, inputs: Mapping[str, Parts]) -> dict[str, Any]:
    arguments: dict[str, Any] = {**inputs, **declaration.arguments}
    if declaration.records:
        arguments["records"] = corpus(declaration.records).records(month)
    return arguments


def _expected(declaration: Declaration, month: str, inputs: Mapping[str, Parts]) -> Iterator[str]:
    """Yield the ids of the units that a step must account for, read from its input, not its output."""
    if declaration.records:
        yield from corpus(declaration.records).ids(month)
    elif declaration.consumes:
        argument, _, nested = declaration.consumes.partition(".")
        yield from conservation.unit_ids(inputs[argument], nested or None)


def _result(name: str, finding: conservation.Finding) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=name,
        passed=finding.passed,
        severity=dg.AssetCheckSeverity.ERROR,
        description="; ".join(finding.faults) or finding.summary,
        metadata={"summary": finding.summary, "faults": list(finding.faults)},
    )


@contextlib.contextmanager
def _alone(item: Declaration, month: str) -> Iterator[None]:
    """Keep two processes from making the same partition at once; the second waits."""
    path = STATE.joinpath("locks", *item.key.path, f"{month or 'all'}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(lock_file(path, wait=True)):
        yield
