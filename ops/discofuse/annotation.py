"""A parsed document as the rules read it, and how it is stored.

Belongs here: plain lists with one entry per token, converting spaCy documents to these lists and the lists to
Arrow and back, the name of the pipeline that parsed a document, and punctuation tokens. Not here: parsing
(pipeline.py, annotated.py), the rules that read the lists (ops/discofuse/rules).

Plain lists of strings are stored, because Parquet dictionary-encodes tags, labels and words itself. A head is
stored as its distance, a lemma only if it differs from the word. benchmarks/annotation.py measures the bytes
per token, also for lists without these two savings and for DocBin.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.coreference import network
from silverloom.ops.coreference.links import Backend, Link, TokenSpan
from silverloom.ops.models.installed import existing, installed_digest, is_file, package_folder
from silverloom.ops.models.spacy_pipeline import SPACY_PIPELINE

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(frozen=True, slots=True)
class Annotation:
    """A document of T tokens in S sentences."""

    words: Sequence[str]
    """T tokens as in the text."""
    spaces: Sequence[bool]
    """T: whether a blank follows."""
    tags: Sequence[str]
    """T Penn Treebank tags."""
    dependencies: Sequence[str]
    """T labels of the edge from the head (ClearNLP's, in lower case; a root has "ROOT")."""
    heads: Sequence[int]
    """T indices of the head; a root is its own head."""
    lemmas: Sequence[str]
    """T lemmas; the word itself where the pipeline gives none, as for all but verbs."""
    entities: Sequence[str]
    """T types of the entity that contains the token; empty outside of entities."""
    sentences: Sequence[TokenSpan]
    """S spans in order; every token is in one."""
    links: Sequence[Link]
    """Ordered by the mention's first token."""

    def sentence_texts(self) -> list[str]:
        """Return the sentences as in the document, without surrounding white space."""
        written = [word + " " * space for word, space in zip(self.words, self.spaces, strict=True)]
        return ["".join(written[start:end]).strip() for start, end in self.sentences]

    @classmethod
    def of(cls, document: Doc) -> Annotation:
        """Return the annotation of a document parsed by `silverloom.ops.discofuse.dataset.pipeline`."""
        # One array of all attributes: reading the attributes token by token takes ten times as long.
        import numpy as np
        from spacy.attrs import DEP, ENT_TYPE, HEAD, LEMMA, ORTH, SPACY, TAG

        from silverloom.ops.coreference.component import links_of

        table = document.to_array([ORTH, SPACY, TAG, DEP, HEAD, LEMMA, ENT_TYPE])
        words, spaces, tags, dependencies, heads, lemmas, entities = table.T
        strings = document.vocab.strings
        names: dict[int, str] = {key: strings[key] for key in np.unique(table[:, [0, 2, 3, 5, 6]]).tolist()}

        def named(column: Any) -> list[str]:
            return [names[key] for key in column.tolist()]

        return cls(
            words=named(words),
            spaces=spaces.astype(bool).tolist(),
            tags=named(tags),
            dependencies=named(dependencies),
            heads=(np.arange(len(document)) + heads.astype(np.int64)).tolist(),
            lemmas=[
                names[lemma or word] for lemma, word in zip(lemmas.tolist(), words.tolist(), strict=True)
            ],
            entities=named(entities),
            sentences=[(sentence.start, sentence.end) for sentence in document.sents],
            links=tuple(links_of(document)),
        )


#: Opening marks with their closing ones, if the two differ; ASCII quotes are counted elsewhere.
PAIRS = (("(", ")"), ("[", "]"), ("-LRB-", "-RRB-"), ("-LSB-", "-RSB-"), ("“", "”"))
OPENING = frozenset({"``", "“", "‘", "(", "[", "-LRB-", "-LSB-", '"'})
#: Without "'", which is also an apostrophe or an opening quote.
CLOSING = frozenset({"''", "”", "’", ")", "]", "-RRB-", "-RSB-", '"'})
QUOTES = frozenset({'"', "``", "''", "“", "”"})
#: Marks between parts of a sentence.
DIVIDING = frozenset({",", ";", ":", "-", "--", "–", "—"})

#: Digits of a digest that are enough to identify it.
_DIGITS = 16


class AnnotationParams(Params, section="discofuse.annotated"):
    """The models that parse, and batch sizes. The last three params change only speed and memory."""

    pipeline: ModelName = Field(SPACY_PIPELINE, description="a spaCy pipeline of the registry")
    coreference: Backend = Field("ranker", description="the back end of coreference (ops/coreference)")
    batch_size: int = Field(32, ge=1, description="pieces that the pipeline takes at once")
    batch_tokens: int = Field(
        10_000,
        ge=1,
        description="tokens that the pipeline takes at once, unless one piece has more: about 17 KB each",
    )
    piece_characters: int = Field(
        10_000,
        ge=1_000,
        description="a longer document is parsed in pieces of so many characters at most, cut at the ends of "
        "paragraphs; coreference does not reach over a cut",
    )


class OtherPipelineError(ValueError):
    """A document was parsed by a pipeline other than that in params.yaml; the message names both."""


class _Texts:
    """The texts of a list column, by row; equal texts are one object."""

    def __init__(self, column: pa.ListArray) -> None:
        encoded = column.values.dictionary_encode()
        self.offsets = column.offsets.to_numpy()
        self.names: list[Any] = [*encoded.dictionary.to_pylist(), None]
        self.codes = encoded.indices.fill_null(len(self.names) - 1).to_numpy()

    def __getitem__(self, row: int) -> list[Any]:
        names = self.names
        return [names[code] for code in self.codes[self.offsets[row] : self.offsets[row + 1]].tolist()]


class _Numbers:
    """The numbers of a list column, or of a field of its structs, by row."""

    def __init__(self, column: pa.ListArray, field: str | None = None) -> None:
        values = column.values if field is None else column.values.field(field)
        self.offsets = column.offsets.to_numpy()
        self.values = values.to_numpy(zero_copy_only=False)

    def __getitem__(self, row: int) -> np.ndarray[Any, Any]:
        values: np.ndarray[Any, Any] = self.values[self.offsets[row] : self.offsets[row + 1]]
        return values


def pipeline_of(params: AnnotationParams) -> str:
    """Return the value of the column `pipeline` for documents parsed with these params.

    Raises ModelNotInstalledError for a pipeline that is not installed.
    """
    name = params.pipeline
    folder = existing(name) if is_file(name) else package_folder(name)
    version = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["version"]
    trained = f" ({network.digest()[:_DIGITS]})" if params.coreference == "ranker" else ""
    return f"{name} {version} ({installed_digest(name)[:_DIGITS]}), coreference {params.coreference}{trained}"


def columns_of(annotation: Annotation) -> Row:
    """Return the lists of an annotation as columns of `ANNOTATED.kept`; sentences lack their ids."""
    return {
        "words": annotation.words,
        "spaces": annotation.spaces,
        "tags": annotation.tags,
        "dependencies": annotation.dependencies,
        "heads": [head - index for index, head in enumerate(annotation.heads)],
        "lemmas": [
            None if lemma == word else lemma
            for word, lemma in zip(annotation.words, annotation.lemmas, strict=True)
        ],
        "entities": annotation.entities,
        "sentences": [{"start": start, "end": end} for start, end in annotation.sentences],
        "links": [
            {
                "kind": link.kind,
                "mention_start": link.mention[0],
                "mention_end": link.mention[1],
                "antecedent_start": link.antecedent[0],
                "antecedent_end": link.antecedent[1],
                "score": link.score,
            }
            for link in annotation.links
        ],
    }


def stored_annotations(table: pa.Table, params: AnnotationParams | None = None) -> Iterator[Annotation]:
    """Yield the annotation of each row of an `ANNOTATED.kept` table, one at a time.

    With `params`, raises OtherPipelineError for the first row that another pipeline parsed: a partition made
    here is always current, but one can also be copied from elsewhere.
    """
    if params is not None:
        _check(table, pipeline_of(params))
    for batch in table.to_batches():
        words, tags = _Texts(batch["words"]), _Texts(batch["tags"])
        dependencies, entities = _Texts(batch["dependencies"]), _Texts(batch["entities"])
        lemmas, heads = _Texts(batch["lemmas"]), _Numbers(batch["heads"])
        spaces, links = _Numbers(batch["spaces"]), batch["links"]
        starts, ends = _Numbers(batch["sentences"], "start"), _Numbers(batch["sentences"], "end")
        for row in range(batch.num_rows):
            tokens = words[row]
            yield Annotation(
                words=tokens,
                spaces=spaces[row].tolist(),
                tags=tags[row],
                dependencies=dependencies[row],
                heads=(heads[row] + np.arange(len(tokens))).tolist(),
                lemmas=[
                    word if lemma is None else lemma for word, lemma in zip(tokens, lemmas[row], strict=True)
                ],
                entities=entities[row],
                sentences=list(zip(starts[row].tolist(), ends[row].tolist(), strict=True)),
                links=tuple(_link(link) for link in links[row].as_py()),
            )


def _check(table: pa.Table, expected: str) -> None:
    for row, pipeline in enumerate(table["pipeline"].to_pylist()):
        if pipeline != expected:
            raise OtherPipelineError(
                f"discofuse/annotated: document {table['document'][row].as_py()!r} was parsed by {pipeline}, "
                f"but discofuse.annotated in params.yaml names {expected}: make discofuse/annotated again, "
                "or name the pipeline that parsed it"
            )


def _link(stored: Row) -> Link:
    return Link(
        stored["kind"],
        (stored["mention_start"], stored["mention_end"]),
        (stored["antecedent_start"], stored["antecedent_end"]),
        stored["score"],
    )
