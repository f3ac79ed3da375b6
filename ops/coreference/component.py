"""Coreference as a component of spaCy pipelines: "coreference", by an entry point in pyproject.toml.

Belongs here: the component, its back ends by name, the links and clusters that it adds to a document, and the
back end `fastcoref` (Otmazgin et al., 2022) for users who have it installed. Not here: how our own ranker
finds links (ranker.py), the package fastcoref and its models, which are not part of the project.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import get_args

from spacy.language import Language
from spacy.tokens import Doc, Span

from silverloom.ops.coreference.lexicon import PRONOUNS
from silverloom.ops.coreference.links import Backend, DocumentLinks, Link, LinkKind, TokenSpan, clusters
from silverloom.ops.coreference.ranker import ranker
from silverloom.ops.models.installed import ModelNotInstalledError

#: Its name in pipelines.
COMPONENT = "coreference"
_LINKS = "silverloom.coreference"
#: Prefix of the names in `doc.spans`; a number from 1 follows.
CLUSTERS = "coref_clusters_"
#: The least probabilities of links that form clusters (docs/explanation/coreference.md).
THRESHOLD, NOMINAL_THRESHOLD = 0.7, 0.8


def links_of(document: Doc) -> Sequence[Link]:
    """Return the links that the component found in a document, ordered by the mention's first token.

    They include all links above a low floor, whatever the thresholds, so that other thresholds can be tried
    without parsing again.
    """
    links: Sequence[Link] = document.user_data.get(_LINKS, ())
    return links


@Language.factory(
    COMPONENT,
    default_config={"backend": "ranker", "threshold": THRESHOLD, "nominal_threshold": NOMINAL_THRESHOLD},
)
def coreference(
    nlp: Language, name: str, backend: str, threshold: float, nominal_threshold: float
) -> Callable[[Doc], Doc]:
    """Return the component.

    Raises ValueError for an unknown back end, ModelNotInstalledError for one that is not installed.
    """
    find = _finder(backend)

    def link(document: Doc) -> Doc:
        resolved = find(document)
        document.user_data[_LINKS] = tuple(resolved.links)
        for number, cluster in enumerate(clusters(resolved, threshold, nominal_threshold), start=1):
            document.spans[f"{CLUSTERS}{number}"] = [Span(document, *span) for span in cluster]
        return document

    return link


def _finder(backend: str) -> Callable[[Doc], DocumentLinks]:
    if backend == "ranker":
        return ranker()
    if backend == "fastcoref":
        return fast_coref()
    if backend == "none":
        return lambda document: DocumentLinks(())
    raise ValueError(f"no coreference back end {backend!r}: choose one of {', '.join(get_args(Backend))}")


#: fastcoref has no probability per link; this is the share of correct links that its authors report.
_SCORE = 0.78
_ANTECEDENTS = 4


def fast_coref() -> Callable[[Doc], DocumentLinks]:
    """Return a function that finds a document's links with fastcoref.

    Raises ModelNotInstalledError if the package is not installed.
    """
    if importlib.util.find_spec("fastcoref") is None:
        raise ModelNotInstalledError(
            "coreference back end 'fastcoref' is not installed: run `pip install fastcoref`, and once, "
            "with a network, `python -c 'import fastcoref; fastcoref.FCoref()'`; or choose the back end "
            "'ranker'"
        )

    # Imported by name, because it is not one of the locked packages.
    model = importlib.import_module("fastcoref").FCoref(device="cpu", enable_progress_bar=False)

    def find(document: Doc) -> DocumentLinks:
        if not len(document):
            return DocumentLinks(())
        (prediction,) = model.predict(texts=[document.text])
        clusters: list[list[TokenSpan]] = []
        for cluster in prediction.get_clusters(as_strings=False):
            spans = (document.char_span(start, end, alignment_mode="expand") for start, end in cluster)
            clusters.append(sorted({(span.start, span.end) for span in spans if span is not None}))
        return DocumentLinks(links_of_clusters(document, clusters))

    return find


def links_of_clusters(document: Doc, clusters: Sequence[Sequence[TokenSpan]]) -> list[Link]:
    """Return links from each pronoun and "the ..." in the clusters to earlier mentions with a noun."""
    links: list[Link] = []
    for cluster in clusters:
        named: list[TokenSpan] = []
        for span in cluster:
            kind = _kind(document, span)
            if kind is not None:
                before = [antecedent for antecedent in reversed(named) if antecedent[1] <= span[0]]
                links += [Link(kind, span, antecedent, _SCORE) for antecedent in before[:_ANTECEDENTS]]
            if kind != "pronoun":
                named.append(span)
    return sorted(links, key=lambda link: link.mention[0])


def _kind(document: Doc, span: TokenSpan) -> LinkKind | None:
    first, root = document[span[0]].text.lower(), document[span[0] : span[1]].root
    if first in PRONOUNS and span[1] - span[0] == 1:
        return "pronoun"
    if first in ("the", "this", "that") and root.tag_ in ("NN", "NNS"):
        return "nominal"
    return None
