"""Making one partition: inputs, parts, publication, manifest. Not here: choosing partitions (run/)."""
