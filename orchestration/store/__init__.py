"""Datasets on disk: how they are written, published, identified and remembered."""
