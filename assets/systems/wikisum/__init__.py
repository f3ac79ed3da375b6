"""The datasets of WikiSum (Liu et al., ICLR 2018)."""

from importlib import import_module

# A dataset is declared before its readers.
for module in ("datasets", "models", "evaluation"):
    import_module(f"{__name__}.{module}")
