"""A project of one's own: what its sources are, and the files that it begins with."""
