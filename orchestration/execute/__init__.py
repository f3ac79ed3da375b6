"""Making one partition: inputs, parts, publication, record. Not here: which one is made (drivers/)."""
