"""Pieces (sub-words or words) and their numbers: a vocabulary that is learnt from texts.

Belongs here: learning it, splitting and joining texts. Not here: which texts it is learnt from (the systems).

A vocabulary depends only on how often each word occurs in the texts. The order of the texts, the number of
threads and the batches in which they are read do not matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

#: The numbers of the special pieces, the same in every vocabulary.
PAD, EOS, UNK = 0, 1, 2
_SPECIAL = ["<pad>", "</s>", "<unk>"]

PieceKind = Literal["bpe", "words"]


class PiecesError(ValueError):
    """The content is not a valid vocabulary; the message says why."""


class Pieces:
    """V pieces and their numbers; the first three are padding, the end of a text, and an unknown word."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @classmethod
    def learn(cls, texts: Iterable[str], kind: PieceKind, size: int) -> Pieces:
        """Return a vocabulary of at most `size` pieces.

        "bpe": byte pairs (Sennrich et al. 2015) on top of the 256 bytes, so that nothing is unknown. "words":
        the most frequent words, split at white space; ties are in alphabetical order.
        """
        if kind == "words":
            tokenizer = Tokenizer(models.WordLevel(unk_token=_SPECIAL[UNK]))
            tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
            trainer: Any = trainers.WordLevelTrainer(
                vocab_size=size, special_tokens=_SPECIAL, show_progress=False, min_frequency=0
            )
        else:
            tokenizer = Tokenizer(models.BPE())
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
            tokenizer.decoder = decoders.ByteLevel()
            trainer = trainers.BpeTrainer(
                vocab_size=size,
                special_tokens=_SPECIAL,
                initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                show_progress=False,
            )
        tokenizer.train_from_iterator(texts, trainer)
        return cls(tokenizer)

    @classmethod
    def of(cls, content: bytes) -> Pieces:
        """Return the vocabulary from bytes that `content` made. Raises PiecesError for any other bytes."""
        try:
            tokenizer = Tokenizer.from_str(content.decode())
        except Exception as error:  # the package raises no narrower type
            raise PiecesError(f"no vocabulary: {str(error).splitlines()[0]}") from None
        special = [tokenizer.id_to_token(number) for number in range(len(_SPECIAL))]
        if special != _SPECIAL:
            raise PiecesError(f"its first pieces are {special}, not {_SPECIAL}")
        return cls(tokenizer)

    @cached_property
    def content(self) -> bytes:
        """The vocabulary as JSON, in the format of the package `tokenizers`."""
        return self._tokenizer.to_str(pretty=True).encode() + b"\n"

    @cached_property
    def kind(self) -> PieceKind:
        """The kind of pieces: "words" or "bpe"."""
        return "words" if json.loads(self.content)["model"]["type"] == "WordLevel" else "bpe"

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without the end marker."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def length(self, text: str) -> int:
        """Return how many pieces a text has, without the end marker."""
        return len(self.numbers(text))

    def names(self, text: str) -> list[str]:
        """Return the pieces of a text as strings, including words that are not in the vocabulary."""
        if self.kind == "words":
            return text.split()
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def text(self, numbers: Sequence[int], others: Sequence[str] = ()) -> str:
        """Return the text of pieces, up to the end marker if any; number V + i is the word others[i]."""
        piece_numbers: list[int] = []
        for number in numbers:
            if number == EOS:
                break
            if number != PAD:
                piece_numbers.append(number)
        if self.kind == "words":
            size = len(self)
            words = [
                others[number - size] if number >= size else str(self._tokenizer.id_to_token(number))
                for number in piece_numbers
            ]
            return " ".join(words)
        return self._tokenizer.decode(piece_numbers, skip_special_tokens=True).strip()
