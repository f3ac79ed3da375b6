"""ParaSCI: its sources and datasets."""

from importlib import import_module

from silverloom.assets.declare.graph import SYSTEMS, Measurement, System

SYSTEMS["parasci"] = System(
    begins_with=("papers", "passages"),
    measured=(
        Measurement(
            "papers",
            778,
            "papers (reports/parasci-papers)",
            1_213,
            121,
            "time on two cores beside other work",
        ),
        Measurement("passages", 3_000, "abstracts (reports/own-corpus)", 5, 2),
    ),
)

# A dataset is declared before its readers.
for module in ("sources", "candidates", "partial", "datasets", "models", "people"):
    import_module(f"{__name__}.{module}")
