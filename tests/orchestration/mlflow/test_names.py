"""Names that MLflow refuses, or cannot tell apart, become others."""

from hypothesis import given
from hypothesis import strategies as st
from mlflow.utils.validation import validate_param_and_metric_name

from orchestration.mlflow.tracking import accepted


def test_names_that_become_the_same_are_numbered():
    names = ["drop: no 'x'", 'drop: no "x"', "drop: no _x_", "y" * 300, "y" * 301]
    assert list(accepted(dict.fromkeys(names))) == [
        "drop: no _x_",
        "drop: no _x_ 2",
        "drop: no _x_ 3",
        "y" * 250,
        "y" * 248 + " 2",
    ]


@given(st.lists(st.text("ab/. \"'é:-_\n", min_size=1, max_size=12), unique=True))
def test_mlflow_takes_every_name_and_none_is_lost(names):
    found = accepted({name: name for name in names})
    assert list(found.values()) == names
    assert all(map(validate_param_and_metric_name, found))
