"""What there is and whether it is fresh: records, locks, DVC's lock read back.."""
