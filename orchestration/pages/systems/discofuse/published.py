"""The numbers of Geva et al. (2019) that pages show beside ours.

Belongs here: tables of the paper as it prints them. Not here: ours, and how both are laid out
(fusion_scores.py, people.py, fusion_statistics.py). Figures 3 and 4 have no numbers in the paper's
text, and none here.
"""

from __future__ import annotations

#: Table 6, by domain: system; SARI and Exact (%) on the full test set, then on the balanced one.
TABLE_6 = {
    "Sports": (
        ("DFSPORT", "81.9", "42.3", "83.9", "50.6"),
        ("DFWIKI", "77.8", "31.7", "80.1", "40.1"),
        ("DFS+W", "80.7", "38.3", "82.9", "47.0"),
        ("COPY", "40.0", "1.1", "40.4", "3.8"),
    ),
    "Wikipedia": (
        ("DFSPORT", "80.0", "41.5", "80.0", "41.9"),
        ("DFWIKI", "83.1", "47.6", "84.5", "51.1"),
        ("DFS+W", "82.8", "46.7", "83.7", "49.2"),
        ("COPY", "40.3", "1.0", "39.6", "2.1"),
    ),
}

#: Table 7, by discourse type, in its order: its name there; Exact (%) and SARI of DFSPORT, then of DFWIKI.
TABLE_7 = {
    "SINGLE_APPOSITION": ("Apposition", "94.8", "99.3", "94.7", "99.6"),
    "SINGLE_RELATIVE": ("Relative clause", "84.3", "95.3", "76.9", "92.6"),
    "SINGLE_CATAPHORA": ("Cataphora", "79.9", "92.8", "84.2", "95.8"),
    "SINGLE_VP_COORD": ("Verb phrase coordination", "58.4", "88.0", "58.7", "88.8"),
    "PAIR_NONE": ("None (control)", "55.3", "73.2", "54.2", "72.7"),
    "PAIR_ANAPHORA": ("Anaphora", "52.1", "83.7", "47.7", "81.5"),
    "SINGLE_CONN_INNER": ("Inner connective", "49.9", "83.9", "51.6", "85.5"),
    "SINGLE_S_COORD": ("Sentence coordination", "35.6", "80.9", "31.7", "79.4"),
    "SINGLE_CONN_INNER_ANAPHORA": ("Inner connective + anaphora", "32.6", "82.5", "37.2", "83.7"),
    "SINGLE_CONN_START": ("Forward connective", "27.5", "80.2", "34.6", "82.8"),
    "SINGLE_S_COORD_ANAPHORA": ("Sentence coordination + anaphora", "20.5", "80.9", "16.3", "78.3"),
    "PAIR_CONN": ("Discourse connective", "14.2", "65.6", "29.1", "73.4"),
    "PAIR_CONN_ANAPHORA": ("Discourse connective + anaphora", "2.5", "73.0", "8.0", "72.1"),
}

#: Table 9, by connective: accuracy (%) of DFSPORT and of DFWIKI, and the top three predicted.
TABLE_9 = {
    "and": ("50.9", "53.7", "and, but, <other>"),
    "but": ("42.8", "43.7", "but, <other>, and"),
    "because": ("61.5", "60.7", "because, <other>, but"),
    "although": ("35.1", "33.2", "although, <other>, but"),
    "so": ("50.6", "50.2", "so, but, and"),
    "or": ("70.5", "72.1", "or, and, <other>"),
    "however": ("28.3", "26.7", "<other>, however, but"),
    "while": ("70.1", "70.6", "while, <other>, but"),
    "so that": ("64.3", "63.0", "so that, <other>, because"),
    "unless": ("68.9", "67.0", "unless, because, <other>"),
    "for example": ("26.9", "28.1", "<other>, for example, however"),
}

#: Table 10, by system: its name there; SARI, and the F1 of n-grams kept, added and deleted.
TABLE_10 = {
    "copy": ("COPY", "18.1", "52.9", "0.5", "0.9"),
    "target": ("WEBSPLIT", "40.5", "44.6", "7.8", "69.3"),
    "pretrained": ("DFWIKI + WEBSPLIT", "44.2", "54.8", "10.4", "67.5"),
}

#: Table 2: rater selection; % of the examples of Sports, of Wikipedia.
TABLE_2 = (("Yes", "83.4", "86.0"), ("No majority", "10.9", "8.9"), ("No", "5.7", "5.1"))

#: Table 5, by question: agreement (%) on all 847 examples, and on the 271 with connectives.
TABLE_5 = {"merge": ("52.0", "70.1"), "anaphor": ("63.4", "70.1"), "connective": ("57.0", "76.4")}
TABLE_5_EXAMPLES = ("847", "271")

#: Table 8: domain; fusions that are the gold text, that differ; detection (%) where they differ, and in all.
TABLE_8 = (("Sports", "525", "475", "65", "57"), ("Wikipedia", "528", "472", "61", "55"))

#: Table 16, by domain in small letters: % of all examples after down-sampling, with a connective or not.
TABLE_16 = {
    "sports": {
        "and": 12.0, "but": 10.9, "because": 8.1, "although": 5.4, "so": 4.9, "or": 4.8, "however": 3.5,
        "while": 2.4, "so that": 2.2, "unless": 2.2,
    },
    "wikipedia": {
        "and": 12.5, "but": 10.7, "although": 8.4, "however": 8.2, "because": 7.7, "so that": 2.1,
        "while": 2.0, "or": 1.8, "so": 1.2, "for example": 1.0,
    },
}  # fmt: skip

#: Section 3.2, by dataset and domain: how many examples.
SIZES = {
    "discofuse/examples": {"sports": 44_177_443, "wikipedia": 16_642_323},
    "discofuse/balanced": {"sports": 12_080_513, "wikipedia": 4_581_352},
}

#: Section 3.2: the share (%) of examples with anaphora, "and" or "but" before down-sampling.
SKEWED = {"sports": 99.7, "wikipedia": 59.0}
