"""Declaring a dataset or a report, and what follows from the declaration. Not here: any dataset."""
