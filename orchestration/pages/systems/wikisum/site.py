"""What WikiSum adds to the pages.

Belongs here: which pages there are, and which datasets lead to them. Not here: what is on each.
"""

from __future__ import annotations

from orchestration.pages.system import SystemPages
from orchestration.pages.systems.wikisum import evaluation

SYSTEM = SystemPages(pages=evaluation.pages, navigation=evaluation.NAVIGATION, pictures=evaluation.PICTURES)
