"""The questions to people about paraphrase pairs, after Dong et al. (2021).

Belongs here: questions and scales with the paper's examples, the columns of the rated rows, params. Not here:
which pairs are drawn, and the tables (human_evaluation.py).
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import Shape, columns, optional
from silverloom.ops.evaluation.human_evaluation import People, judged_shape
from silverloom.ops.evaluation.questionnaire import Question, Questionnaire, Scale
from silverloom.ops.evaluation.raters import RaterParams
from silverloom.ops.evaluation.table import Bootstrap
from silverloom.ops.parasci.schemas import PARAPHRASES

_TEXT, _REAL = pa.string(), pa.float64()

#: Section 5, "Consistency Evaluation Criterion".
CONSISTENCY = Scale(
    values=("1", "2", "3", "4", "5"),
    labels={
        "1": "totally different",
        "2": "not equivalent, even if they share minor details",
        "3": "roughly equivalent, with some important information missing or slightly different",
        "4": "mostly equivalent, but some unimportant details differ",
        "5": "exactly the same meaning with all the same details",
    },
)
#: Appendix A: a pair for each value of consistency.
EXAMPLES = (
    (
        "1",
        "Task-oriented dialog systems help users to achieve specific goals with natural language.",
        "We use a set of 318 English function words from the scikit-learn package.",
    ),
    (
        "2",
        "End-to-end task-oriented dialog systems usually suffer from the challenge of incorporating "
        "knowledge bases.",
        "Task-oriented dialog systems help users to achieve specific goals with natural language.",
    ),
    (
        "3",
        "Opinion mining has recently received considerable attentions.",
        "Analysis has received much attention in recent years.",
    ),
    (
        "4",
        "We evaluated all agents on 57 Atari 2600 games from the arcade learning environment.",
        "We evaluated EMDQN on the benchmark suite of 57 Atari 2600 games from the arcade learning "
        "environment.",
    ),
    (
        "5",
        "Here we will concentrate only on those aspects that are directly relevant to the odderon.",
        "We will put some emphasis on those aspects that are immediately relevant to the odderon.",
    ),
)
#: Section 5, "Variation Evaluation Criterion".
VARIATION = Scale(
    values=("1", "2", "3", "4", "5"),
    labels={"1": "no change", "2": "one", "3": "two or three", "4": "four or five", "5": "more than five"},
)
#: Occurrences in a pair; none of the paper's means is above 1.04.
OCCURRENCES = Scale(values=tuple(map(str, range(11))), labels={"10": "ten or more"})

_SHOWN = ("sentence_1", "sentence_2")

#: Section 5 and Table 4.
PAIRS = Questionnaire(
    name="parasci_pairs",
    shown=_SHOWN,
    questions=(
        Question(name="consistency", text="How far do the two sentences mean the same?", scale=CONSISTENCY),
        Question(name="lexical", text="How many variations of single words are there?", scale=VARIATION),
        Question(name="phrasal", text="How many variations of phrases are there?", scale=VARIATION),
        Question(
            name="sentential",
            text="How many variations of the sentence as a whole are there?",
            scale=VARIATION,
        ),
    ),
)
#: Section 6 and Table 5, with the categories of Boonthum (2004).
PHENOMENA = Questionnaire(
    name="parasci_phenomena",
    shown=_SHOWN,
    questions=tuple(
        Question(name=name, text=f"How often is there {what}?", scale=OCCURRENCES)
        for name, what in (
            ("synonym", "a word in the place of its synonym"),
            ("voice", "a change from active to passive or back"),
            ("word_form", "a word in a different form"),
            ("break", "a long sentence broken down into small ones"),
            ("definition", "a word in the place of its definition or meaning"),
            ("structure", "another sentence structure that expresses the same thing"),
        )
    ),
)

_PARAPHRASE_ID = ("paraphrase_id", _TEXT, "row of parasci/paraphrases or sources/paraphrase_pairs")
_CORPUS = optional(
    "corpus", _TEXT, "the source of both sentences, as params.yaml names it; missing if they have two"
)

#: The origin of a pair of another corpus.
EXTERNAL = "external"

RATING_SHEETS = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("questionnaire", _TEXT, "parasci_pairs or parasci_phenomena"),
        _PARAPHRASE_ID,
        ("origin", _TEXT, f"of the pair, or {EXTERNAL}: what it was drawn from; raters do not see it"),
        _CORPUS,
        ("sentence_1", _TEXT, "one sentence of the pair; the seed decides which"),
        ("sentence_2", _TEXT, "the other one"),
    ),
)
HUMAN_EVALUATION = judged_shape(
    "parasci/rating_sheets",
    "consistency or a variation; a phenomenon",
    [
        _PARAPHRASE_ID,
        ("origin", _TEXT, f"of the pair, or {EXTERNAL}"),
        _CORPUS,
        ("sentence_1", _TEXT, "as raters saw it"),
        ("sentence_2", _TEXT, "as raters saw it"),
    ],
    [
        ("mean", _REAL, "of all answers"),
        optional("consistency", _REAL, "the same, of answers to this question; null of others"),
    ],
)

_EXAMPLES = "\n".join(f"| {value} | {first} | {second} |" for value, first, second in EXAMPLES)

PEOPLE = People(
    questionnaires=(PAIRS, PHENOMENA),
    sheets=RATING_SHEETS,
    judged=HUMAN_EVALUATION,
    about=f"""\
# Rate pairs of scientific sentences

Each row has two sentences. How far they mean the same and how much their wording differs is asked in one
sheet, what kinds of change there are in the other. A pair of each value of consistency, by the authors of the
scale (Dong et al. 2021):

| consistency | sentence 1 | sentence 2 |
|---|---|---|
{_EXAMPLES}

The questions:""",
    leave_empty="such as a sentence that cannot be understood.",
)


class RatingSheetParams(RaterParams, section="parasci.rating_sheets"):
    """How many pairs are rated, and who rates them."""

    pairs: int = Field(100, ge=0, description="of each origin, for consistency and variation (Table 4)")
    phenomena: int = Field(100, ge=0, description="of each origin, for phenomena (Table 5)")
    corpora: tuple[str, ...] = Field(
        (),
        description="of sources.paraphrase_pairs, of which as many pairs are rated among ours; "
        "all sentences are then shown in the released form",
    )


class HumanEvaluationParams(Bootstrap, section="parasci.human_evaluation"):
    """The bootstrap over pairs for the 95 % intervals."""
