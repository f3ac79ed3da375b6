"""What exists: every dataset of the project as a Dagster asset.

An asset body is a few lines: call one op, return what it yields.
"""
