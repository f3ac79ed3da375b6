"""Runs and models in MLflow, and its store. Not here: starting its server (serve/)."""
