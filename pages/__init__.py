"""Data-quality pages, rendered from rows and declarations. Not here: serving them (orchestration/serve)."""
