"""Data-quality pages, rendered from rows and declarations. Not here: serving them (orchestration/serve)."""

if __name__ == "pages":
    raise ImportError("`pages` is now `silverloom.pages`: CHANGELOG.md has the command that changes imports")
