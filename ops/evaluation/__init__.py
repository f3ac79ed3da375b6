"""Evaluations of all systems: by scores, and by people.

Belongs here: what they share, in one form. Not here: metrics (ops/metrics), a system's scores, questions and
tables (its evaluation folder), pages.

    table.py             scores of systems with intervals, paired tests, the typed table
    questionnaire.py     questions with their scales
    raters.py            who rates which row, whose answers count
    sheets.py            what raters get: CSV sheets, tasks for Label Studio
    answers.py           filled sheets: what they say, what of it is sound
    agreement.py         majority votes, means, Cohen's kappa
    human_evaluation.py  what people say of the rows that were sent to them, as a dataset with its tables
"""
