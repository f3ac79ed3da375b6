"""Summaries of a budget, and the training sets made of them. Not here: the alignments."""
