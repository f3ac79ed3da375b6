"""WARC: records of files, the messages in them, and what a crawl wrote beside its rows.

Belongs here: bytes up to the body of an answer. Not here: what a body is (ops/parse/web, papers, wikipedia).
"""
