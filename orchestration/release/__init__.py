"""A system's dataset as a folder that others load. Not here: its Parquet files, an asset (ops/release.py)."""
