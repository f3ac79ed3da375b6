"""Train a toy or a T-DMCA, alone or in processes that were launched together; print the curve as JSON.

Run: python shared_training.py TASK FOLDER BATCH_SIZE [KILL_AT]; or the same by `torch.distributed.run`, which sets
the variables that `accelerate launch` sets. Checkpoints are written to the folder; the first process kills
itself without a word at an update.
"""

import json
import os
import signal
import sys
from dataclasses import asdict

from ops.models.training import TrainingParams, train
from ops.models.training.examples import ExampleStore
from ops.models.training.processes import Processes
from ops.wikisum.long_sequences.task import SequenceTask
from tests.ops.models.training.toy_task import Folder, Toy
from tests.ops.wikisum.long_sequences.sequence_cases import drawing_nothing, examples


def toy():
    task = Toy()
    task.module[2].p = 0.0  # dropout differs by process
    return task, "error"


def t_dmca():
    stored = ExampleStore((str(index), example) for index, example in enumerate(examples(50)))
    return SequenceTask(drawing_nothing(), stored, stored), "log_perplexity"


def main(name, folder, batch_size, kill_at=0):
    def report(progress):
        if progress.step == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    task, metric = {"toy": toy, "t_dmca": t_dmca}[name]()
    params = TrainingParams(
        epochs=3, batch_size=batch_size, accumulation=2, learning_rate=0.05, metric=metric, checkpoint_every=5, seed=3
    )  # fmt: skip
    outcome = train(task, params, Folder(folder), report)
    if Processes(on_processor=True).main:
        print(json.dumps([asdict(point) for point in outcome.curve]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
