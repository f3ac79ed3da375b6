"""Models that tell whether one text says what another text says, both ways.

Belongs here: the model, what it learns from, how it is called. Not here: the training loop
(ops/models/training), the features of pairs (ops/parasci/dataset).
"""
