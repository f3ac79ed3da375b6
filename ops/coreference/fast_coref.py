"""The back end `fastcoref` (Otmazgin et al., 2022), for those who have it installed.

Belongs here: its clusters as links. Not here: the package and its models, which are no part of the project.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ops.coreference.lexicon import PRONOUNS
from ops.coreference.links import Found, Kind, Link, Span
from ops.models.installed import ModelNotInstalledError

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: It gives no probability a link; this is the share of its links that its authors found right.
_SCORE = 0.78
_ANTECEDENTS = 4


def fast_coref() -> Callable[[Doc], Found]:
    """Return a function that gives the links of a document by fastcoref.

    Raises ModelNotInstalledError if the package is not installed.
    """
    if importlib.util.find_spec("fastcoref") is None:
        raise ModelNotInstalledError(
            "coreference back end 'fastcoref' is not installed: run `pip install fastcoref`, and once, "
            "with a network, `python -c 'import fastcoref; fastcoref.FCoref()'`; or choose the back end "
            "'ranker'"
        )

    # By name: it is no part of the locked packages.
    model = importlib.import_module("fastcoref").FCoref(device="cpu", enable_progress_bar=False)

    def find(document: Doc) -> Found:
        if not len(document):
            return Found(())
        (prediction,) = model.predict(texts=[document.text])
        clusters: list[list[Span]] = []
        for cluster in prediction.get_clusters(as_strings=False):
            spans = (document.char_span(start, end, alignment_mode="expand") for start, end in cluster)
            clusters.append(sorted({(span.start, span.end) for span in spans if span is not None}))
        return Found(links_of_clusters(document, clusters))

    return find


def links_of_clusters(document: Doc, clusters: Sequence[Sequence[Span]]) -> list[Link]:
    """Return each pronoun and "the ..." of the clusters with the mentions before it that have a noun."""
    found: list[Link] = []
    for cluster in clusters:
        named: list[Span] = []
        for span in cluster:
            kind = _kind(document, span)
            if kind is not None:
                before = [antecedent for antecedent in reversed(named) if antecedent[1] <= span[0]]
                found += [Link(kind, span, antecedent, _SCORE) for antecedent in before[:_ANTECEDENTS]]
            if kind != "pronoun":
                named.append(span)
    return sorted(found, key=lambda link: link.mention[0])


def _kind(document: Doc, span: Span) -> Kind | None:
    first, root = document[span[0]].text.lower(), document[span[0] : span[1]].root
    if first in PRONOUNS and span[1] - span[0] == 1:
        return "pronoun"
    if first in ("the", "this", "that") and root.tag_ in ("NN", "NNS"):
        return "nominal"
    return None
