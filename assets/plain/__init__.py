"""What Dagster is given as it stands: modules of `@dg.asset`s, jobs, schedules, sensors beside the datasets.

What lies here is discovered, by Dagster's commands and servers alone (docs/add-an-asset.md).
"""
