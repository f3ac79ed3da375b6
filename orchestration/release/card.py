"""The card of a release, `README.md`: a YAML head for hubs, and what people should know.

Belongs here: how it is told. Not here: what is told (contents.py), a system's own words
(ops/<system>/card.md).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jinja2
import yaml

from orchestration.messages.markdown import escaped
from orchestration.release.contents import Contents

#: Licences that hubs know by a name of their own: the one of SPDX, in small letters.
_KNOWN = re.compile(
    r"(apache-2\.0|mit|cc0-1\.0|cc-by(-nc)?(-sa|-nd)?-[234]\.0|bsd-[23]-clause|[al]?gpl-3\.0)"
)

_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)


def card(contents: Contents) -> bytes:
    """Return the card as Markdown."""
    asked = contents.words.head["statistics"]
    statistics = [
        (ask["name"], [_shown(contents.statistic(ask, config)) for config in contents.splits], ask["paper"])
        for ask in asked
    ]
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(  # noqa: S701  it is no HTML
        loader=loader, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["escaped"] = escaped
    return (
        environment.get_template("card.md.jinja")
        .render(
            contents=contents,
            words=contents.words.head,
            text=contents.words.text,
            head=_yaml(head(contents)),
            statistics=statistics,
            params=_yaml(contents.params),
        )
        .encode()
        + b"\n"
    )


def head(contents: Contents) -> dict[str, Any]:
    """Return the head that hubs and `datasets` read."""
    rows = sum(row["rows"] for row in contents.files)
    return {
        "pretty_name": contents.words.head["title"],
        **_licence([licence for licence, _ in contents.licences]),
        "language": contents.words.head["language"],
        "task_categories": contents.words.head["tasks"],
        "tags": contents.words.head["tags"],
        "size_categories": [size_category(rows)],
        "configs": [
            {
                "config_name": config,
                **({"default": True} if number == 0 else {}),
                "data_files": [
                    {"split": split, "path": f"data/{config}/{split}-*.parquet"} for split in splits
                ],
            }
            for number, (config, splits) in enumerate(contents.splits.items())
        ],
    }


def size_category(rows: int) -> str:
    """Return how hubs call a number of rows: `1K<n<10K`."""
    names = ["1K", "10K", "100K", "1M", "10M", "100M", "1B"]
    place = sum(rows >= size for size in _SIZES)
    if place in (0, len(_SIZES)):
        return f"n<{names[0]}" if place == 0 else f"n>{names[-1]}"
    return f"{names[place - 1]}<n<{names[place]}"


def _licence(licences: list[str]) -> dict[str, Any]:
    names = sorted({name for licence in licences for name in licence.split(" AND ")})
    if all(_KNOWN.fullmatch(name.lower()) for name in names):
        return {"license": [name.lower() for name in names]}
    return {"license": "other", "license_name": " AND ".join(names)}


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _yaml(content: Any) -> str:
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return text
