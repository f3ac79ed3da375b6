"""What people are asked about paraphrase pairs, after Dong et al. (2021).

Belongs here: questions and their scales. Not here: which pairs are asked about (rating_sheets.py).
"""

from __future__ import annotations

from ops.annotation.questionnaire import Question, Questionnaire, Scale

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

#: In the order in which raters answer them.
QUESTIONNAIRES = (PAIRS, PHENOMENA)
