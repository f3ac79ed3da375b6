"""What maps an op over parts, here or in processes, to the same bytes. Not here: partitions (drivers/)."""
