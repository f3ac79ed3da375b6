"""One checkout: its folders, settings, graph, environment. Not here: what lies in the folders (files/, state/)."""
