"""Evaluations of all systems: by scores, and by people.

Belongs here: the parts of an evaluation that all systems share. Not here: metrics (ops/metrics), a system's
scores, questions and tables (its evaluation folder), pages.

    table.py             scores of systems with intervals, paired tests, the typed table
    questionnaire.py     questions with their scales
    raters.py            who rates which row, whose answers count
    sheets.py            files for raters: CSV sheets, tasks for Label Studio
    answers.py           reading and validating filled sheets
    agreement.py         majority votes, means, Cohen's kappa
    human_evaluation.py  the answers of people about the rows they rated, as a dataset with its tables
"""
