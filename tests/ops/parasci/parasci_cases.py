"""Tiny sentences and pairs of ParaSCI."""

import numpy as np

from silverloom.ops.parasci.schemas import EMBEDDED_PASSAGES, SENTENCES
from silverloom.ops.parse.schemas import SENTENCES as PAPER_SENTENCES


def unit(*numbers):
    """Return a row of length 1 with four decimals."""
    row = np.array(numbers, np.float64)
    return np.round(row / np.linalg.norm(row), 4).astype(np.float32).tolist()


def mention(paper, section=0, role="abstract", term=None, cited=(), sentence="s"):
    return {
        "sentence_id": sentence, "paper_id": paper, "section": section, "role": role, "source": "papers",
        "doi": f"10.1000/{paper}", "term": term, "cited": list(cited),
    }  # fmt: skip


def statement(name, text, embedding, *mentions, area=""):
    """Return a row of parasci/sentences."""
    return {
        "id": name, "source_ids": [f"source of {name}"], "licence": "MIT", "month": "2018-06", "area": area,
        "text": text, "printed": text, "words": len(text.split()), "truncated": False, "well_formed": 0.9,
        "mentions": list(mentions),
        "embedding": embedding,
    }  # fmt: skip


def candidate(name, first, second, key="paper", cosine=0.9, papers=("p", "p")):
    """Return a row of a dataset of candidates."""
    return {
        "id": name, "source_ids": [f"first of {name}", f"second of {name}"], "licence": "MIT", "key": key,
        "first_id": f"first of {name}", "second_id": f"second of {name}", "first_paper": papers[0],
        "second_paper": papers[1], "first_role": "abstract", "second_role": "conclusion", "cosine": cosine,
        "first": first, "second": second, **known_of_sides(first, second),
    }  # fmt: skip


def known_of_sides(first, second, well_formed=0.9):
    """Return what a pair knows of its sentences besides their texts."""
    return {
        f"{side}_{name}": value
        for side, text in (("first", first), ("second", second))
        for name, value in (
            ("printed", text),
            ("source", "papers"),
            ("area", ""),
            ("year", 2018),
            ("doi", f"10.1000/{side}"),
            ("well_formed", well_formed),
        )
    }


def scored_pair(
    name,
    first="one",
    second="two",
    consistency=4.0,
    length_rate=0.1,
    keys=("intra:p",),
    origins=("intra",),
    wholes=(),
    self_bleu=20.0,
    well_formed=0.9,
):
    """Return a row of parasci/scored."""
    return {
        "id": name, "source_ids": [f"candidate of {name}"], "licence": "MIT", "first": first, "second": second,
        "origins": list(origins), "keys": list(keys), "papers": ["p"], "cosine": 0.9,
        **dict.fromkeys(("precision", "recall", "f1", "least", "weakest"), 0.9),
        **dict.fromkeys(("numbers", "negation", "names", "direction"), 1.0),
        "covered_words": 0.5,
        **dict.fromkeys(("forward", "backward", "entailed")),
        "consistency": consistency, "length_rate": length_rate, "first_words": 9, "second_words": 9,
        "truncated": False, "wholes": list(wholes), "self_bleu": self_bleu,
        "well_formed": well_formed, **known_of_sides(first, second, well_formed),
    }  # fmt: skip


def filtered_pair(name, *, surplus=0.5, **more):
    """Return a row of parasci/filtered."""
    row = scored_pair(name, **more)
    return {
        **row,
        "id": f"filtered {name}",
        "source_ids": [name],
        "origin": row["origins"][0],
        "surplus": surplus,
    }


def paper_sentence(name, text, paper="paper", section=0, role="abstract"):
    """Return a row of sources/sentences."""
    return {**dict.fromkeys(PAPER_SENTENCES.kept.names), "id": name, "source_ids": [paper], "licence": "MIT",
            "paper_id": paper, "section": section, "role": role, "text": text}  # fmt: skip


EMBEDDED, PASSAGES = SENTENCES.kept, EMBEDDED_PASSAGES.kept
