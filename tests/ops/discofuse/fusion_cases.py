"""Tiny fusion examples and split sentences, and params of models that train in a blink."""

from silverloom.ops.discofuse.models.fusion_model import FusionModelParams
from silverloom.ops.discofuse.models.transfer import TransferParams

NAMES = ["Ann", "Bob", "Chi", "Dee", "Eve"]
VERBS = ["sings", "runs", "reads", "rests", "waits"]


def example(number, domain="sports", split="train", mixture=False, longer=0, **more):
    """Return a row of discofuse/balanced: a verb-phrase coordination."""
    name, verb, other = NAMES[number % 5], VERBS[number % 4], VERBS[(number + 1 + number // 5) % 5]
    ending = " very" * longer
    fused = f"{name} {verb} and {other}{ending} ."
    return {
        "id": f"{domain}-{number}", "domain": domain, "split": split, "mixture": mixture,
        "fused": fused, "coherent_first_sentence": fused, "coherent_second_sentence": "",
        "incoherent_first_sentence": f"{name} {verb} .", "incoherent_second_sentence": f"{name} {other}{ending} .",
        "discourse_type": "SINGLE_VP_COORD", "connective_string": "and", **more,
    }  # fmt: skip


def pair(number, split="train", longer=0):
    """Return a row of sources/fusion_pairs."""
    row = example(number, longer=longer)
    return {
        "id": f"pair-{number}", "split": split, "fused": row["coherent_first_sentence"],
        "first": row["incoherent_first_sentence"], "second": row["incoherent_second_sentence"],
    }  # fmt: skip


TRAINING = {"epochs": 1, "batch_size": 2, "checkpoint_every": 1, "learning_rate": 0.01}
TRANSFORMER = {
    "vocabulary": 300, "longest": 40, "growth": 2, "beam": 1, "layers": 1, "width": 8, "filter": 8, "heads": 1
}  # fmt: skip
COPYNET = {
    "pieces": "words", "vocabulary": 260, "longest": 12, "growth": 2, "beam": 2, "encoder_layers": 1, "hidden": 4
}  # fmt: skip


def model_params(training=None, model=None, **more):
    size = {"model": TRANSFORMER | (model or {}), "training": TRAINING | (training or {})}
    return FusionModelParams(**{"size": "tiny", "sizes": {"tiny": size}, "validation_examples": 2, **more})


def transfer_params(training=None, **more):
    knobs = TRAINING | (training or {})
    size = {"model": COPYNET, "pretraining": knobs, "finetuning": knobs, "target": knobs}
    return TransferParams(
        **{"size": "tiny", "sizes": {"tiny": size}, "validation_examples": 2, "resamples": 20, **more}
    )
