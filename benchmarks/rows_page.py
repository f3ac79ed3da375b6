"""Pages of 5,000 rows: the time to make them, and the delay from a typed key to the painted result.

Run: python benchmarks/rows_page.py. Our times are the best of several rounds, because machines are busy. The
peer is the same page drawing all matching rows at once, without paging; it is slow, so it runs only one
round.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, sync_playwright

import silverloom.orchestration.definitions  # noqa: F401  declares every asset
from tests.browser.chromium import find
from tests.rows_corpus import JUNE, row, site, together, write

ROWS, ROUNDS = 5_000, 5
KEYS = ["t", "th", "the", "the w", "the word 7", "nothing of the kind", ""]
WORDS = ("the", "word", "of", "a", "paper", "that", "counts", "rare", "things", "in", "small", "corpora")

TYPED = """async ([keys, all]) => {
    const box = document.querySelector("input[type=search]");
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const times = [];
    for (const key of keys) {
        await painted();
        const start = performance.now();
        box.value = key;
        box.dispatchEvent(new Event("input"));
        if (all) {
            const query = key.toLowerCase(), kinds = ["kept", "dropped", "rejected"];
            const rows = silverloom.data.rows.map((row) => ({ ...row, kind: kinds[row.table], date: "" }));
            const fit = rows.filter((row) => silverloom.plain(row.cells).toLowerCase().includes(query));
            document.getElementById("rows").replaceChildren(...fit.map((row) => silverloom.row(row, query)));
        }
        await painted();
        times.push(performance.now() - start);
    }
    return times;
}"""


def main() -> None:
    """Make the pages of 5,000 rows, and type into the filter."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        root = site(Path(folder), _corpus(Path(folder)))
        print(f"made in {time.process_time() - started:.1f} s of processor time")
        for kind in ("rows", "lineage"):
            size = (root / kind / "sources-sentences.html").stat().st_size
            print(f"{kind}: {size / 1e6:.1f} MB")
        with sync_playwright() as playwright:
            page = playwright.chromium.launch(executable_path=find()).new_page()
            page.goto((root / "rows" / "sources-sentences.html").as_uri())
            ours, all_drawn = _typed(page, ROUNDS), _typed(page, 1, all_drawn=True)
    print(f"{'typed':24}{'painted after':>14}{'all drawn':>12}{'ratio':>8}")
    for key, one, other in zip(KEYS, ours, all_drawn, strict=True):
        print(f"{key!r:24}{one:11.0f} ms{other:9.0f} ms{other / one:7.1f}x")


def _typed(page: Page, rounds: int, all_drawn: bool = False) -> list[float]:
    timed = [page.evaluate(TYPED, [KEYS, all_drawn]) for _ in range(rounds)]
    return [min(times) for times in zip(*timed, strict=True)]


def _corpus(folder: Path):
    rows = []
    for at in range(ROWS):
        text = f"The word {at} " + " ".join(WORDS[(at + step) % len(WORDS)] for step in range(20))
        place = {"start": at, "end": at + 90, "locator": f"line {at}", "section_title": "1 Introduction"}
        rows.append(row(f"sentence-{at}", f"paper-{at // 100}", text=text, role="method", **place))
    papers = [row(f"paper-{at}", f"text/{at}.txt", title=f"Paper {at}") for at in range(ROWS // 100)]
    lost = [(one, "short", float(at)) for at, one in enumerate(rows[: ROWS // 5])]
    return together(
        write(folder, "sources/papers", JUNE, papers),
        write(folder, "sources/sentences", JUNE, rows[ROWS // 5 :], lost),
    )


if __name__ == "__main__":
    main()
