"""Rating tasks for Label Studio.

Belongs here: its labelling configuration (XML) and its tasks (JSON). Not here: its export (answers.py).

Label Studio imports a list of `{"data": {...}}`, whose values the configuration shows as `$name`. A choice
is exported under its `alias`, where it has one (labelstud.io/tags/choice).
"""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pyarrow as pa

from ops.annotation.questionnaire import Questionnaire
from ops.annotation.sheets import ordered, shown_text


def config(questionnaire: Questionnaire) -> str:
    """Return the labelling configuration: the shown columns, then one required choice a question."""
    view = ElementTree.Element("View")
    for name in questionnaire.shown:
        ElementTree.SubElement(view, "Header", value=name)
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    for question in questionnaire.questions:
        ElementTree.SubElement(view, "Header", value=question.text)
        about = {"name": question.name, "toName": questionnaire.shown[-1]}
        choices = ElementTree.SubElement(view, "Choices", about, choice="single-radio", required="true")
        for value in question.scale.values:
            ElementTree.SubElement(choices, "Choice", value=question.scale.shown(value), alias=value)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def tasks(rows: pa.Table, questionnaire: Questionnaire, rater: str, seed: int) -> bytes:
    """Return the tasks of one rater as JSON, in the order of the rater's CSV sheet.

    Raises KeyError for a column that is not there.
    """
    found = []
    for row in ordered(rows.select(["id", *questionnaire.shown]), rater, seed).to_pylist():
        shown = {name: shown_text(row[name]) for name in questionnaire.shown}
        keys = {"questionnaire": questionnaire.name, "rater": rater, "row_id": row["id"]}
        found.append({"data": {**keys, **shown}})
    return (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode()
