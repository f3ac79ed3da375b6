"""WikiSum: articles of an encyclopedia from what they cite and what a search finds (Liu et al., ICLR 2018).

Belongs here: the names that other modules use. Not here: anything that runs; numba is imported by what needs
it, when it runs.
"""

from ops.wikisum.clones import clone_recall, clone_recalls
from ops.wikisum.rank import Ranking, rank
from ops.wikisum.ranked import keep_paragraph

__all__ = ["Ranking", "clone_recall", "clone_recalls", "keep_paragraph", "rank"]
