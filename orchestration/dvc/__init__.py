"""DVC's side: rendering and committing stages, metrics, plots. Not here: reading dvc.lock (state/)."""
