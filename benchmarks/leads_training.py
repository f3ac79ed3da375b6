"""Train T-D and T-DMCA for a given time on the leads of real articles, and score them.

Run: python benchmarks/leads_training.py DATA [--seconds 3600] [--size base] [--length 500]. DATA and the
references are those of wikisum_real.py, so no article's own citations are among them. Uses a GPU if there is
one. Sizes are those of wikisum.summarizer in params.yaml; 32,000 sub-words, splits of 80/10/10.

A few timed updates determine how many fit into the seconds. Log-perplexity is that of the weights that are
best on validation; ROUGE-L is that of their outputs for the test articles.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from silverloom.ops.wikisum.models.summaries import PERPLEXITY

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from benchmarks.wikisum_real import made, parts
from silverloom.assets.declare.params_file import section
from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.metrics.bootstrap import interval
from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.report import count_weights
from silverloom.ops.models.training.task import ProgressLines
from silverloom.ops.wikisum import schemas
from silverloom.ops.wikisum import tokenizer as sub_words
from silverloom.ops.wikisum.corpus import CorpusParams
from silverloom.ops.wikisum.examples import ExampleParams, InputSet, examples
from silverloom.ops.wikisum.long_sequences.model import SequenceModel, make
from silverloom.ops.wikisum.long_sequences.sizes import NewModelParams
from silverloom.ops.wikisum.long_sequences.task import SequenceTask
from silverloom.ops.wikisum.long_sequences.texts import TextModel
from silverloom.ops.wikisum.models.learning_sets import LearningSet, SubWords, learning_set, rows_of
from silverloom.ops.wikisum.models.summaries import score, scored_columns
from silverloom.ops.wikisum.models.summarizer import SummarizerParams
from silverloom.ops.wikisum.models.summarizer_training import vocabulary_of
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.schemas import SplitParams

#: Updates to estimate the time of one.
TIMED = 5


def real_examples(data: Path, work: Path, length: int) -> tuple[Parts, Artifact]:
    """Return the examples of real articles, and the tokenizer trained on them."""
    *_, ranked = made(data, work, ["tf_idf"], ReferenceParams(), CorpusParams())
    splits = SplitParams(validation=0.1, test=0.1)
    learnt = list(sub_words.tokenizer(ranked, splits, sub_words.TokenizerParams(vocabulary=32_000)))
    tokenizer = artifact(work / "tokenizer", learnt)
    params = ExampleParams(citations=0, sets={"lead": InputSet(tokens=length)})
    outcomes = examples(ranked, tokenizer, artifact(work / "learned_ranker", []), splits, params)
    tables = [outcome.kept for outcome in outcomes]
    return parts(work / "examples", schemas.EXAMPLES.kept, tables), tokenizer


def artifact(folder: Path, outcomes: Sequence[Outcome]) -> Artifact:
    """Write the files of some outcomes to a folder and return it as an artifact."""
    folder.mkdir()
    for outcome in outcomes:
        for name, content in outcome.files.items():
            (folder / name).write_bytes(content)
    return Artifact(Parts(schemas.TOKENIZER.kept, (), None), folder)  # type: ignore[arg-type]


def clock(model: SequenceModel) -> float:
    """Return wall time in seconds, after the GPU's work is done."""
    if model.network.device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def learn(
    name: str, config: NewModelParams, learnt: LearningSet, tokenizer: Artifact, params: TrainingParams
) -> tuple[TextModel, float]:
    """Return a trained model, and the seconds of its training including validation."""
    pieces = sub_words.load(tokenizer)
    fitted = config.model_copy(update={"longest_source": learnt.longest_source})
    model = make(fitted, vocabulary_of(pieces), params.seed)
    task = SequenceTask(model, learnt.learnt, learnt.judges)
    began = clock(model)
    trained = train(task, params, None, ProgressLines(name), strict=False)
    seconds = clock(model) - began
    print(
        f"{name}: {count_weights(model.network) / 1e6:.1f} M weights, {trained.steps} updates, "
        f"{trained.steps / seconds:.2f} per second, on {model.network.device}; validation log-perplexity "
        f"{trained.best:.3f} at update {trained.best_step}"
    )
    return TextModel(model, pieces), seconds


def main() -> None:
    """Train each architecture for the same time, and print its scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seconds", type=float, default=3600, help="training time per architecture")
    parser.add_argument("--size", default="base")
    parser.add_argument("--length", type=int, default=500, help="L, in sub-words")
    parser.add_argument("--architectures", nargs="+", default=["t_d", "t_dmca"])
    given = parser.parse_args()
    size = section(SummarizerParams).sizes[given.size]
    with TemporaryDirectory() as folder:
        found, tokenizer = real_examples(given.data, Path(folder), given.length)
        learnt = learning_set(found, "lead", SubWords(sub_words.load(tokenizer)), 500, 0)
        print(f"{len(learnt.learnt)} training examples, {len(learnt.judges)} validation examples")
        for name in given.architectures:
            config = size.architectures[name]
            knobs = {"metric": "log_perplexity", "direction": "min", "patience": None, "epochs": 1_000_000}
            few = size.training.model_copy(update={**knobs, "steps": TIMED, "validate_every": TIMED})
            _, seconds = learn(f"{name}, timed", config, learnt, tokenizer, few)
            steps = max(TIMED, int(given.seconds / seconds * TIMED))
            long = few.model_copy(update={"steps": steps, "validate_every": max(1, steps // 20)})
            if torch.cuda.is_available():
                torch.cuda.reset_peak_memory_stats()
            model, _ = learn(name, config, learnt, tokenizer, long)
            if torch.cuda.is_available():
                print(f"  peak GPU memory {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")
            tests = list(rows_of(found, "lead", "test", scored_columns(model)))
            rows = score(model, {"model": name, "architecture": config.architecture}, tests)
            perplexity = interval(PERPLEXITY.items(rows), 1000, 0, of_sums=PERPLEXITY.of_sums)
            rouge = interval([100 * row["rougeL_f"] for row in rows])
            for metric, value in (("log-perplexity", perplexity), ("ROUGE-L F1", rouge)):
                print(f"  test {metric} {value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]")
            print(f"  first output: {rows[0]['prediction'][:300]!r}")


if __name__ == "__main__":
    main()
