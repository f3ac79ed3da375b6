"""Which locked packages provide what code imports."""

import pytest

from silverloom.assets.codehash.packages import locked, pins

LOCK = """\
numpy==2.4.6 \\
    --hash=sha256:0
PyYAML==6.0.3 ; python_version > "3"
Pydantic.Core==2.50.4
"""


@pytest.mark.parametrize(
    ("package", "version"),
    [
        ("numpy", ("numpy", "2.4.6")),
        ("yaml", ("PyYAML", "6.0.3")),
        ("pydantic_core", ("Pydantic.Core", "2.50.4")),
    ],
)
def test_an_imported_package_has_the_version_of_the_lock(package, version):
    assert locked(package, pins(LOCK)) == [version]


def test_an_installed_package_that_is_not_locked_is_an_error():
    with pytest.raises(LookupError, match="'duckdb' is imported but not locked"):
        locked("duckdb", pins(LOCK))


def test_an_optional_package_that_is_not_installed_has_no_version():
    assert locked("not_a_package_of_ours", pins(LOCK)) == []
