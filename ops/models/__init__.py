"""Models by name: what is installed, how it is loaded, which bytes it is.

Belongs here: the registry, and a thin loader for each kind of model. Not here: what a step does with a model.
"""
