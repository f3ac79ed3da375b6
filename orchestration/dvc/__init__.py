"""DVC's side: stages rendered and committed, metrics, plots. Not here: reading dvc.lock (state/)."""
