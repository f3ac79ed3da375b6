"""The datasets of DiscoFuse (Geva et al., NAACL 2019)."""

from importlib import import_module

from silverloom.assets.declare.graph import SYSTEMS, Measurement, System

SYSTEMS["discofuse"] = System(
    needs=("prose",),
    measured=(  # docs/reports/own-corpus.md
        Measurement("prose", 3_000, "abstracts (reports/own-corpus)", 4_214, 4),
        Measurement("papers", 67, "papers in JATS (reports/own-corpus)", 3_101, 4),
    ),
)

# A dataset is declared before its readers.
for module in ("sources", "datasets", "models"):
    import_module(f"{__name__}.{module}")
