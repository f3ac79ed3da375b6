"""The licence of a row that is made from several others."""

import pytest

from ops.core.identity import joint_licence


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
