"""Human evaluation of any dataset: questions, samples, rating sheets, answers, agreement.

Belongs here: what all systems share when people rate rows. Not here: which rows a system has rated (its
evaluation), bootstrap intervals (ops/metrics).

    rows = sample(table, size, strata, seed)                        sampling.py
    csv_sheet(rows, questionnaire, rater, seed)                     sheets.py
    tasks(rows, questionnaire, rater, seed), config(questionnaire)  label_studio.py
    sent_files(rows, questionnaires, raters, seed, ...)             sending.py
    parse_answers(records)             filled sheets, as records    answers.py
    validate(answers, rows, questionnaire)                          ratings.py
    collected(answers, rows, questionnaires)                        collected.py
    human_evaluation(shape, ratings, sent, questionnaires, ...)     judged.py
    majority, means, against_the_others, pairwise                   agreement.py
"""
