"""Models by name: what is installed, how it is loaded, which bytes it is.

Belongs here: the registry and thin wrappers round what it loads. Not here: what a step does with a model.
"""
