"""Odd documents from text to examples, with the real parser and rules: everything is used or dropped with a reason."""

import pyarrow as pa
import pytest

from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates
from silverloom.ops.discofuse.dataset.examples import ExampleParams
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import PROSE
from silverloom.ops.text.holes import HOLE, closed
from tests.ops.discofuse.example_cases import made_of

PARAMS = AnnotationParams()
REASONS = {"holes", "no_phenomenon", "short", "long", "non_ascii", "repeated", "unsure_coreference"}


def fates(*texts, **params):
    rows = [
        {
            **dict.fromkeys(PROSE.kept.names, "x"),
            "id": f"prose-{n}",
            "source_ids": ["file"],
            **dict(zip(("text", "holes"), closed(text), strict=True)),
        }
        for n, text in enumerate(texts)
    ]
    parsed = annotate(pa.Table.from_pylist(rows, schema=PROSE.kept), PARAMS)
    assert parsed.kept.num_rows == len(texts)
    outcome = candidates(parsed.kept, PARAMS, RuleParams())
    used = {name for names in outcome.kept["source_ids"].to_pylist() for name in names}
    lost = set(outcome.dropped["id"].to_pylist())
    assert used | lost == set(outcome.units.to_pylist()) and not used & lost
    made = made_of(outcome.kept, ExampleParams(control=1, **params))
    assert made.kept.num_rows + made.dropped.num_rows == outcome.kept.num_rows
    reasons = {*outcome.dropped["reason"].to_pylist(), *made.dropped["reason"].to_pylist()}
    assert reasons <= REASONS
    return made.kept.to_pylist(), reasons


def test_a_sentence_of_a_thousand_tokens_passes_unless_params_say_it_is_long():
    long = "The man " + "who saw the dog " * 250 + "left ."
    after = "He came back to the house on the hill later ."
    kept, _ = fates(f"{long} {after}")
    assert any(row["first_tokens"] > 1000 for row in kept)
    kept, reasons = fates(f"{long} {after}", long_tokens=200)
    assert "long" in reasons and all(row["first_tokens"] <= 200 for row in kept)


@pytest.mark.parametrize(
    "text",
    ["?!.,;:" * 100, "... !!! ???", "🏆🎉 ☕ 🏆🎉 ☕ 🏆", "7", "Rain. Snow. Ice.", "A title without a verb"],
)
def test_text_without_statements_gives_no_example(text):
    kept, reasons = fates(text)
    assert not kept and reasons


def test_only_candidates_with_the_sentence_of_a_hole_are_no_examples():
    text = (
        "The council planned a new bridge in the year of #. However, it was built after the long war. "
        "The workers painted the bridge in red, and the mayor opened it."
    )
    kept, reasons = fates(text.replace("#", HOLE))
    lenient, _ = fates(text.replace("#", HOLE), holes=1)
    assert "holes" in reasons
    assert {row["sentence"] for row in lenient if row["holes"]} == {0}
    assert {row["id"] for row in kept} == {row["id"] for row in lenient if not row["holes"]}


def test_headings_without_verbs_and_emoji_do_not_prevent_the_use_of_the_rest():
    first = "The council planned a new bridge over the river in 1961."
    second = "However, the people of the island voted against it in the spring."
    kept, reasons = fates(f"Early plans\n\n{first} {second}\n\n🎉🎉🎉", "", first)
    assert any(row["coherent_first_sentence"].startswith("The council") for row in kept)
    assert "no_phenomenon" in reasons


def test_a_sentence_at_the_border_of_two_pieces_of_a_long_document_is_not_lost():
    story = " ".join(
        f"The boat number {n} left the harbour, but it came back before the night." for n in range(200)
    )
    kept, _ = fates(story)
    assert len({row["sentence"] for row in kept}) >= 190
