"""The id, the sources and the licence of a row that is made from others."""

import pytest

from silverloom.ops.core.identity import joint_licence, made_from, row_id


@pytest.mark.parametrize(
    ("licences", "joint"),
    [
        (["MIT", "Apache-2.0", "MIT"], "Apache-2.0 AND MIT"),
        (["Apache-2.0 AND MIT", "MIT"], "Apache-2.0 AND MIT"),
        (["MIT AND Zlib", "Apache-2.0 AND MIT"], "Apache-2.0 AND MIT AND Zlib"),
        (["(MIT OR Zlib) AND Apache-2.0", "MIT"], "(MIT OR Zlib) AND Apache-2.0 AND MIT"),
        (["(MIT AND Zlib)", "MIT"], "(MIT AND Zlib) AND MIT"),
    ],
)
def test_a_joint_licence_names_each_of_its_licences_once(licences, joint):
    assert joint_licence(licences) == joint


def test_a_row_made_from_another_names_it_and_has_its_licence():
    row = {"id": "page-1", "licence": "MIT", "text": "a"}
    assert made_from(row, "score") == {
        "id": row_id("score", "page-1"),
        "source_ids": ["page-1"],
        "licence": "MIT",
    }
    assert made_from(row, "score", "page-1", "b")["id"] == row_id("score", "page-1", "b")
