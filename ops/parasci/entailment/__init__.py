"""Entailment models: whether one text says everything that another says, in both directions.

Belongs here: the model, its training examples, how it is called. Not here: the training loop
(ops/models/training), the features of pairs (ops/parasci/dataset).
"""
