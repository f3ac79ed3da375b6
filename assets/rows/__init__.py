"""Rows of datasets: reading them, and following them to where they come from and to what is made of them.

Belongs here: what pages, releases and `silverloom explain` all read. Not here: how it is shown (pages/), and
what a dataset is (assets/declare).
"""
