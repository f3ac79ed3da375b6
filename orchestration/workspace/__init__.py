"""One checkout: its folders, settings, graph and environment. Not here: the folders' content."""
