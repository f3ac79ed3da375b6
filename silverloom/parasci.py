"""ParaSCI (Dong et al., EACL 2021): pairs of sentences of papers that mean the same.

Examples:
    >>> from silverloom.parasci import consistency, definition, pairs
    >>> definition("Topic segmentation is the task of dividing a text into passages of one topic each.").term
    'Topic segmentation'
    >>> consistency("We release all data and code.", "All data and code are released.") > 4
    True
    >>> texts = [
    ...     "Topic segmentation (TS) is the task of dividing a text into passages of one topic each.",
    ...     "The goal of topic segmentation is to divide a text into passages that each have one topic.",
    ... ]
    >>> [pair.origin for pair in pairs([f"A title\\n\\n# Introduction\\n\\n{text}" for text in texts])]
    ['definitions']
"""

from silverloom.ops.parasci.definitions import Definition, definition
from silverloom.ops.parasci.several_papers import Paraphrase, consistency, pairs

__all__ = ["Definition", "Paraphrase", "consistency", "definition", "pairs"]
