"""How everything is computed: plain functions on Arrow tables, strings and arrays.

Nothing here knows an orchestrator: no dagster, dvc, mlflow or great_expectations.
"""
