"""Runs and models in MLflow. Not here: its server (serve/)."""
