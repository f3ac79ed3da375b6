"""Rankers over the text units of a document: sentences of a paper, paragraphs of references.

Belongs here: rankings that need no trained model (rankers.py), and choosing units by rank (choose.py).
Not here: trained extractors (the systems), scores of the chosen units (ops/metrics).

A ranker takes units as lists of words (`words`, `content_words`). It returns either one score per unit, which
`best_first` turns into an order, or the order itself: every index once, best first. Ties go to the lowest
index.

| ranker | scores or order | source |
|---|---|---|
| lead (identity) | order | |
| random | order | |
| TextRank | scores | Mihalcea and Tarau 2004 |
| SumBasic | order | Nenkova and Vanderwende 2005 |
| cheating: bigram recall | scores | Liu et al. 2018 (WikiSum), equation 1 |
| bigram gain per word | scores | |
| oracle: greedy ROUGE | chosen units only | Nallapati et al. 2017, section 3.1 |
"""
