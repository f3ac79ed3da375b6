"""Training in this process, or in several processes of this machine that train one model together.

Belongs here: `train`, starting processes, handing them what they train, and receiving progress, checkpoints,
errors and weights. Not here: what a process computes (loop.py), how gradients are summed (processes.py).

`torch.multiprocessing.spawn` starts the processes, and Accelerate detects them like those of
`accelerate launch`. That command itself can only start a script, to which nothing can be passed. This process
waits for the others and shares no state with them. It writes the checkpoints, so that processes whose parent
was killed can no longer write any. It also validates, because the others compute only the loss.

They are handed a folder: settings as JSON, the module and the last checkpoint as the files that they have
elsewhere too, the lengths of the examples as a NumPy array; the examples stay in their Arrow file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, connection
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ImportString, JsonValue

from silverloom.ops.core.params import Params
from silverloom.ops.core.stored_rows import RowFile
from silverloom.ops.models.training.checkpoints import Checkpoints, has_ended
from silverloom.ops.models.training.loop import numerics, train_here
from silverloom.ops.models.training.params import TrainingParams
from silverloom.ops.models.training.processes import on_processor
from silverloom.ops.models.training.task import LossParts, Progress, Task, Trained, TrainingError

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.multiprocessing.spawn import ProcessContext

#: In the folder of a training: the settings, the lengths of the examples, the folders of the module's files
#: and of the last checkpoint, and the rendezvous file of the processes.
_HANDED, _COSTS, _MODULE, _FORMER, _MEETING = "handed.json", "costs.npy", "module", "former", "meeting"

#: The kind of message that asks for a validation.
_VALIDATE = "validate"

#: Seconds between two checks for processes that have ended.
_LOOK = 0.2


def train(
    task: Task,
    params: TrainingParams,
    checkpoints: Checkpoints | None = None,
    report: Callable[[Progress], None] | None = None,
    strict: bool = True,
) -> Trained:
    """Train a task's module in place, and leave it with the weights of its best validation.

    Resumes from the last checkpoint if there is one; a run that has ended is not started again. `strict` is
    params.yaml's `numerics: strict`: on the CPU, with one thread and deterministic algorithms; else on the
    accelerator, if there is one. `report` is called after every update. If `params.processes` is above 1,
    that many processes train the module.

    Raises TrainingError for an empty training set, for a metric that validation does not return, and for
    processes that fail or have no device; CheckpointError for a checkpoint of another run; NotFiniteError if
    the loss is not finite. The last checkpoint is kept.
    """
    from torch import distributed

    # Under `accelerate launch` or `torchrun`, the processes already run.
    alone = params.processes == 1 or not len(task.costs) or distributed.is_torchelastic_launched()
    former = None if alone or checkpoints is None else checkpoints.read()
    if alone or (former is not None and has_ended(former)):
        return train_here(task, params, checkpoints, report, strict)
    _check_devices(params.processes, strict)
    return _train_together(task, params, former, checkpoints, report, strict)


def _check_devices(processes: int, strict: bool) -> None:
    import torch

    if not on_processor(strict) and (gpus := torch.cuda.device_count()) < processes:
        raise TrainingError(
            f"processes is {processes}, but the step sees {gpus} GPUs, and each process needs one: "
            f"lower it, or give the step more GPUs"
        )


def _train_together(
    task: Task,
    params: TrainingParams,
    former: Mapping[str, bytes] | None,
    checkpoints: Checkpoints | None,
    report: Callable[[Progress], None] | None,
    strict: bool,
) -> Trained:
    import torch
    from safetensors.torch import load

    trained: Trained | None = None
    task.module.to("cpu")
    parts = task.parts()
    task.module.to("cpu" if on_processor(strict) else "cuda").eval()
    with TemporaryDirectory(prefix="training-") as folder, numerics(strict):
        _hand(Path(folder), task, parts, params, former, strict)
        with started_processes(params.processes, folder) as (processes, pipes):
            for what, said in _messages(processes, pipes):
                if what is Progress and report is not None:
                    report(said)
                elif what is Checkpoints and checkpoints is not None:
                    checkpoints.write(said)
                elif what is TrainingError:
                    raise said
                elif what == _VALIDATE:
                    task.module.load_state_dict(load(said))
                    with torch.no_grad():
                        _tell(pipes, task.validate())
                elif what is Trained:
                    trained, weights = said
                    task.module.load_state_dict(load(weights))
    if trained is None:
        raise TrainingError(f"{params.processes} processes ended, and none said how")
    return trained


class _Handed(Params):
    """The settings of a training, as the processes read them."""

    params: TrainingParams
    strict: bool
    identity: dict[str, Any]
    make: ImportString[Any]
    rows: Path
    values: dict[str, JsonValue]


def _hand(
    folder: Path,
    task: Task,
    parts: LossParts,
    params: TrainingParams,
    former: Mapping[str, bytes] | None,
    strict: bool,
) -> None:
    """Write what the processes read."""
    handed = _Handed(
        params=params,
        strict=strict,
        identity=dict(task.identity()),
        make=parts.make,
        rows=parts.rows.path,
        values=dict(parts.values),
    )
    (folder / _HANDED).write_text(handed.model_dump_json())
    np.save(folder / _COSTS, np.asarray(task.costs, np.int64))
    for place, files in ((_MODULE, parts.files), (_FORMER, former or {})):
        for name, content in files.items():
            path = folder / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@contextmanager
def started_processes(count: int, folder: str) -> Iterator[tuple[ProcessContext, list[Connection]]]:
    """Start processes that train what is in a folder.

    Yields them with a pipe from each; kills those that are left at the end.
    """
    from torch.multiprocessing.spawn import spawn

    pipes = [Pipe() for _ in range(count)]
    arguments = count, folder, [there for _, there in pipes]
    processes: ProcessContext = spawn(_share, arguments, count, join=False)  # type: ignore[no-untyped-call]
    try:
        for _, there in pipes:
            there.close()
        yield processes, [here for here, _ in pipes]
    finally:
        for process in processes.processes:
            process.kill()
            process.join()


def _messages(processes: ProcessContext, pipes: Sequence[Connection]) -> Iterator[tuple[Any, Any]]:
    """Yield the messages of the processes, each with its kind, until all processes have ended."""
    from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

    open_pipes = list(pipes)
    failure: Exception | None = None
    while open_pipes:
        for pipe in connection.wait(open_pipes, _LOOK):
            assert isinstance(pipe, Connection)
            if (message := _received(pipe)) is None:
                open_pipes.remove(pipe)
            else:
                yield message
        if failure is None:
            try:
                processes.join(timeout=0)
            except (ProcessExitedException, ProcessRaisedException) as error:
                failure = error  # first yield the messages that other processes sent about it
    if failure is not None:
        what = str(failure).strip().splitlines()[-1]
        raise TrainingError(f"one of the {len(pipes)} processes failed: {what}") from failure


def _received(pipe: Connection) -> tuple[Any, Any] | None:
    """Return the next message, or None if the process has ended."""
    try:
        what, said = pipe.recv()
        if what is Checkpoints:
            said = {name: pipe.recv_bytes() for name in said}
        elif what is Trained:
            said = said, pipe.recv_bytes()
        elif what == _VALIDATE:
            said = pipe.recv_bytes()
    except (EOFError, OSError):
        return None
    return what, said


def _tell(pipes: Sequence[Connection], metrics: Mapping[str, float]) -> None:
    for pipe in pipes:
        with suppress(OSError):  # the process has ended
            pipe.send(dict(metrics))


def _share(index: int, count: int, folder: str, pipes: Sequence[Connection]) -> None:
    """Train as one of several processes: the entry point of each."""
    import torch
    from accelerate import PartialState
    from safetensors.torch import save

    handed = _Handed.model_validate_json(Path(folder, _HANDED).read_bytes())
    threads = max(1, torch.get_num_threads() // count)
    torch.set_num_threads(threads)
    # As `torchrun` does.
    os.environ |= {"RANK": str(index), "LOCAL_RANK": str(index), "OMP_NUM_THREADS": str(threads)}
    os.environ |= {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count)}
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # the machine's host name may not resolve
    meeting = f"file://{Path(folder, _MEETING)}"
    PartialState(cpu=on_processor(handed.strict), init_method=meeting, rank=index, world_size=count)
    parent = _Parent(pipes[index], Path(folder))
    task = _SharedTask(handed, Path(folder), parent, index == 0)
    try:
        ended = train_here(task, handed.params, parent, parent.report, handed.strict)
    except TrainingError as error:
        with suppress(OSError):
            parent.pipe.send((TrainingError, error))
        return
    if index == 0:
        parent.pipe.send((Trained, ended))
        parent.pipe.send_bytes(save(dict(task.module.state_dict())))
    PartialState().destroy_process_group()


class _SharedTask:
    """The task of one of several processes: its loss is computed here, the parent validates."""

    def __init__(self, handed: _Handed, folder: Path, parent: _Parent, first: bool) -> None:
        loss = handed.make(_files_in(folder / _MODULE), handed.rows, **handed.values)
        self.module: nn.Module = loss.module
        self.loss: Callable[[Sequence[int]], Tensor] = loss.loss
        self.names: Sequence[str] = RowFile(handed.rows).column("name")
        self.costs: Sequence[int] = np.load(folder / _COSTS)
        self._identity, self._parent, self._first = handed.identity, parent, first

    def identity(self) -> Mapping[str, Any]:
        """Return what the parent's task returned."""
        return self._identity

    def validate(self) -> Mapping[str, float]:
        """Return the parent's metrics, given the first process's weights.

        All wait for the parent, and none in a collective operation of torch, which has a time limit.
        """
        if self._first:
            self._parent.ask(self.module)
        metrics: Mapping[str, float] = self._parent.pipe.recv()
        return metrics


class _Parent:
    """The parent process, as this process's store of checkpoints."""

    def __init__(self, pipe: Connection, folder: Path) -> None:
        self.pipe, self._folder = pipe, folder

    def report(self, progress: Progress) -> None:
        """Send progress to the parent."""
        self.pipe.send((Progress, progress))

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint at the time when this process was started."""
        return _files_in(self._folder / _FORMER) or None

    def write(self, files: Mapping[str, bytes]) -> None:
        """Send a checkpoint to the parent."""
        self.pipe.send((Checkpoints, list(files)))
        for content in files.values():
            self.pipe.send_bytes(content)

    def ask(self, module: nn.Module) -> None:
        """Send the weights to the parent, which validates them."""
        from safetensors.torch import save

        weights = {name: value.cpu().contiguous() for name, value in module.state_dict().items()}
        self.pipe.send((_VALIDATE, None))
        self.pipe.send_bytes(save(weights))
