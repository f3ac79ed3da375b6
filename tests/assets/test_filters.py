"""The section `filters` of params.yaml."""

import pytest

from assets.declare.settings import ParamsError
from assets.filters import filter_documents
from ops.filters.params import ProseBoundParams, ProseScoreParams
from ops.parse.schemas import WEB_PAGES


@pytest.mark.parametrize("section", [["prose"], "prose", 3])
def test_a_section_that_names_no_sources_is_refused(monkeypatch, section):
    monkeypatch.setattr("assets.filters.document", lambda: {"filters": section})
    with pytest.raises(ParamsError, match="filters: names of sources are expected, found"):
        filter_documents("prose", WEB_PAGES, "document", ProseScoreParams, ProseBoundParams)
