"""Making one partition: inputs, parts, publication, manifest. Not here: which one is made (run/)."""
