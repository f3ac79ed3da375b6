"""Read files, tables, crawls and other datasets written by others into rows.

Belongs here: sources and their records, and formats that several systems read. Not here: web requests
(ops/crawl), formats that only one system reads (in that system's package).
"""
