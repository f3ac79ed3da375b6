"""BERT-iBLEU (Niu et al. 2021): how well a paraphrase keeps the meaning of its source without its words.

Belongs here: the score, made of two others. Not here: BERTScore (bertscore.py) and Self-BLEU (bleu.py).
"""

from __future__ import annotations

#: Weight of the meaning against the words, as published.
BETA = 4.0


def bert_ibleu(similarity: float, self_bleu: float, beta: float = BETA) -> float:
    """Return ((beta / similarity + 1 / (1 - self_bleu)) / (beta + 1))^-1, from 0 to 1.

    Niu et al. (2021), "Unsupervised Paraphrasing with Pretrained Language Models": the weighted
    harmonic mean of BERTScore (`similarity`) and 1 - Self-BLEU, both of a paraphrase against its source, both
    from 0 to 1. 0 for a copy, whose Self-BLEU is 1, and where BERTScore is not above 0: the limits of the
    mean. Raises ValueError for `beta` that is not above 0.
    """
    if beta <= 0:
        raise ValueError(f"beta is {beta}: a weight above 0 is needed")
    difference = 1 - self_bleu
    if similarity <= 0 or difference <= 0:
        return 0.0
    return (beta + 1) / (beta / similarity + 1 / difference)
