"""Which subject area papers are of, and that no definitions of two areas meet."""

import pytest

from ops.parasci.sentences import AREAS, area_of


@pytest.mark.parametrize(
    ("subjects", "area"),
    [
        (["cs.CL", "physics.comp-ph"], "computer science"),
        (["astro-ph.CO"], "astronomy"),
        (["astro-ph"], "astronomy"),
        (["hep-th", "math.QA"], "physics"),
        (["math.PR"], "mathematics"),
        (["Review", "Physics"], "physics"),
        (["Computer Science"], "computer science"),
        (["ACL Anthology"], "computer science"),
        (["Electrical Engineering and Systems Science"], "engineering"),
        (["Review", "Oncotarget"], None),
        ([], None),
    ],
)
def test_the_first_subject_that_is_known_tells_the_area(subjects, area):
    assert area_of(subjects) == area


def test_given_subjects_go_before_those_known():
    given = {"cs.CL": "linguistics", "Oncotarget": "medicine", "cs": "informatics"}
    assert area_of(["CS.cl"], given) == "linguistics"
    assert area_of(["Review", "oncotarget"], given) == "medicine"
    assert area_of(["cs.LG"], given) == "informatics"


def test_every_area_is_a_subject_of_itself():
    assert {area for area in AREAS.values() if area_of([area]) != area} == set()
