"""The datasets of WikiSum (Liu et al., ICLR 2018)."""

from importlib import import_module

from silverloom.assets.declare.graph import SYSTEMS, Measurement, System

SYSTEMS["wikisum"] = System(
    needs=("articles",),
    recommends={
        "web_pages": "without pages or a crawl of what the articles cite (docs/how-to/crawl.md), every "
        "article is dropped as no_reference and there are no examples"
    },
    measured=(Measurement("articles", 99, "articles with 3,084 pages (reports/own-corpus)", 208, 6),),
)

# A dataset is declared before its readers.
for module in ("datasets", "models", "evaluation"):
    import_module(f"{__name__}.{module}")
