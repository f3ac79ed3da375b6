"""ParaSCI: its sources and datasets."""
