"""Pages as Common Crawl captured them: found in its columnar index, many at once, read by ranges of files.

Belongs here: from addresses to records. Not here: a request an address (ops/crawl/collections/web.py), what
articles cite (ops/crawl/cited.py).
"""
