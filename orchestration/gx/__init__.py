"""Great Expectations' own view of the checks: its project and Data Docs. Not here: the checks (checks/)."""
