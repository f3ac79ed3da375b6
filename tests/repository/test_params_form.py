"""`dvc exp run -S` writes params.yaml anew, so it is committed in the form that DVC gives it: a change is a line."""

import io

from ruamel.yaml import YAML  # the loader and dumper that DVC uses

from silverloom.assets.declare.project import checkout


def bare(value):
    if isinstance(value, dict):
        return {name: bare(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [*map(bare, value)]
    return str(value) if isinstance(value, str) else value


def replace(content, values):
    """Replace all values by equal ones, as DVC does: mappings keep their comments and form, lists do not."""
    for name, value in values.items():
        if isinstance(value, dict):
            replace(content[name], value)
        else:
            content[name] = value


def test_dvc_leaves_every_line_of_params_yaml_as_it_is():
    yaml = YAML()
    yaml.default_flow_style = False
    text = (checkout() / "params.yaml").read_text()
    content = yaml.load(text)
    replace(content, bare(content))
    written = io.StringIO()
    yaml.dump(content, written)
    assert written.getvalue() == text
