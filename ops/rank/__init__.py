"""Rankers over the text units of a document: sentences of a paper, paragraphs of references.

Belongs here: orders over units that need no trained model (rankers.py), and choosing units by an order
(choose.py). Not here: trained extractors (the systems), scores of what is chosen (ops/metrics).

A ranker takes units as lists of words (`words`, `content_words`) and returns either one score a unit, which
`best_first` turns into an order, or the order itself: every index once, best first. Ties go to the lowest
index.

| ranker | scores or order | source |
|---|---|---|
| lead (identity) | order | |
| random | order | |
| tf-idf with a query | scores | Liu et al. 2018 (WikiSum), 4.1 |
| TextRank | scores | Mihalcea and Tarau 2004 |
| SumBasic | order | Nenkova and Vanderwende 2005 |
| cheating: recall of bigrams | scores | Liu et al. 2018 (WikiSum), equation 1 |
| what a unit brings for its words | scores | |
| oracle: greedy ROUGE | the chosen ones | Nallapati et al. 2017, section 3.1 |
"""
