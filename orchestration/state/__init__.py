"""What there is and whether it is fresh: sources, manifests, DVC's files read back."""
