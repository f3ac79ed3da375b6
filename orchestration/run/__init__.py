"""Loops over partitions: a run, a backfill, a stage of DVC. Not here: making one (partition/)."""
