"""Requests to the web: crawls, search, collections. Not here: parsing the responses (ops/parse)."""
