"""Pages captured by Common Crawl: looked up in its columnar index in bulk, and read as ranges of its files.

Belongs here: getting from addresses to records. Not here: one request per address
(ops/crawl/collections/web.py), what articles cite (ops/crawl/cited.py).
"""
