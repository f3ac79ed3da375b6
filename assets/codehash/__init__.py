"""Hashes of the project's code, by symbol: what a function reaches, whatever else its module holds.

It imports nothing else of the project. statements.py and modules.py read what counts of a module, names.py
tells what a name means in another module, symbols.py hashes, packages.py tells locked versions.
"""
