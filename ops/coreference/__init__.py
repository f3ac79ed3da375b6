"""Coreference: which mention means which entity, with a calibrated score.

Belongs here: finding mentions and their antecedents over a parse, as a spaCy component. Not here: what is
done with the links (ops/discofuse).
"""
