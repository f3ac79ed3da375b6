"""What exists: every dataset of the project as a Dagster asset.

An asset body is a few lines: call one op, return what it yields.
"""

if __name__ == "assets":
    raise ImportError(
        "`assets` is now `silverloom.assets`: CHANGELOG.md has the command that changes imports"
    )
