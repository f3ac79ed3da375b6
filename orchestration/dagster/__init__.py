"""Dagster's side: definitions, sensors, schedules, and its record of what was made."""
