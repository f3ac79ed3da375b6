"""Filters: accuracy of language identification and near-duplicate detection, and speed against datatrove.

Run: python benchmarks/filters.py ABSTRACTS [--texts N] [--environment FOLDER]. ABSTRACTS is a JSONL file (or
.gz) whose rows have an `abstract`. datatrove and lingua are installed once into an environment of their own,
by default .venv/filters.

Language: spaCy's example sentences in ten languages. Reports how often English is recognised as such, and how
often the language is identified.

Near-duplicates: N abstracts, and for every fourth a copy in which each word is replaced, with a probability
of 0 to 8 %, by a random word of all abstracts. A document is a duplicate if its group has a document with an
earlier id. Groups connect pairs whose five-word shingles have a Jaccard coefficient of at least 0.8, computed
exactly for all pairs that share a shingle.

Speed: the same texts in this process and in one with datatrove, in turn; the best of three counts.
datatrove's language filter is left out: it downloads a model that no package has.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

PACKAGES = ("datatrove[processing]==0.10.1", "lingua-language-detector==2.1.1", "spacy==3.8.7")
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "ru")
BOUND, FLOOR, RUN, NUMBERS = 0.8, 0.7, 5, 128
TIMES = 3


def main() -> None:
    """Print all results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv/filters")
    given = parser.parse_args()
    if not given.abstracts.is_file():
        sys.exit(f"{given.abstracts} does not exist: the benchmark needs abstracts")
    python = environment(given.environment)
    language(python)
    texts = list(abstracts(given.abstracts))[: given.texts]
    near_duplicates(texts)
    speed(python, texts)


def environment(folder: Path) -> Path:
    """Return the Python of the environment with the peers; creates it if needed."""
    python = folder / "bin/python"
    if not python.is_file():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def abstracts(path: Path) -> Iterator[str]:
    """Yield the distinct abstracts of a file that have at least 50 words."""
    seen = set()
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            text = json.loads(line).get("abstract") or ""
            if len(text.split()) >= 50 and text not in seen:
                seen.add(text)
                yield text


def language(python: Path) -> None:
    """Print the accuracy of three libraries."""
    from resiliparse.parse.lang import detect_fast

    from silverloom.ops.filters.language import languages

    rows = [
        (code, text)
        for code in LANGUAGES
        for text in importlib.import_module(f"spacy.lang.{code}.examples").sentences
    ]
    texts = [text for _, text in rows]
    languages(texts[:1], "en")  # loads the model
    started = time.perf_counter()
    ours = [str(found.likeliest) for found in languages(texts, "en")]
    seconds = {"py3langid (ours)": time.perf_counter() - started}
    started = time.perf_counter()
    found = {"py3langid (ours)": ours, "resiliparse": [detect_fast(text)[0] for text in texts]}
    seconds["resiliparse"] = time.perf_counter() - started
    answer = peer(python, {"do": "language", "texts": texts})
    found["lingua"], seconds["lingua"] = answer["languages"], answer["seconds"]
    words = sum(len(text.split()) for text in texts) / len(texts)
    print(f"language: {len(rows)} sentences of {len(LANGUAGES)} languages, {words:.1f} words each")
    for name, told in found.items():
        right = sum(code == answer for (code, _), answer in zip(rows, told, strict=True))
        english = precision_recall([code == "en" for code, _ in rows], [answer == "en" for answer in told])
        print(f"  {name:17} correct {right}/{len(rows)}; English: {english}; {seconds[name]:.2f} s")


def precision_recall(truth: Sequence[bool], found: Sequence[bool]) -> str:
    """Return precision and recall as fractions."""
    both = sum(one and other for one, other in zip(truth, found, strict=True))
    return f"precision {both}/{sum(found)}, recall {both}/{sum(truth)}"


def near_duplicates(texts: Sequence[str]) -> None:
    """Print precision and recall of the dropped documents."""
    from silverloom.ops.core.outcome import Outcome, Shape, columns
    from silverloom.ops.filters.duplicates import SimilarPair, content, duplicates, repeats
    from silverloom.ops.filters.params import BoundParams
    from silverloom.ops.filters.schemas import scores
    from silverloom.ops.text.minhash import runs, signature
    from tests.parts import parts

    documents = with_copies(texts)
    sets = [runs(text, RUN) for text in documents]
    names = [f"page-{number:06}" for number in range(len(documents))]
    random.Random(1).shuffle(names)  # noqa: S311  not for security
    sharing: defaultdict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(sets):
        for run in own:
            sharing[run].append(number)
    pairs = {pair for numbers in sharing.values() for pair in combinations(numbers, 2)}
    by_id = sorted(names)
    order = {name: number for number, name in enumerate(by_id)}
    true = [
        SimilarPair(order[names[one]], order[names[other]], similarity)
        for one, other in pairs
        if (similarity := len(sets[one] & sets[other]) / len(sets[one] | sets[other])) >= BOUND
    ]
    true.sort(key=lambda pair: -pair.similarity)
    expected = {by_id[number] for number in repeats(true, len(by_id))["document"].to_pylist()}
    shape = scores(Shape(columns(), columns()))
    started = time.perf_counter()
    rows = [
        {
            "id": name,
            "document_id": name,
            "content": content(text),
            "signature": signature(text, NUMBERS, RUN),
        }
        for name, text in zip(names, documents, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        made = parts(folder, shape.kept, rows[::2], rows[1::2])
        outcome = Outcome.joined([*duplicates(made, FLOOR, BoundParams())])
    seconds = time.perf_counter() - started
    found = {row["document_id"] for row in outcome.kept.to_pylist() if row["similarity"] >= BOUND}
    compared = outcome.combinations["pairs compared"]
    print(
        f"near-duplicates: {len(documents)} documents, {len(expected)} duplicates by all pairs; "
        f"{precision_recall([name in expected for name in names], [name in found for name in names])}; "
        f"{compared} pairs compared; {seconds:.1f} s"
    )


def with_copies(texts: Sequence[str]) -> list[str]:
    """Return texts, with altered copies of every fourth."""
    drawn = random.Random(0)  # noqa: S311  not for security
    vocabulary = [word for text in texts for word in text.split()]
    copies = []
    for number, text in enumerate(texts[::4]):
        share = (number % 9) / 100
        words = [drawn.choice(vocabulary) if drawn.random() < share else word for word in text.split()]
        copies.append(" ".join(words))
    return [*texts, *copies]


def speed(python: Path, texts: Sequence[str]) -> None:
    """Print texts per second on both sides, and the ratio."""
    from silverloom.ops.filters.personal_data import masked
    from silverloom.ops.filters.quality import measures
    from silverloom.ops.text.minhash import signature

    ours: dict[str, Callable[[str], object]] = {
        "quality": measures,
        "minhash": lambda text: signature(text, NUMBERS, RUN),
        "personal data": lambda text: masked(text, None),
    }
    best: dict[str, Counter[str]] = {"ours": Counter(), "datatrove": Counter()}
    for _ in range(TIMES):
        for name, do in ours.items():
            started = time.perf_counter()
            for text in texts:
                do(text)
            rate = len(texts) / (time.perf_counter() - started)
            theirs = len(texts) / peer(python, {"do": name, "texts": list(texts)})["seconds"]
            best["ours"][name] = max(best["ours"][name], int(rate))
            best["datatrove"][name] = max(best["datatrove"][name], int(theirs))
    for name in ours:
        one, other = best["ours"][name], best["datatrove"][name]
        print(f"speed, {name}: {one} texts/s, datatrove {other} texts/s, ratio {one / other:.2f}")


def peer(python: Path, task: dict[str, object]) -> dict[str, object]:
    """Return another library's answer to a task, computed in its own environment."""
    ended = subprocess.run(
        [python, Path(__file__).with_name("filters_peer.py")],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        sys.exit(ended.stderr)
    answer: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return answer


if __name__ == "__main__":
    main()
