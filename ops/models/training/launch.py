"""Training in this process, or in several of this machine that train one model together.

Belongs here: `train`, starting processes, handing a task over, and what comes back: progress, checkpoints,
errors, weights. Not here: what a process computes (loop.py), what they add up (processes.py).

`torch.multiprocessing.spawn` starts the processes, and Accelerate finds them as it finds those of
`accelerate launch`, which could only start a script, with no task at hand. This process waits for them, and
has no state of theirs. It keeps the checkpoints: processes whose parent was killed cannot write any more.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, connection
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ops.models.training.checkpoints import Checkpoints, has_ended
from ops.models.training.loop import train_here
from ops.models.training.params import TrainingParams
from ops.models.training.processes import on_processor
from ops.models.training.task import Progress, Task, Trained, TrainingError

if TYPE_CHECKING:
    from torch.multiprocessing.spawn import ProcessContext

#: The task for the processes, and the file by which they find each other.
_TASK, _MEETING = "task.pickle", "meeting"

#: Seconds between two looks at whether a process has ended.
_LOOK = 0.2


def train(
    task: Task,
    params: TrainingParams,
    checkpoints: Checkpoints | None = None,
    report: Callable[[Progress], None] | None = None,
    strict: bool = True,
) -> Trained:
    """Train a task's module in place, and leave it with the weights of its best validation.

    Goes on from the last checkpoint where there is one; a run that has ended is not begun again. `strict` is
    params.yaml's `numerics: strict`: on the processor, with one thread and deterministic algorithms; else on
    the accelerator, if there is one. `report` hears of every update. With `params.processes` above 1, as many
    processes train it, and the task must be one that can be pickled.

    Raises TrainingError for a training set without examples, for a metric that validation does not give and
    for processes that end or have no device, CheckpointError for a checkpoint of another run, NotFiniteError
    where the loss is no number; the last checkpoint stays.
    """
    from torch import distributed

    # Whoever calls this under `accelerate launch` or `torchrun` has its processes.
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
    from safetensors.torch import load

    trained: Trained | None = None
    task.module.to("cpu")  # each process takes it to a device of its own
    with TemporaryDirectory(prefix="training-") as folder:
        with Path(folder, _TASK).open("wb") as file:
            pickle.dump((task, params, former, strict), file, pickle.HIGHEST_PROTOCOL)
        with started_processes(params.processes, folder) as (processes, pipes):
            for what, said in _messages(processes, pipes):
                if what is Progress and report is not None:
                    report(said)
                elif what is Checkpoints and checkpoints is not None:
                    checkpoints.write(said)
                elif what is TrainingError:
                    raise said
                elif what is Trained:
                    trained, weights = said
                    task.module.load_state_dict(load(weights))
    if trained is None:
        raise TrainingError(f"{params.processes} processes ended, and none said how")
    task.module.to("cpu" if on_processor(strict) else "cuda").eval()
    return trained


@contextmanager
def started_processes(count: int, folder: str) -> Iterator[tuple[ProcessContext, list[Connection]]]:
    """Start processes, and yield them with a pipe from each; in the end, none is left."""
    from torch.multiprocessing.spawn import spawn

    pipes = [Pipe(duplex=False) for _ in range(count)]
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
    """Yield what the processes say until all have ended, each time with its kind."""
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
                failure = error  # what another one said of it comes first
    if failure is not None:
        what = str(failure).strip().splitlines()[-1]
        raise TrainingError(f"one of the {len(pipes)} processes failed: {what}") from failure


def _received(pipe: Connection) -> tuple[Any, Any] | None:
    """Return a message; None from a process that has ended."""
    try:
        what, said = pipe.recv()
        if what is Checkpoints:
            said = {name: pipe.recv_bytes() for name in said}
        elif what is Trained:
            said = said, pipe.recv_bytes()
    except (EOFError, OSError):
        return None
    return what, said


def _share(index: int, count: int, folder: str, pipes: Sequence[Connection]) -> None:
    """Train as one of several processes: what each of them runs."""
    import torch
    from accelerate import PartialState
    from safetensors.torch import save

    threads = max(1, torch.get_num_threads() // count)
    torch.set_num_threads(threads)
    # As `torchrun` does.
    os.environ |= {"RANK": str(index), "LOCAL_RANK": str(index), "OMP_NUM_THREADS": str(threads)}
    os.environ |= {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count)}
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # the name of a machine may lead nowhere
    with Path(folder, _TASK).open("rb") as file:
        task, params, former, strict = pickle.load(file)  # noqa: S301  of the parent
    meeting = f"file://{Path(folder, _MEETING)}"
    PartialState(cpu=on_processor(strict), init_method=meeting, rank=index, world_size=count)
    parent = _Parent(pipes[index], former)
    try:
        ended = train_here(task, params, parent, parent.report, strict)
    except TrainingError as error:
        with suppress(OSError):
            parent.pipe.send((TrainingError, error))
        return
    if index == 0:
        parent.pipe.send((Trained, ended))
        parent.pipe.send_bytes(save(dict(task.module.state_dict())))
    PartialState().destroy_process_group()


class _Parent:
    """The process that waits for this one, as where checkpoints lie."""

    def __init__(self, pipe: Connection, former: Mapping[str, bytes] | None) -> None:
        self.pipe, self._former = pipe, former

    def report(self, progress: Progress) -> None:
        """Hand progress on."""
        self.pipe.send((Progress, progress))

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the checkpoint that was the last when this process was started."""
        return self._former

    def write(self, files: Mapping[str, bytes]) -> None:
        """Hand a checkpoint on."""
        self.pipe.send((Checkpoints, list(files)))
        for content in files.values():
            self.pipe.send_bytes(content)
