"""Talks, papers and sentences as rows."""

from __future__ import annotations


def talk(title, id="talk-1", licence="CC-BY-4.0", names=()):
    return {
        "id": id,
        "source_ids": [f"acl/{id}.txt"],
        "licence": licence,
        "document": id,
        "title": title,
        "date": "2018-07-16",
        "month": "2018-07",
        "url": None,
        "paper_names": names,
        "words": [{"text": "Hello", "offset": 0, "start": 0.5, "end": 1.0}],
    }


def paper(id, title, licence="CC-BY-4.0", month="2018-01"):
    empty = {"text": "", "sections": [], "sentences": [], "document": id}
    return {
        "id": id,
        "source_ids": [id],
        "licence": licence,
        "title": title,
        "month": month,
        **empty,
    }


def sentence(paper_id, position, text="It works."):
    return {
        "id": f"sentence-{paper_id}-{position}",
        "source_ids": [paper_id],
        "licence": "CC-BY-4.0",
        "paper_id": paper_id,
        "position": position,
        "section": 0,
        "section_title": "1 Introduction",
        "role": "introduction",
        "start": 0,
        "end": 9,
        "locator": None,
        "text": text,
        "holes": 0,
        "cut": None,
    }


#: Evidence of a good alignment, as in talksumm/alignments.
EVIDENCE = {
    "states": 40, "steps": 400, "stay": 0.4, "coverage": 0.5, "last_three": 0.0, "posterior": 0.3, "explained": 0.7
}  # fmt: skip
