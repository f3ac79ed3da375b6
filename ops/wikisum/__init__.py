"""WikiSum: summarise cited and searched pages into articles of an encyclopedia (Liu et al., ICLR 2018).

Belongs here: the names that other modules use. Not here: anything that runs. Functions import numba on their
first call.
"""

from ops.wikisum.clones import clone_recall, clone_recalls
from ops.wikisum.rank import Ranking, rank
from ops.wikisum.ranked import keep_paragraph

__all__ = ["Ranking", "clone_recall", "clone_recalls", "keep_paragraph", "rank"]
