"""What fusion examples are made of: discourse types and connectives of each domain.

Belongs here: counting the rows of discofuse/examples and discofuse/balanced. Not here: drawing them
(static/statistics.js), the numbers of the paper (published.yaml).

Geva et al. (2019), section 3.2, Figure 4 and Table 16.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ops.discofuse.evaluation.alignment import words
from orchestration.lineage.rows import tables
from orchestration.pages.systems.discofuse.scores import PUBLISHED

#: The dataset before down-sampling; of the one after it the paper prints connectives.
FULL = "discofuse/examples"

#: Domains that a page draws, those of the most examples, and connectives of each.
MOST_DOMAINS = 12
MOST_CONNECTIVES = 10

_COUNTED = ["domain", "discourse_type", "connective_string"]


def statistics(name: str, folders: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Return as `statistics` what the page of a dataset draws of its kept rows.

    `domains`, the largest first: examples, types and connectives as [name, count], and how many examples
    have anaphora, "and" or "but"; `all`: the number of domains. With each domain what the paper says of the
    one that is called so, or of all of its domains where none is.
    """
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for folder in folders:
        for table in tables(folder, "kept", _COUNTED):
            for row in table.group_by(_COUNTED).aggregate([([], "count_all")]).to_pylist():
                connective = " ".join(words(row["connective_string"]))
                counts[row["domain"]][row["discourse_type"], connective] += row["count_all"]
    domains = [_domain(name, domain, of_domain) for domain, of_domain in counts.items()]
    domains.sort(key=lambda domain: (-domain["examples"], domain["domain"]))
    shown = domains[:MOST_DOMAINS]
    return {"statistics": {"full": name == FULL, "all": len(domains), "domains": shown}}


def _domain(name: str, domain: str, counts: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    types: Counter[str] = Counter()
    connectives: Counter[str] = Counter()
    skewed = 0
    for (kind, connective), rows in counts.items():
        types[kind] += rows
        connectives[connective] += rows
        skewed += rows * (kind.endswith("ANAPHORA") or connective in ("and", "but"))
    del connectives[""]
    shares, full = PUBLISHED["table_16"], name == FULL
    published = [domain.lower()] if domain.lower() in shares else list(shares)
    common = sorted(connectives, key=lambda name: (-connectives[name], name))[:MOST_CONNECTIVES]
    in_paper = [] if full else [name for paper in published for name in shares[paper]]
    return {
        "domain": domain,
        "examples": types.total(),
        "skewed": skewed,
        "types": [[label, types[kind]] for kind, (label, *_) in PUBLISHED["table_7"].items()],
        "connectives": [[name, connectives[name]] for name in dict.fromkeys([*common, *in_paper])],
        "published": [
            {
                "domain": paper,
                "examples": PUBLISHED["sizes"][name][paper],
                "skewed": PUBLISHED["skewed"][paper] if full else None,
                "connectives": {} if full else shares[paper],
            }
            for paper in published
        ],
    }
