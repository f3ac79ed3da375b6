"""BERT-iBLEU (Niu et al. 2021): how well a paraphrase keeps the meaning of its source in other words.

Belongs here: the score, which combines two others. Not here: BERTScore (bertscore.py), Self-BLEU (bleu.py).
"""

from __future__ import annotations

#: Weight of meaning relative to wording, as published.
BETA = 4.0


def bert_ibleu(similarity: float, self_bleu: float, beta: float = BETA) -> float:
    """Return ((beta / similarity + 1 / (1 - self_bleu)) / (beta + 1))^-1, from 0 to 1.

    Niu et al. (2021), "Unsupervised Paraphrasing with Pretrained Language Models": the weighted harmonic
    mean of BERTScore (`similarity`) and 1 - Self-BLEU. Both compare a paraphrase with its source and range
    from 0 to 1. The result is 0 for a copy (its Self-BLEU is 1) and where BERTScore is 0 or less; both are
    limits of the mean. Raises ValueError if `beta` is not above 0.
    """
    if beta <= 0:
        raise ValueError(f"beta is {beta}: a weight above 0 is needed")
    difference = 1 - self_bleu
    if similarity <= 0 or difference <= 0:
        return 0.0
    return (beta + 1) / (beta / similarity + 1 / difference)
