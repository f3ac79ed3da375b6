"""Text as such: words, white space, hyphens at line breaks, sentence boundaries.

Belongs here: functions of a string, without files, tables or any knowledge of papers and talks.
Not here: what a footnote or a section is (ops/parse), models (ops/models).
"""
