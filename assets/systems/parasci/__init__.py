"""ParaSCI: its sources and datasets."""

from importlib import import_module

# A dataset is declared before its readers.
for module in ("sources", "candidates", "partial", "entailment", "datasets", "models", "people"):
    import_module(f"{__name__}.{module}")
