"""Pages of one system each, in a folder of its name. Not here: pages of every dataset."""
