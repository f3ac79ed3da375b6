"""Coreference as a component of a spaCy pipeline.

Belongs here: the component, and the links that it leaves in a document. Not here: how links are found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ops.coreference.links import Link

_LINKS = "silverloom.coreference"


def links_of(document: Doc) -> Sequence[Link]:
    """Return the links of a document that the component has read, by the mention's first token."""
    found: Sequence[Link] = document.user_data.get(_LINKS, ())
    return found


@Language.factory("coreference")
def coreference(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Return the component."""

    def link(document: Doc) -> Doc:
        document.user_data[_LINKS] = ()
        return document

    return link
