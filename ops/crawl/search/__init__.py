"""Search: a query in, URLs by rank out. Not here: what becomes of the pages."""
