"""Functions on plain text: words, white space, hyphens at line breaks, sentence boundaries.

Belongs here: functions of a string that need no files or tables and know nothing about papers or talks.
Not here: finding footnotes or sections (ops/parse), models (ops/models).
"""
