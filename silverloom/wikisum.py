"""WikiSum (Liu et al., ICLR 2018): an article's lead, from the pages that it is written from.

Examples:
    >>> from silverloom.wikisum import clone_recall, example, rank
    >>> bread = "Salt bread is baked without yeast, on a flat stone. It is eaten warm."
    >>> sea = "The sea around the island is wide and cold. Few ships cross it."
    >>> print(example("Salt bread", [sea, bread], words=15).source)
    Salt bread
    <BLANKLINE>
    Salt bread is baked without yeast, on a flat stone. It is eaten
    >>> rank("Salt bread", ["The sea is wide.", "Salt bread is flat."], "tf_idf").order
    [1, 0]
    >>> clone_recall("The sea is salt.", ["Salt is found in the sea.", "It is salt."])
    0.6666666666666666
"""

from silverloom.ops.wikisum.clones import clone_recall, clone_recalls
from silverloom.ops.wikisum.one_example import WikiExample, example
from silverloom.ops.wikisum.rank import Ranking, rank
from silverloom.ops.wikisum.ranked import keep_paragraph

__all__ = ["Ranking", "WikiExample", "clone_recall", "clone_recalls", "example", "keep_paragraph", "rank"]
