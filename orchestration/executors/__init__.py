"""What runs tasks, here or in workers: partitions of a run, parts of a partition. Not here: the tasks."""
