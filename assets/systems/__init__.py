"""One module or folder a system: its datasets. What lies here is discovered."""
