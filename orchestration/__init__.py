"""How everything runs: Dagster, DVC, the store on disk, and the commands."""

if __name__ == "orchestration":
    raise ImportError(
        "`orchestration` is now `silverloom.orchestration`: CHANGELOG.md has the command that changes imports"
    )
