"""The collections in docs/how-to/collections.md have options that they accept. Crawls of each: test_collections.py."""

import re

import yaml

from silverloom.ops.crawl.crawl import FORMATS
from silverloom.ops.crawl.options import URLS
from silverloom.ops.parse.source import Source, options_fault
from tests.projects import ROOT

(BLOCK,) = re.findall(
    r"```yaml\n# collections\n(.*?)```", (ROOT / "docs/how-to/collections.md").read_text(), re.DOTALL
)
SHOWN = {source["kind"]: source for source in yaml.safe_load(BLOCK)["sources"]["crawls"].values()}


def test_every_collection_is_documented_with_options_that_it_accepts():
    assert SHOWN.keys() == FORMATS.keys() - {URLS}
    for kind, shown in SHOWN.items():
        source = Source.model_validate(shown)
        assert options_fault(FORMATS[kind], source, kind) is None
