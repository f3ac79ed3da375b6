"""Every poison item: the sound file next to it is kept, nothing is lost, the verdict is as documented."""

from collections import defaultdict, deque

import pytest

from tests.poison.__main__ import BEGIN, DOCS, TABLE
from tests.poison.corpus import ITEMS
from tests.poison.verdicts import meet, read_table, summary

DOCUMENTED = read_table(TABLE.read_text(encoding="utf-8"))

#: Every parser meets it in the quick tests.
COMMONEST = "cut short in the middle"
#: Quick tests meet each fate of the others once, at parsers that take turns; long ones meet all parsers.
QUICK, LONG = [], defaultdict(list)
for number, item in enumerate(ITEMS):
    fates, parsers = set(), deque(item.parsers())
    parsers.rotate(-number)
    for parser in parsers:
        fate = DOCUMENTED.get((item.name, parser.name), "").partition(":")[0]
        if parser.crawl:
            LONG["poison in lists"].append((item, parser))
        elif item.name != COMMONEST and (item.very_slow or fate in fates or (fates and item.slow)):
            LONG[item.name].append((item, parser))
        else:
            name = f"{item.name}-{parser.name}".replace("{", "(").replace("|", "_")
            QUICK.append(pytest.param(item, parser, id=name))
            fates.add(fate)


def test_the_documented_table_equals_that_of_the_corpus():
    assert set(DOCUMENTED) == {(item.name, parser.name) for item in ITEMS for parser in item.parsers()}


def test_the_page_counts_the_verdicts_of_the_table():
    assert DOCS.read_text(encoding="utf-8").partition(BEGIN)[2] == summary(DOCUMENTED)


@pytest.mark.parametrize(("item", "parser"), QUICK)
def test_poison_affects_only_itself(item, parser, tmp_path):
    met = meet(item, parser, tmp_path)
    assert met.good_kept
    kept = {name for row in met.outcome.kept.to_pylist() for name in row["source_ids"]}
    lost = met.outcome.dropped["id"].to_pylist() + met.outcome.rejected["id"].to_pylist()
    assert sorted([*kept, *lost]) == sorted(met.outcome.units.to_pylist())
    assert len(met.outcome.units) == met.records
    assert met.verdict == DOCUMENTED[item.name, parser.name]


@pytest.mark.long
@pytest.mark.parametrize("pairs", LONG.values(), ids=LONG)
def test_slow_poison_and_poison_in_a_crawl_affect_only_themselves(pairs, tmp_path):
    for number, (item, parser) in enumerate(pairs):
        test_poison_affects_only_itself(item, parser, tmp_path / str(number))


def test_nothing_is_written_outside_the_folder(tmp_path):
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    item = next(item for item in ITEMS if item.name.startswith("a tar"))
    for parser in item.parsers():
        meet(item, parser, inner)
    assert [path.name for path in tmp_path.rglob("*escaped*")] == []
