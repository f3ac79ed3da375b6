"""Models that find the part of a text that paraphrases another text: PDBERT's span head on an encoder.

Belongs here: the model, how it is trained, how it is called. Not here: the training loop
(ops/models/training), which texts are compared (ops/parasci/partial).
"""
