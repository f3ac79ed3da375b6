"""Dagster's stores, as dagster.yaml names them: those of the checkout that Dagster is called in.

Dagster opens its stores before it loads any code of a checkout. Not here: the stores
(orchestration/dagster/stores.py).
"""

import silverloom  # noqa: F401  finds the checkout
from orchestration.dagster.stores import EventLog, RunList

__all__ = ["EventLog", "RunList"]
