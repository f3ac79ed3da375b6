"""Parsers of TalkSumm's own sources: talks, manual alignments, human summaries."""
