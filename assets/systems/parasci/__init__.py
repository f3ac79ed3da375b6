"""ParaSCI: its sources and datasets."""

from importlib import import_module

from silverloom.assets.declare.graph import begins_with

# Here, because it is no part of any dataset's code.
begins_with("parasci", "papers", "passages")

# A dataset is declared before its readers.
for module in ("sources", "candidates", "partial", "datasets", "models", "people"):
    import_module(f"{__name__}.{module}")
