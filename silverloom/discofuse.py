"""DiscoFuse (Geva et al., NAACL 2019): sentence-fusion examples from any English text.

Examples:
    >>> from silverloom.discofuse import annotator, fusion_examples
    >>> nlp = annotator()  # loaded once a process
    >>> fusion_examples("The ferry was old, but it carried the mail.", nlp)[0].discourse_type
    'SINGLE_S_COORD_ANAPHORA'
"""

from ops.discofuse.dataset.pipeline import annotator
from ops.discofuse.dataset.unfuse import fusion_examples
from ops.discofuse.rules import RuleParams
from ops.discofuse.rules.rule import FusionExample

__all__ = ["FusionExample", "RuleParams", "annotator", "fusion_examples"]
