"""Models by name: which are installed, how each is loaded, and the digest of its bytes.

Belongs here: the registry, and a thin loader for each kind of model. Not here: what a step does with a model.
"""
