"""Coreference: which mention refers to which entity, with a calibrated score.

Belongs here: finding mentions and their antecedents in a parse, as a spaCy component. Not here: the use of
links (ops/discofuse).
"""
