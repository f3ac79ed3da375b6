"""Tiny examples of WikiSum, with a tokenizer learnt from them."""

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from silverloom.ops.core.parts import Artifact
from silverloom.ops.wikisum.models.summarizer import SUMMARIZER, SummarizerParams, summarizer
from silverloom.ops.wikisum.schemas import EXAMPLES
from silverloom.ops.wikisum.tokenizer import END, SPECIAL
from tests.checkpoints import Memory
from tests.parts import dealt

NAMES = ["ann", "bob", "chi", "dee", "eve", "flo"]
SPLITS = ["train", "train", "train", "validation", "test", "train"]


def tokenizer(folder):
    """Write a tokenizer as wikisum/tokenizer does, and return it both as an artifact and as an object."""
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    found.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=list(SPECIAL), initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )  # fmt: skip
    found.train_from_iterator([f"{name} is a person who sings ." for name in NAMES], trainer)
    folder.mkdir(parents=True, exist_ok=True)
    found.save(str(folder / "tokenizer.json"))
    return Artifact(None, folder), found


def example(number, found, name="tiny", split=None):
    person = NAMES[number % len(NAMES)]
    source, target = f"{person} {person} sings . she sings every day .", f"{person} is a person who sings ."
    end = found.token_to_id(END)
    return {
        "id": f"{name}-{number:03d}", "source_ids": [f"article-{number}"], "licence": "CC-BY-SA-4.0", "set": name,
        "split": split or SPLITS[number % len(SPLITS)], "article_id": f"article-{number}", "title": person,
        "month": "2026-01", "corpus": "combined", "ranker": "tf_idf", "note": None, "target_kind": "lead",
        "source": source, "source_tokens": found.encode(source, add_special_tokens=False).ids,
        "target": target, "target_tokens": [*found.encode(target, add_special_tokens=False).ids, end],
        "longest_target": None,
    }  # fmt: skip


def examples(folder, rows):
    return dealt(folder, EXAMPLES.kept, rows)


_SMALL = {"width": 16, "filter": 24, "heads": 2, "beam": 2, "longest_target": 20}
ARCHITECTURES = {
    "seq2seq": {"architecture": "lstm", "hidden": 8, "layers": 1, "beam": 2, "longest_target": 20},
    "t_ed": {"architecture": "transformer_ed", "layers": 1, **_SMALL},
    "t_d": {"architecture": "decoder", "layers": "F", **_SMALL},
    "t_dmca": {"architecture": "decoder", "layers": "LM", "block": 8, **_SMALL},
}
MIXTURE = {**ARCHITECTURES["t_dmca"], "layers": "LML", "experts": 4, "expert_filter": 8}


def params(architectures=ARCHITECTURES, trainings=(), **more):
    training = {"epochs": 2, "batch_size": 4, "learning_rate": 0.01}
    size = {"architectures": architectures, "training": training, "trainings": dict(trainings)}
    return SummarizerParams(**{"size": "tiny", "sizes": {"tiny": size}} | more)


def made(folder, rows, given=None, checkpoints=None, strict=True):
    artifact, _ = tokenizer(folder / "tokenizer")
    found = list(
        summarizer(
            examples(folder / "examples", rows), artifact, given or params(), checkpoints or Memory(), strict
        )
    )
    assert all(outcome.kept.schema == SUMMARIZER.kept for outcome in found)
    return found


def rows_of(folder, name="tiny", count=18, **options):
    _, found = tokenizer(folder / "tokenizer")
    return [example(number, found, name, **options) for number in range(count)]


def artifact_of(folder, outcomes):
    for outcome in outcomes:
        for name, content in outcome.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return Artifact(None, folder)
