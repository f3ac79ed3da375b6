"""How everything runs: Dagster, DVC, the store on disk, and the commands."""
