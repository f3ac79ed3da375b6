"""Which locked packages provide what code imports."""

import pytest

from silverloom.assets.codehash.packages import installed, locked, pins

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


def test_without_lock_files_a_package_of_an_extra_counts_the_same_whether_it_is_installed(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    before = locked("scrapy", installed())
    monkeypatch.undo()
    assert before == locked("scrapy", installed()) == []
    assert [name for name, _ in locked("numpy", installed())] == ["numpy"], "an extra does not require it"
    assert locked("scrapy", pins("scrapy==2.19")) == [("scrapy", "2.19")]
