"""Pages of ParaSCI."""
