"""Reading what others wrote: from files, tables, crawls and other datasets to rows.

Belongs here: sources and their records, and the formats that several systems read. Not here: asking the web
for anything (ops/crawl), formats that one system alone reads (beside it).
"""
