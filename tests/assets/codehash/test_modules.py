"""What is read of a module."""

from silverloom.assets.codehash.modules import EFFECTS, read_module

SOURCE = b'''"""Says."""
import os.path
import numpy as np
from . import near
from ..far import one as two

NAMES = ["static/*.js", "words.txt", "not a file"]
print(np.e, two)
'''


def test_a_module_has_imports_and_statements_by_the_names_that_they_bind():
    source = read_module(SOURCE, "silverloom.ops.p.q")
    assert source.names == {"NAMES": [0], EFFECTS: [1]}
    assert [statement.files for statement in source.statements] == [["static/*.js", "words.txt"], []]
    assert source.statements[1].mentions == ["np.e", "two"]
    assert source.imports == {
        "os": [(None, "os.path", "os")],
        "np": [(None, "numpy", "np")],
        "near": [("silverloom.ops.p.q", "near", "near")],
        "two": [("silverloom.ops.p.far", "one", "two")],
    }
    assert [found.bound for found in source.unused] == ["os", "near"]
