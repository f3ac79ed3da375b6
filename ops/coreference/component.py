"""Coreference as a component of a spaCy pipeline.

Belongs here: the component, its back ends by name, links and clusters that it leaves in a document. Not here:
how links are found (ranker.py, fast_coref.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

from spacy.language import Language
from spacy.tokens import Doc, Span

from ops.coreference.links import Backend, FoundLinks, Link, clusters

_LINKS = "silverloom.coreference"
#: Beginning of the names in `doc.spans`, which go on with a number from 1.
CLUSTERS = "coref_clusters_"
#: Probabilities from which links make clusters (docs/coreference.md).
THRESHOLD, NOMINAL_THRESHOLD = 0.7, 0.8


def links_of(document: Doc) -> Sequence[Link]:
    """Return the links of a document that the component has read, by the mention's first token.

    All above a low floor are there, whatever the thresholds, so that others can be tried without parsing.
    """
    found: Sequence[Link] = document.user_data.get(_LINKS, ())
    return found


@Language.factory(
    "coreference",
    default_config={
        "backend": "ranker",
        "threshold": THRESHOLD,
        "nominal_threshold": NOMINAL_THRESHOLD,
    },
)
def coreference(
    nlp: Language, name: str, backend: str, threshold: float, nominal_threshold: float
) -> Callable[[Doc], Doc]:
    """Return the component.

    Raises ValueError for a back end that there is not, ModelNotInstalledError for one that is not installed.
    """
    find = _finder(backend)

    def link(document: Doc) -> Doc:
        found = find(document)
        document.user_data[_LINKS] = tuple(found.links)
        for number, cluster in enumerate(clusters(found, threshold, nominal_threshold), start=1):
            document.spans[f"{CLUSTERS}{number}"] = [Span(document, *span) for span in cluster]
        return document

    return link


def _finder(backend: str) -> Callable[[Doc], FoundLinks]:
    if backend == "ranker":
        from ops.coreference.ranker import ranker

        return ranker()
    if backend == "fastcoref":
        from ops.coreference.fast_coref import fast_coref

        return fast_coref()
    if backend == "none":
        return lambda document: FoundLinks(())
    raise ValueError(f"no coreference back end {backend!r}: choose one of {', '.join(get_args(Backend))}")
