"""The sub-words of inputs and targets.

Belongs here: training the tokenizer on articles and their references, and its files. Not here: cutting
examples (examples.py).
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import drawn, split_of
from silverloom.ops.wikisum.schemas import TOKENIZER, SplitParams
from silverloom.ops.wikisum.targets import section_texts, target_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: Special tokens, by number from 0: padding, the end, the separator between input and target in one sequence,
#: and the mark after the title (the released code's <EOT>).
PAD, END, SEPARATOR, TITLE_END = "<pad>", "</s>", "<sep>", "<eot>"
SPECIAL = (PAD, END, SEPARATOR, TITLE_END)

_FILE, _CONFIG = "tokenizer.json", "tokenizer_config.json"


class TokenizerParams(Params, section="wikisum.tokenizer"):
    """The size of the vocabulary, and how much text it is trained on."""

    vocabulary: int = Field(
        32_000,
        ge=300,
        description="special ones and bytes included",
        json_schema_extra={"paper": "32,000"},
    )
    characters: int = Field(
        10_000_000, ge=1, description="of the training split that are read, from articles in a drawn order"
    )
    seed: int = Field(0, ge=0, description="of the draw of what is read")


def tokenizer(ranked: Parts, splits: SplitParams, params: TokenizerParams) -> Outcomes:
    """Yield what the tokenizer learnt from each article, with the tokenizer; the units are the articles.

    Byte pair encoding over all 256 bytes, so no text is unknown. It trains on `characters` characters from
    articles of the split train, in rounds: a drawn section (the lead is one) and a drawn paragraph of the
    references of each article, then a second one of each, and so on. So no article or partition dominates the
    vocabulary. If the characters do not suffice for a round, a draw decides which articles are read.
    """
    from tokenizers import AddedToken, pre_tokenizers, trainers

    texts = drawn_texts(ranked, splits, params)
    read = Counter[str]()
    for text in texts:
        read[text.ranked_id] += len(text.text)
    pieces = _empty()
    trainer = trainers.BpeTrainer(
        vocab_size=params.vocabulary,
        # It includes the space before it, because inputs are assembled piece by piece, without spaces.
        special_tokens=[AddedToken(name, lstrip=name == TITLE_END, special=True) for name in SPECIAL],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    pieces.train_from_iterator((text.text for text in texts), trainer)
    files = _files(pieces)
    for table in ranked:
        units = table.to_pylist()
        kept = [_row(unit, split_of(unit["title"], splits), read[unit["id"]], pieces) for unit in units]
        yield Outcome.of(TOKENIZER, [unit["id"] for unit in units], kept, files=files)
        files = {}


def load(artifact: Artifact) -> Tokenizer:
    """Return the tokenizer. `transformers.AutoTokenizer.from_pretrained` can load its folder, too."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(artifact.folder / _FILE))


def _empty() -> Tokenizer:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    empty = Tokenizer(models.BPE())
    empty.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    empty.decoder = decoders.ByteLevel()
    return empty


class DrawnText(NamedTuple):
    """A text that the tokenizer trains on. Greater texts are taken earlier."""

    turn: int
    """Position among the texts of its kind in its article, negated: 0 for the first, then -1."""
    draw: int
    text: str
    ranked_id: str


def drawn_texts(ranked: Parts, splits: SplitParams, params: TokenizerParams) -> list[DrawnText]:
    """Return the texts that the tokenizer trains on, the last one cut to fit.

    The result does not depend on the order of the articles. Holds these texts and one part in memory.
    """
    chosen: list[DrawnText] = []
    characters = 0
    for part in ranked.parts:
        for unit in part.read(["id", "title", "lead", "sections", "paragraphs"]).to_pylist():
            if split_of(unit["title"], splits) != "train":
                continue
            for text in _texts(unit, params.seed):
                if characters >= params.characters and text < chosen[0]:
                    continue
                heapq.heappush(chosen, text)
                characters += len(text.text)
                while characters - len(chosen[0].text) >= params.characters:
                    characters -= len(heapq.heappop(chosen).text)
    chosen.sort(reverse=True)
    if (excess := characters - params.characters) > 0:
        chosen[-1] = chosen[-1]._replace(text=chosen[-1].text[:-excess])
    return chosen


def _texts(unit: Row, seed: int) -> Iterator[DrawnText]:
    """Yield the sections of an article, then the paragraphs of its references, with turns for each kind."""
    paragraphs = [row["text"] for row in unit["paragraphs"]]
    for kind, texts in (("section", [unit["lead"], *section_texts(unit)]), ("paragraph", paragraphs)):
        draws = sorted(
            (int.from_bytes(drawn(seed, unit["id"], kind, place)), text) for place, text in enumerate(texts)
        )
        for turn, (draw, text) in enumerate((draw, text) for draw, text in reversed(draws) if text):
            yield DrawnText(-turn, draw, text, unit["id"])


def _files(pieces: Tokenizer) -> dict[str, bytes]:
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": PAD,
        "eos_token": END,
        "sep_token": SEPARATOR,
        "additional_special_tokens": [TITLE_END],
    }
    return {
        _FILE: pieces.to_str(pretty=True).encode() + b"\n",
        _CONFIG: json.dumps(config, indent=1, sort_keys=True).encode() + b"\n",
    }


def _row(unit: Row, split: str, characters: int, pieces: Tokenizer) -> Row:
    text = target_of(unit, "article").text
    return {
        **made_from(unit, "tokenized"),
        "article_id": unit["article_id"],
        "title": unit["title"],
        "split": split,
        "characters": characters,
        "words": len(text.split()),
        "tokens": len(pieces.encode(text, add_special_tokens=False).ids),
    }
