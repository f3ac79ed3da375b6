"""From records of prose to fusion examples, in one call and without a project.

Belongs here: the order of the steps, and the params that they take. Not here: the steps, and the declarations
by which a project runs them (assets/systems/discofuse).
"""

from __future__ import annotations

from silverloom.ops.core.parts import Parts
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.dataset.candidates import candidates_of_documents
from silverloom.ops.discofuse.dataset.evidence import EvidenceParams
from silverloom.ops.discofuse.dataset.examples import ExampleParams, examples
from silverloom.ops.discofuse.rules import RuleParams
from silverloom.ops.discofuse.schemas import ANNOTATED, CANDIDATES, EXAMPLES, PROSE
from silverloom.ops.discofuse.sources import parse_prose
from silverloom.ops.parse.scan import Records

#: The params of the steps.
PARAMS = (AnnotationParams, RuleParams, EvidenceParams, ExampleParams)


def examples_of_records(steps: Steps, prose: Records, params: Sections, strict: bool) -> Parts:
    """Return the rows of discofuse/examples that a project without filters makes of these records."""
    annotation = params[AnnotationParams]
    documents = steps.made("sources/prose", PROSE, prose.map(parse_prose))
    annotated = steps.made("discofuse/annotated", ANNOTATED, documents.map(annotate, annotation))
    found = candidates_of_documents(annotated, annotation, params[RuleParams], params[EvidenceParams], strict)
    of_rules = steps.made("discofuse/candidates", CANDIDATES, found)
    return steps.made("discofuse/examples", EXAMPLES, examples(of_rules, params[ExampleParams]))
