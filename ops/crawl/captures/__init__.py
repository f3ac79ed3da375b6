"""Pages as Common Crawl captured them: found in its columnar index, many at once, read by ranges of files.

Belongs here: from addresses to records. Not here: a request an address (collections/common_crawl.py), what
articles cite (cited.py).
"""
