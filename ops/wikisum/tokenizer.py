"""Sub-words that inputs and targets are made of.

Belongs here: learning them from articles and their references, and the tokenizer as files. Not here: cutting
examples (examples.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from ops.core.splits import split_of
from ops.identity import row_id
from ops.outcome import Outcome, Outcomes, Row
from ops.params import Params
from ops.parts import Artifact, Parts
from ops.wikisum.schemas import TOKENIZER
from ops.wikisum.splits import SplitParams

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: Sub-words that stand for no text, by number from 0: padding, the end, what stands between input and target
#: of one sequence, and what stands behind the title (the released code's <EOT>).
PAD, END, SEPARATOR, TITLE_END = "<pad>", "</s>", "<sep>", "<eot>"
SPECIAL = (PAD, END, SEPARATOR, TITLE_END)

_FILE, _CONFIG = "tokenizer.json", "tokenizer_config.json"


class TokenizerParams(Params, section="wikisum.tokenizer"):
    """How many sub-words there are, and from how much text they are learnt."""

    vocabulary: int = Field(1000, ge=300, description="special ones and bytes included; the paper: 32,000")
    characters: int = Field(
        10_000_000, ge=1, description="of the training split that are read, article after article"
    )


def tokenizer(ranked: Parts, splits: SplitParams, params: TokenizerParams) -> Outcomes:
    """Yield what was learnt from each article, with the tokenizer; the units are the articles.

    Byte pairs above the 256 bytes, so that no text is unknown. Learnt from leads, sections and paragraphs of
    the articles of the split train, in order, until `characters` are read.
    """
    from tokenizers import AddedToken, pre_tokenizers, trainers

    read: dict[str, int] = {}
    found = _empty()
    trainer = trainers.BpeTrainer(
        vocab_size=params.vocabulary,
        # The blank before it belongs to it: inputs are put together piece by piece, without one.
        special_tokens=[AddedToken(name, lstrip=name == TITLE_END, special=True) for name in SPECIAL],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    found.train_from_iterator(_learnt(ranked, splits, params.characters, read), trainer)
    files = _files(found)
    for table in ranked:
        units = table.to_pylist()
        kept = [_row(unit, split_of(unit["title"], splits), read.get(unit["id"], 0), found) for unit in units]
        yield Outcome.of(TOKENIZER, [unit["id"] for unit in units], kept, files=files)
        files = {}


def load(artifact: Artifact) -> Tokenizer:
    """Return the tokenizer. Its folder is one of `transformers.AutoTokenizer.from_pretrained`, too."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(artifact.folder / _FILE))


def target_of(unit: Row, kind: str) -> str:
    """Return what is to be written of an article: its lead, or all of it with its headings marked.

    As in the released code, a heading is " == heading == ". An article without a lead has no target of either
    kind: "".
    """
    if kind == "lead" or not unit["lead"]:
        return str(unit["lead"])
    sections = (f" == {section['title']} == {section['text']}" for section in unit["sections"])
    return f"{unit['lead']}{''.join(sections)}"


def _empty() -> Tokenizer:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    found.decoder = decoders.ByteLevel()
    return found


def _learnt(ranked: Parts, splits: SplitParams, most: int, read: dict[str, int]) -> Iterator[str]:
    left = most
    for table in ranked:
        for unit in table.to_pylist():
            if split_of(unit["title"], splits) != "train":
                continue
            for text in (target_of(unit, "article"), *(row["text"] for row in unit["paragraphs"])):
                text = text[:left]
                left -= len(text)
                read[unit["id"]] = read.get(unit["id"], 0) + len(text)
                yield text
                if not left:
                    return


def _files(found: Tokenizer) -> dict[str, bytes]:
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": PAD,
        "eos_token": END,
        "sep_token": SEPARATOR,
        "additional_special_tokens": [TITLE_END],
    }
    return {
        _FILE: found.to_str(pretty=True).encode() + b"\n",
        _CONFIG: json.dumps(config, indent=1, sort_keys=True).encode() + b"\n",
    }


def _row(unit: Row, split: str, characters: int, found: Tokenizer) -> Row:
    text = target_of(unit, "article")
    return {
        "id": row_id("tokenized", unit["id"]),
        "source_ids": [unit["id"]],
        "licence": unit["licence"],
        "article_id": unit["article_id"],
        "title": unit["title"],
        "split": split,
        "characters": characters,
        "words": len(text.split()),
        "tokens": len(found.encode(text, add_special_tokens=False).ids),
    }
