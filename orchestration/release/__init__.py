"""A system's dataset as a folder that others load. Not here: its Parquet files (ops/core/release.py)."""
