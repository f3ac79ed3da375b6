"""DiscoFuse (Geva et al., NAACL 2019): sentence-fusion examples from any English text.

Examples:
    >>> from silverloom.discofuse import annotator, fusion_examples
    >>> nlp = annotator()  # loaded once a process
    >>> fusion_examples("The ferry was old, but it carried the mail.", nlp)[0].discourse_type
    'SINGLE_S_COORD_ANAPHORA'
"""

from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import fusion_examples
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.rules.rule import FusionExample

__all__ = ["FusionExample", "RuleParams", "annotator", "fusion_examples"]
