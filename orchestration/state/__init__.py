"""What exists and whether it is fresh: sources, manifests, DVC's files. Not here: making it (partition/)."""
