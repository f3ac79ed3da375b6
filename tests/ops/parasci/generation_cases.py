"""Training data and generated sentences, for tests of generators."""

from silverloom.ops.core.parts import Artifact
from silverloom.ops.parasci.generation.generator import GENERATOR, GeneratorParams, generator
from silverloom.ops.parasci.schemas import PARAPHRASES
from tests.checkpoints import Memory
from tests.ops.parasci.parasci_cases import scored_pair
from tests.parts import dealt

SPLITS = ["train", "train", "train", "validation", "test"]


TRAINING = {"epochs": 1, "batch_size": 2, "checkpoint_every": 1, "learning_rate": 0.01}


MODEL = {
    "vocabulary": 300, "longest": 40, "growth": 2, "beam": 1, "layers": 1, "width": 8, "filter": 8, "heads": 1
}  # fmt: skip


def pair(number, split=None, longer=0):
    first, second = f"We use Parser {number}.", f"Parser {number} is used by us{' today' * longer}."
    return {**scored_pair(f"pair-{number}", first, second), "origin": "intra", "cluster": "c",
            "split": split or SPLITS[number % 5]}  # fmt: skip


UNITS = [*(pair(number) for number in range(10)), pair(10, "test", longer=60)]


def params_of(**more):
    return GeneratorParams(
        **{"size": "tiny", "sizes": {"tiny": {"model": MODEL, "training": TRAINING}}, **more}
    )


def made(folder, units, checkpoints=None, **more):
    [outcome] = generator(
        dealt(folder, PARAPHRASES.kept, units), params_of(**more), checkpoints or Memory(), True
    )
    assert outcome.kept.schema == GENERATOR.kept
    return outcome


def artifact_of(folder, outcome):
    for name, content in outcome.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return Artifact(None, folder)
