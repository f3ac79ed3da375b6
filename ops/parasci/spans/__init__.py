"""Models that find in one text the part which says what another text says: PDBERT's span head on an encoder.

Belongs here: the model, how it is trained, how it is called. Not here: the training loop
(ops/models/training), which texts are compared (ops/parasci/partial).
"""
