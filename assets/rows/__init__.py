"""Rows of datasets: reading them, and tracing them back to their origins and forward to what is made of them.

Belongs here: reading shared by pages, releases and `silverloom explain`. Not here: how it is shown (pages/),
and the declarations of datasets (assets/declare).
"""
