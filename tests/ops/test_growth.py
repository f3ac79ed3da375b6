"""What ops over n and 2n parts read, hash and hold: it grows with n, not with its square."""

from collections import Counter

import pyarrow.compute as pc
import pytest

from silverloom.ops.core.parts import Artifact, FilesFolder, Part, Parts
from silverloom.ops.core.release import ReleaseParams, release_files
from silverloom.ops.discofuse.dataset.release import released
from silverloom.ops.discofuse.schemas import BALANCED, EXAMPLES
from silverloom.ops.wikisum.models.summaries import SummaryParams, summaries
from silverloom.ops.wikisum.schemas import EXAMPLES as ARTICLE_EXAMPLES
from tests.ops.discofuse.example_cases import example
from tests.ops.wikisum.models.summarizer_cases import ARCHITECTURES, artifact_of, made, params, rows_of
from tests.parts import parts


@pytest.fixture
def cost(monkeypatch):
    """Return a function that runs an op and counts what it costs."""
    counts = Counter()
    read, read_all, is_in = Part.read, Parts.read, pc.is_in

    def counted_read(part, columns=None):
        counts["parts read"] += 1
        return read(part, columns)

    def counted_read_all(rows, *options):
        table = read_all(rows, *options)
        counts["rows read at once"] = max(counts["rows read at once"], len(table))
        return table

    def counted_is_in(values, value_set):
        counts["keys hashed"] += len(value_set)
        return is_in(values, value_set)

    monkeypatch.setattr(Part, "read", counted_read)
    monkeypatch.setattr(Parts, "read", counted_read_all)
    monkeypatch.setattr(pc, "is_in", counted_is_in)

    def cost(outcomes):
        counts.clear()
        for _ in outcomes:
            pass
        return counts.copy()

    return cost


def fusions(folder, count):
    rows = [[example(f"{part}-{number}") for number in range(4)] for part in range(count)]
    chosen = [[{"id": f"b-{part}", "source_ids": [one[0]["id"]]}] for part, one in enumerate(rows)]
    return parts(folder / "examples", EXAMPLES.kept, *rows), parts(folder / "chosen", BALANCED.kept, *chosen)


def fusion_tables(folder, count):
    return released(*fusions(folder, count), FilesFolder(folder / "files"))


def fusion_files(folder, count):
    examples, chosen = fusions(folder, count)
    files = FilesFolder(folder / "files")
    return release_files(examples, files, ReleaseParams(), "domain", subsets={"balanced": chosen})


def article_summaries(folder, count):
    rows, models = rows_of(folder, count=6 * count), folder.parent / "models"
    if not models.exists():
        artifact_of(models, made(folder, rows[:6], params({"t_d": ARCHITECTURES["t_d"]})))
    of_parts = (rows[6 * part : 6 * part + 6] for part in range(count))
    examples = parts(folder / "read", ARTICLE_EXAMPLES.kept, *of_parts)
    return summaries(examples, Artifact(None, models), SummaryParams())


@pytest.mark.parametrize("op", [fusion_tables, fusion_files, article_summaries])
def test_twice_the_parts_cost_twice_as_much(tmp_path, monkeypatch, cost, op):
    monkeypatch.setattr("silverloom.ops.core.joins.ROWS_OF_PART", 1)
    once, twice = (cost(op(tmp_path / str(count), count)) for count in (4, 8))
    assert twice["parts read"] <= 2 * once["parts read"]
    assert twice["keys hashed"] <= 2 * once["keys hashed"]
    assert twice["rows read at once"] == once["rows read at once"]
