"""Checks of a partition: conservation, schema, expectations."""
