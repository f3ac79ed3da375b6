"""The subject area of papers; definitions in different areas are never paired."""

import pytest

from silverloom.ops.parasci.areas import AREAS, area_of


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
def test_the_first_known_subject_determines_the_area(subjects, area):
    assert area_of(subjects) == area


def test_subjects_given_in_params_take_precedence_over_built_in_ones():
    given = {"cs.CL": "linguistics", "Oncotarget": "medicine", "cs": "informatics"}
    assert area_of(["CS.cl"], given) == "linguistics"
    assert area_of(["Review", "oncotarget"], given) == "medicine"
    assert area_of(["cs.LG"], given) == "informatics"


def test_every_area_is_its_own_subject():
    assert {area for area in AREAS.values() if area_of([area]) != area} == set()
