"""DiscoFuse (Geva et al., NAACL 2019): sentence-fusion examples from any English text.

Examples:
    >>> from silverloom.discofuse import annotator, fusion_examples
    >>> nlp = annotator()  # once a process: some seconds, most of them for PyTorch, which spaCy loads
    >>> example = fusion_examples("The ferry was old, but it carried the mail.", nlp)[0]
    >>> example.source
    'The ferry was old. The ferry carried the mail.'
    >>> example.target, example.discourse_type
    ('The ferry was old, but it carried the mail.', 'SINGLE_S_COORD_ANAPHORA')
    >>> texts = ["It rained, so we stayed.", "The mill was sold and burned down."]
    >>> [len(examples) for examples in fusion_examples(texts, nlp, batch_size=64)]
    [1, 1]
"""

from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import Fusion, fusion_examples
from silverloom.ops.discofuse.rules import RuleParams

__all__ = ["Fusion", "RuleParams", "annotator", "fusion_examples"]
