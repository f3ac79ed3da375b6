"""ParaSCI (Dong et al., EACL 2021): pairs of sentences of papers that mean the same.

Examples:
    >>> from silverloom.parasci import consistency, definition, pairs
    >>> definition("Topic segmentation is the task of dividing a text into passages of one topic each.").term
    'Topic segmentation'
    >>> consistency("We release all data and code.", "All data and code are released.") > 4
    True
    >>> pairs(["A title\\n\\n# Introduction\\n\\nWe count rare words in a large corpus of papers."])
    []
"""

from silverloom.ops.parasci.definitions import Definition, definition
from silverloom.ops.parasci.several_papers import Paraphrase, consistency, pairs

__all__ = ["Definition", "Paraphrase", "consistency", "definition", "pairs"]
