"""One checkout: its folders, settings, graph and environment. Not here: what lies in the folders."""
