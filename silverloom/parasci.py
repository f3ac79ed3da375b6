"""ParaSCI (Dong et al., EACL 2021): which term a sentence of a paper defines.

Examples:
    >>> from silverloom.parasci import definition
    >>> definition("Topic segmentation is the task of dividing a text into passages of one topic each.").term
    'Topic segmentation'
"""

from silverloom.ops.parasci.definitions import Definition, definition

__all__ = ["Definition", "definition"]
