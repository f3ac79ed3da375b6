"""The datasets of TalkSumm (Lev et al., ACL 2019)."""

from importlib import import_module

from silverloom.assets.declare.graph import SYSTEMS, Measurement, System

SYSTEMS["talksumm"] = System(
    needs=("papers", "talks"),
    measured=(Measurement("talks", 1, "talk with its paper (reports/own-corpus)", 26, 1),),
)

# A dataset is declared before its readers.
for module in ("sources", "datasets", "models"):
    import_module(f"{__name__}.{module}")
