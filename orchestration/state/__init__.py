"""What there is and whether it is fresh: graph, records, locks, and DVC's lock read back."""
