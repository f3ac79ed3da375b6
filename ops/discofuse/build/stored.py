"""How a parsed document lies in a file, and reading it back.

Belongs here: an `Annotation` as Arrow lists and the way back, and which pipeline it is from. Not here:
parsing (annotated.py), and the rules that read it (rules/).

Plain lists of text, because Parquet's own dictionaries make codes of tags, labels and words. Little that is
new is stored: a head as its distance, a lemma only where it is not the word. benchmarks/annotation.py
measures the bytes of a token, also as lists without that and as DocBin.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from ops.coreference import network
from ops.coreference.links import Backend, Link
from ops.discofuse.build.annotation import Annotation
from ops.models.installed import existing, installed_digest, is_file, package_folder
from ops.models.spacy_pipeline import SPACY_PIPELINE
from ops.outcome import Row
from ops.params import ModelName, Params

#: Of a digest that tells two apart.
_DIGITS = 16


class AnnotationParams(Params, section="discofuse.annotated"):
    """What parses, and how much at a time. The last three change speed and memory."""

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
    """A document was parsed by another pipeline than params.yaml names; the text names both."""


def pipeline_of(params: AnnotationParams) -> str:
    """Return what the column `pipeline` says of documents that are parsed with these params.

    Raises ModelNotInstalledError for a pipeline that is not there.
    """
    name = params.pipeline
    folder = existing(name) if is_file(name) else package_folder(name)
    version = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["version"]
    trained = f" ({network.digest()[:_DIGITS]})" if params.coreference == "ranker" else ""
    return f"{name} {version} ({installed_digest(name)[:_DIGITS]}), coreference {params.coreference}{trained}"


def columns_of(annotation: Annotation) -> Row:
    """Return the lists of an annotation as columns of `ANNOTATED.kept`; sentences without their ids."""
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
    """Yield the annotation of every row of a table of `ANNOTATED.kept`, one at a time.

    With `params`, raises OtherPipelineError for the first row that another pipeline parsed: what is made
    here is fresh or made again, but a partition can be brought from elsewhere.
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
    for row, found in enumerate(table["pipeline"].to_pylist()):
        if found != expected:
            raise OtherPipelineError(
                f"discofuse/annotated: document {table['document'][row].as_py()!r} was parsed by {found}, "
                f"but discofuse.annotated in params.yaml names {expected}: make discofuse/annotated again, "
                "or name the pipeline that parsed it"
            )


class _Texts:
    """The texts of a column of lists, by row; equal ones are one object."""

    def __init__(self, column: pa.ListArray) -> None:
        encoded = column.values.dictionary_encode()
        self.offsets = column.offsets.to_numpy()
        self.names: list[Any] = [*encoded.dictionary.to_pylist(), None]
        self.codes = encoded.indices.fill_null(len(self.names) - 1).to_numpy()

    def __getitem__(self, row: int) -> list[Any]:
        names = self.names
        return [names[code] for code in self.codes[self.offsets[row] : self.offsets[row + 1]].tolist()]


class _Numbers:
    """The numbers of a column of lists, or of a field of its structs, by row."""

    def __init__(self, column: pa.ListArray, field: str | None = None) -> None:
        values = column.values if field is None else column.values.field(field)
        self.offsets = column.offsets.to_numpy()
        self.values = values.to_numpy(zero_copy_only=False)

    def __getitem__(self, row: int) -> np.ndarray[Any, Any]:
        found: np.ndarray[Any, Any] = self.values[self.offsets[row] : self.offsets[row + 1]]
        return found


def _link(stored: Row) -> Link:
    return Link(
        stored["kind"],
        (stored["mention_start"], stored["mention_end"]),
        (stored["antecedent_start"], stored["antecedent_end"]),
        stored["score"],
    )
