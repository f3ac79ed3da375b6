"""The subject area of a paper, from the subjects that its source tells.

Belongs here: the areas, and which subject belongs to which. Not here: how each format stores subjects
(ops/parse/papers), areas that params.yaml sets (sentences.py).

Dong et al. (2021), 4.1.2: definitions are of one term "in the same subject or area (provided by meta-data of
source materials)". Their sources are the ACL Anthology, which is computer science, and arXiv, "mathematics,
physics, astronomy, etc." (3.1). The paper has no list of areas. [ours] The areas are arXiv's groups (with
astronomy separate from physics, as in the paper) and the fields of study of S2ORC, merged by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_PHYSICS = """
    acc-phys adap-org ao-sci atom-ph chao-dyn chem-ph comp-gas cond-mat gr-qc hep-ex hep-lat hep-ph hep-th
    math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph quant-ph solv-int supr-con
"""
_MATHEMATICS = "alg-geom dg-ga funct-an math q-alg"

#: Areas whose name is itself a subject: S2ORC's fields of study, and disciplines of arXiv.
_NAMED = (
    "agricultural and food sciences", "art", "astronomy", "biology", "business", "chemistry",
    "computer science", "economics", "education", "engineering", "environmental science", "geography",
    "geology", "history", "law", "linguistics", "materials science", "mathematics", "medicine", "philosophy",
    "physics", "political science", "psychology", "sociology", "statistics",
)  # fmt: skip

#: Areas by the archive of an arXiv category (its first part), and by other sources' names; lower case.
AREAS: Mapping[str, str] = {
    **dict.fromkeys(_PHYSICS.split(), "physics"),
    **dict.fromkeys(_MATHEMATICS.split(), "mathematics"),
    **{area: area for area in _NAMED},
    "astro-ph": "astronomy",
    "bayes-an": "statistics",
    "stat": "statistics",
    "cs": "computer science",
    "cmp-lg": "computer science",
    "econ": "economics",
    "q-fin": "economics",
    "quantitative finance": "economics",
    "eess": "engineering",
    "electrical engineering and systems science": "engineering",
    "engineering and technology": "engineering",
    "q-bio": "biology",
    "quantitative biology": "biology",
    "biology and life sciences": "biology",
    "medicine and health sciences": "medicine",
    "astronomy and astrophysics": "astronomy",
    "computer and information sciences": "computer science",
    "acl anthology": "computer science",
    "computational linguistics": "computer science",
    "natural language processing": "computer science",
}


def area_of(subjects: Iterable[str], given: Mapping[str, str] = {}) -> str | None:
    """Return the area of the first subject that has one, or None.

    `given` maps subjects to areas and takes precedence over `AREAS`. Case is ignored. If a whole subject is
    unknown, its part before the first dot is tried: "cs.CL" belongs to the archive "cs".
    """
    known = {**AREAS, **{subject.lower(): area for subject, area in given.items()}}
    for subject in subjects:
        whole = subject.lower()
        for word in (whole, whole.partition(".")[0]):
            if word in known:
                return known[word]
    return None
