"""WikiSum: summarise cited and searched pages into articles of an encyclopedia (Liu et al., ICLR 2018).

Belongs here: the names that other modules use. Not here: anything that runs. Functions import numba on their
first call.
"""

from silverloom.ops.wikisum.clones import clone_recall, clone_recalls
from silverloom.ops.wikisum.rank import Ranking, rank
from silverloom.ops.wikisum.ranked import keep_paragraph

__all__ = ["Ranking", "clone_recall", "clone_recalls", "keep_paragraph", "rank"]
