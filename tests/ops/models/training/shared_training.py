"""Train a toy or a T-DMCA in several processes; print the curve and a digest of the weights as JSON.

Run: python -m tests.ops.models.training.shared_training TASK FOLDER KNOBS [KILL_AT] [WHO]. Checkpoints are
written to the folder. At update KILL_AT, this process (`parent`) or one of those that it started (`child`) is
killed with SIGKILL.
"""

import hashlib
import json
import os
import signal
import sys
from dataclasses import asdict
from multiprocessing import active_children

from safetensors.torch import save

from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.wikisum.long_sequences.task import SequenceTask
from tests.ops.models.training.toy_task import Folder, Toy
from tests.ops.wikisum.long_sequences.sequence_cases import drawing_nothing, examples


def toy():
    return Toy(), "error"


def t_dmca():
    stored = ExampleStore((str(index), example) for index, example in enumerate(examples(50)))
    return SequenceTask(drawing_nothing(), stored, stored), "log_perplexity"


def main(name, folder, knobs, kill_at=0, who="parent"):
    def report(progress):
        if progress.step == int(kill_at):
            print([child.pid for child in active_children()], flush=True)
            os.kill(os.getpid() if who == "parent" else active_children()[-1].pid, signal.SIGKILL)

    task, metric = {"toy": toy, "t_dmca": t_dmca}[name]()
    params = TrainingParams(
        epochs=3, learning_rate=0.05, metric=metric, checkpoint_every=2, seed=3, **json.loads(knobs)
    )
    outcome = train(task, params, Folder(folder), report)
    weights = hashlib.sha256(save(dict(task.module.state_dict()))).hexdigest()
    print(json.dumps({"curve": [asdict(point) for point in outcome.curve], "weights": weights}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
