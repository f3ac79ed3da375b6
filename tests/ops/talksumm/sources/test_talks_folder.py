"""A folder of transcripts and its metadata become records, and nothing is lost."""

from __future__ import annotations
