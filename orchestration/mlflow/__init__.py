"""Runs and models in MLflow, and its store. Not here: when its server is started (serve/)."""
