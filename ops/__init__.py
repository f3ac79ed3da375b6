"""How everything is computed: plain functions on Arrow tables, strings and arrays.

Nothing here knows an orchestrator: no dagster, dvc, mlflow or great_expectations.
"""

if __name__ == "ops":
    raise ImportError("`ops` is now `silverloom.ops`: CHANGELOG.md has the command that changes imports")
