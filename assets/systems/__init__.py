"""One module or folder a system: its datasets. What lies here is discovered."""

from assets import crawls, sources

__all__ = ["crawls", "sources"]
