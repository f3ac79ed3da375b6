"""The pages of groups: sentences that define the same term, and sentences that cite the same paper.

Belongs here: which groups and sentences are shown. Not here: making groups (ops/parasci/candidates), drawing
(static/groups.js).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.graph import Everything, Files
from assets.rows.reading import parts, rows, shortened, value_counts
from pages.html import embedded, render
from pages.sampling import rank
from pages.systems.parasci.pairs import PARAPHRASES

#: The most groups on a page, those with the most pairs; sentences of a group, by the hash of their ids; and
#: characters of a sentence.
MOST_GROUPS, MOST_SENTENCES, LONGEST = 500, 40, 600
SENTENCES = ("parasci/sentences", "parasci/passages")

_MEMBER = pa.schema([("key", pa.string()), ("id", pa.string()), ("paper", pa.string())])


class GroupKind(NamedTuple):
    """A kind of group: the origin of its pairs, and the field of a mention that names a group."""

    origin: str
    field: str
    title: str
    unit: str


KINDS = (
    GroupKind("definitions", "term", "Definitions", "term"),
    GroupKind("citations", "cited", "Citations", "cited paper"),
)


def pages(everything: Everything) -> Files:
    """Yield a page for each kind, and for each shown group a script, loaded on demand."""
    for kind in KINDS:
        yield from _page(everything, kind)


def _page(everything: Everything, kind: GroupKind) -> Files:
    members = _members(everything, kind)
    counts = members.group_by("key").aggregate([("id", "count_distinct"), ("paper", "count_distinct")])
    several = counts.filter(pc.greater(counts["paper_count_distinct"], 1)).to_pylist()
    above_floor = parts(everything, f"parasci/{kind.origin}", ["key"])
    stored = value_counts(table["key"] for table in above_floor)
    pairs = _pairs_of(everything, kind.origin)
    groups: list[dict[str, Any]] = [
        {
            "key": row["key"],
            "name": shortened(row["key"], 200),
            "script": f"groups/{kind.origin}-{rank(row['key'])[:16]}.js",
            "sentences": row["id_count_distinct"],
            "papers": row["paper_count_distinct"],
            "stored": stored[row["key"]],
            "pairs": pairs[row["key"]],
        }
        for row in several
    ]
    groups.sort(key=lambda group: (*(-group[name] for name in ("pairs", "stored", "papers")), group["key"]))
    shown = groups[:MOST_GROUPS]
    titles = _titles(everything, {group["key"] for group in shown}) if kind.field == "cited" else {}
    for group in shown:
        group["name"] = titles.get(group["key"], group["name"])
    yield render(
        f"{kind.origin}.html",
        "parasci/groups.html",
        kind.title,
        data={"unit": kind.unit, "groups": [_without(group, "key") for group in shown]},
        kind=kind,
        groups=shown,
        total=len(groups),
        alone=len(counts) - len(several),
        most_sentences=MOST_SENTENCES,
        declared=all(name in everything for name in SENTENCES),
    )
    yield from _scripts(everything, kind, shown, members)


def _without(group: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {column: value for column, value in group.items() if column != name}


def _members(everything: Everything, kind: GroupKind) -> pa.Table:
    """Return the members of groups: sentences with their papers."""
    found = [_MEMBER.empty_table()]
    inner = ("paper_id", kind.field if kind.field == "term" else f"{kind.field}.list.element")
    columns = ["id", "area", *(f"mentions.list.element.{name}" for name in inner)]
    for name in SENTENCES:
        found += [_of_part(table, kind) for table in parts(everything, name, columns)]
    return pa.concat_tables(found)


def _of_part(table: pa.Table, kind: GroupKind) -> pa.Table:
    mentions = table["mentions"].combine_chunks()
    sentence = pc.list_parent_indices(mentions)
    mention = pc.list_flatten(mentions)
    keys, paper = pc.struct_field(mention, kind.field), pc.struct_field(mention, "paper_id")
    if pa.types.is_list(keys.type):
        at = pc.list_parent_indices(keys)
        keys, paper, sentence = pc.list_flatten(keys), paper.take(at), sentence.take(at)
    else:
        # As ops/parasci/candidates names the groups: the area, if there is one, comes before the term.
        area = table["area"].combine_chunks().take(sentence)
        named = pc.binary_join_element_wise(area, keys, "/")
        keys = pc.if_else(pc.equal(area, ""), keys, named)
    ids = table["id"].combine_chunks().take(sentence)
    found = pa.table([keys, ids, paper], _MEMBER)
    return found.filter(pc.is_valid(found["key"]))


def _pairs_of(everything: Everything, origin: str) -> Counter[str]:
    """Return the number of pairs that became paraphrases, by group."""
    counts = value_counts(
        pc.list_flatten(table["keys"]) for table in parts(everything, PARAPHRASES, ["keys"])
    )
    start = f"{origin}:"
    return Counter({name.removeprefix(start): n for name, n in counts.items() if name.startswith(start)})


def _titles(everything: Everything, ids: Collection[str]) -> dict[str, str]:
    found = rows(everything, "sources/papers", ["id", "title"], id=ids)
    return {row["id"]: shortened(row["title"], 200) for row in found if row["title"]}


def _scripts(
    everything: Everything, kind: GroupKind, shown: Sequence[Mapping[str, Any]], members: pa.Table
) -> Iterator[tuple[str, bytes]]:
    """Yield the sentences of each group."""
    keys = [group["key"] for group in shown]
    chosen = members.filter(pc.is_in(members["key"], pa.array(keys, pa.string())))
    papers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in chosen.to_pylist():
        papers[row["key"]][row["id"]].add(row["paper"])
    held = {key: sorted(papers[key], key=rank)[:MOST_SENTENCES] for key in keys}
    wanted = {name for names in held.values() for name in names}
    texts = {
        row["id"]: shortened(row["text"], LONGEST)
        for name in SENTENCES
        for row in rows(everything, name, ["id", "text"], id=wanted)
    }
    titles = _titles(everything, {paper for key in keys for name in held[key] for paper in papers[key][name]})
    partners = _partners(everything, kind.origin, set(keys))
    for group in shown:
        key = group["key"]
        sentences: list[dict[str, Any]] = [
            {
                "id": name,
                "text": texts[name],
                "papers": [titles.get(paper, paper) for paper in sorted(papers[key][name])[:5]],
                "pairs": partners[key][texts[name]],
            }
            for name in held[key]
        ]
        sentences.sort(key=lambda sentence: (-sentence["pairs"], sentence["text"], sentence["id"]))
        content = {"script": group["script"], "sentences": sentences}
        yield group["script"], f"silverloom.group({embedded(content)});\n".encode()


def _partners(everything: Everything, origin: str, keys: Collection[str]) -> dict[str, Counter[str]]:
    """Return for each group the number of paraphrases of each of its sentences, by the sentence's text."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    named = {f"{origin}:{key}" for key in keys}
    for row in rows(everything, PARAPHRASES, ["keys", "first", "second"]):
        for key in named.intersection(row["keys"]):
            for side in ("first", "second"):
                found[key.partition(":")[2]][shortened(row[side], LONGEST)] += 1
    return found
