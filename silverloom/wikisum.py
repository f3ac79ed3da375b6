"""WikiSum (Liu et al., ICLR 2018): ranking the paragraphs of an article's references, and finding its clones.

Examples:
    >>> from silverloom.wikisum import clone_recall, rank
    >>> rank("Salt bread", ["The sea is wide.", "Salt bread is flat."], "tf_idf").order
    [1, 0]
    >>> clone_recall("The sea is salt.", ["Salt is found in the sea.", "It is salt."])
    0.6666666666666666
"""

from silverloom.ops.wikisum.clones import clone_recall, clone_recalls
from silverloom.ops.wikisum.rank import Ranking, rank
from silverloom.ops.wikisum.ranked import keep_paragraph

__all__ = ["Ranking", "clone_recall", "clone_recalls", "keep_paragraph", "rank"]
