"""The datasets of DiscoFuse (Geva et al., NAACL 2019)."""

from importlib import import_module

# A dataset is declared before its readers.
for module in ("sources", "datasets", "models"):
    import_module(f"{__name__}.{module}")
