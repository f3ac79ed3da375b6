"""What people are asked about leads: the questions of DUC, and which of two is better.

Belongs here: questions and their scales. Not here: which leads are asked about (rating_sheets.py).

Liu et al. (2018), section 5.3 and appendix A.3. The wording is that of DUC 2007
(duc.nist.gov/duc2007/quality-questions.txt), which the paper names.
"""

from __future__ import annotations

from ops.annotation.questionnaire import Question, Questionnaire, Scale

_QUALITY = Scale(
    values=("1", "2", "3", "4", "5"),
    labels={"1": "very poor", "2": "poor", "3": "barely acceptable", "4": "good", "5": "very good"},
)

_WORDING = {
    "grammaticality": "Grammaticality: The summary should have no datelines, system-internal formatting, "
    "capitalization errors or obviously ungrammatical sentences (e.g., fragments, missing components) that "
    "make the text difficult to read.",
    "non_redundancy": "Non-redundancy: There should be no unnecessary repetition in the summary. Unnecessary "
    "repetition might take the form of whole sentences that are repeated, or repeated facts, or the repeated "
    'use of a noun or noun phrase (e.g., "Bill Clinton") when a pronoun ("he") would suffice.',
    "referential_clarity": "Referential clarity: It should be easy to identify who or what the pronouns and "
    "noun phrases in the summary are referring to. If a person or other entity is mentioned, it should be "
    "clear what their role in the story is. So, a reference would be unclear if an entity is referenced but "
    "its identity or relation to the story remains unclear.",
    "focus": "Focus: The summary should have a focus; sentences should only contain information that is "
    "related to the rest of the summary.",
    "structure": "Structure and Coherence: The summary should be well-structured and well-organized. The "
    "summary should not just be a heap of related information, but should build from sentence to sentence to "
    "a coherent body of information about a topic.",
}

#: Table 5 and Figure 8.
QUALITY = Questionnaire(
    name="wikisum_quality",
    shown=("title", "text"),
    questions=tuple(Question(name=name, text=text, scale=_QUALITY) for name, text in _WORDING.items()),
)
#: Table 6 and Figure 9.
PREFERENCE = Questionnaire(
    name="wikisum_preference",
    shown=("title", "text_a", "text_b", "target"),
    questions=(
        Question(
            name="preferred",
            text="Compare A and B, given the lead of the article (target): which is better?",
            scale=Scale(
                values=("-2", "-1", "0", "1", "2"), labels={"-2": "A much better", "2": "B much better"}
            ),
        ),
    ),
)

#: In the order in which raters answer them.
QUESTIONNAIRES = (QUALITY, PREFERENCE)
