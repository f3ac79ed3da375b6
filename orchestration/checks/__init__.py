"""Checks of a partition: conservation, schema, expectations, and their history."""
