"""Writing a system's dataset as a folder for others. Not here: its Parquet files (ops/core/release.py)."""
