"""The checks of a dataset, by name. Not here: what they check (orchestration/checks/)."""

from __future__ import annotations

CHECKS = {
    "conservation": "Every input unit is used, dropped or rejected, once, and none is lost.",
    "schema": "Every table has its declared columns, and no id is missing or there twice.",
    "expectations": "Every row meets the expectations that only a bug in the code can break.",
    "warnings": "The rows look as they should, and like those of the former version. Does not block.",
}
#: Checks whose failure does not keep a partition from being made.
ADVISORY = frozenset({"warnings"})
#: An extra check of datasets that read sources. It has no partitions, because a source may span many.
SOURCES = "sources"
