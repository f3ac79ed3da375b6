"""Asking the web: crawls, search, collections. Not here: parsing what came back (ops/parse)."""
