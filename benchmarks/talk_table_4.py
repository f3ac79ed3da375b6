"""The example of Lev et al. (2019), Table 4: a talk as recognised, and the sentence that their model gave.

Belongs here: the table. Its marks: True where the authors call the alignment right, False where they call it
wrong, None where no label says. Not here: scoring models on it (talk_simulation.py).
"""

from __future__ import annotations

SENTENCES = [
    "Processing long, complex sentences is challenging.",
    "This is true either for humans in various circumstances or in NLP tasks like parsing and machine "
    "translation.",
    "An automatic system capable of breaking a complex sentence into several simple sentences that convey "
    "the same meaning is very appealing.",
    "A recent work by Narayan et al. (2017) introduced a dataset, evaluation method and baseline systems "
    "for the task, naming it Split-and Rephrase.",
    "The dataset includes 1,066,115 instances mapping a single complex sentence to a sequence of "
    "sentences that express the same meaning, together with RDF triples that describe their semantics.",
    "Digging further, we find that 99% of the simple sentences (more than 89% of the unique ones) in the "
    "validation and test sets also appear in the training set, which coupled with the good memorization "
    "capabilities of SEQ2SEQ models and the relatively small number of distinct simple sentences helps to "
    "explain the high BLEU score.",
    "To aid further research on the task, we propose a more challenging split of the data.",
]

#: Recognised words, the sentence (from 0) that the authors' model gave, and their mark.
RUNS = [
    ("base begin motivation processing long complex sentences hard task", 0, True),
    (
        "true arguments like children people reading disabilities second language learners also true first "
        "sentence level p system",
        1,
        True,
    ),
    (
        "previous work show data tendency parsers great performance introduced longer longer sentences",
        3,
        False,
    ),
    ("similar results showing new machine translation new machine translation", 1, True),
    (
        "systems introduced longer sentences starting performance question rising automatically break "
        "complex sentence several simple ones preserving meaning semantics useful company p like example",
        2,
        True,
    ),
    (
        "leader task introduced last 'll bynari guard going marina introduced data sets evaluation method "
        "baseline models task",
        3,
        True,
    ),
    (
        "phoenician taking complex sentences break several simple ones example take sentence alan joined "
        "nasa nineteen sixty three became member apollo twelve mission along word inspect pilot got "
        "commander would like break sentence sentences go alan serves crew member twelve word better polls "
        "commanded david scott selected nasa nineteen sixty three",
        2,
        None,
    ),
    ("see task requires first identifying independence imagic units", 3, None),
    ("source sentence rephrasing units single sentences target", 4, None),
    (
        "work first show simple neural models seem perform well original benchmark due memorization "
        "training set",
        5,
        None,
    ),
    (
        "perform close challenging data split task discourage instant memorization perform automatic "
        "evaluation analysis new benchmark showing task still far",
        6,
        True,
    ),
]
