"""Tiny span examples."""

from silverloom.ops.parasci.spans.spans import SpanExample

TEXTS = [
    ("Rationales are never given.", "In other words, rationales are never provided; all else is learnt.", "rationales are never provided"),
    ("We use pos tags.", "The tagger is fast and we used pos tags from it", "we used pos tags"),
    ("Trees are parsed.", "The sense of a word is found by us today.", None),
    ("It is fast.", "This system runs quickly. Nobody knows why", "This system runs quickly"),
]  # fmt: skip


def examples():
    """Return examples whose spans are given by their words."""
    return [
        SpanExample(f"e{number}", wanted, text, part and (text.index(part), text.index(part) + len(part)))
        for number, (wanted, text, part) in enumerate(TEXTS)
    ]
