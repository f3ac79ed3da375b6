"""The datasets of WikiSum (Liu et al., ICLR 2018)."""

from importlib import import_module

from silverloom.assets.declare.graph import Measurement, measured

measured("wikisum", Measurement("articles", 99, "articles with 3,084 pages (reports/own-corpus)", 208, 6))

# A dataset is declared before its readers.
for module in ("datasets", "models", "evaluation"):
    import_module(f"{__name__}.{module}")
