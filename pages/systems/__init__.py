"""Pages of single systems, a folder for each system. Not here: pages that every dataset has."""
