"""The pieces that texts are cut into, and their numbers: a vocabulary that is learnt from texts.

Belongs here: learning it, cutting and joining. Not here: which texts it is learnt from (the systems).

A vocabulary depends on how often each word stands in the texts, and on nothing else: their order, the
number of threads and the batches in which they are read do not matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

#: The numbers of the pieces that stand for no text, the same in every vocabulary.
PAD, EOS, UNK = 0, 1, 2
_SPECIAL = ["<pad>", "</s>", "<unk>"]

PieceKind = Literal["bpe", "words"]


class PiecesError(ValueError):
    """The content is no vocabulary; the message says why."""


class Pieces:
    """V pieces by their numbers; the first three are padding, the end of a text, and a word not known."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @classmethod
    def learn(cls, texts: Iterable[str], kind: PieceKind, size: int) -> Pieces:
        """Return at most `size` pieces.

        "bpe": byte pairs (Sennrich et al. 2015) above the 256 bytes, so that no text is unknown. "words": the
        most frequent of what stands between white space, ties in the order of their letters.
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
        """Return the vocabulary that `content` made bytes of. Raises PiecesError if it is none of these."""
        try:
            tokenizer = Tokenizer.from_str(content.decode())
        except Exception as error:  # the package raises no narrower type
            raise PiecesError(f"no vocabulary: {str(error).splitlines()[0]}") from None
        found = [tokenizer.id_to_token(number) for number in range(len(_SPECIAL))]
        if found != _SPECIAL:
            raise PiecesError(f"its first pieces are {found}, not {_SPECIAL}")
        return cls(tokenizer)

    @cached_property
    def content(self) -> bytes:
        """The vocabulary as JSON, in the format of the package `tokenizers`."""
        return self._tokenizer.to_str(pretty=True).encode() + b"\n"

    @cached_property
    def kind(self) -> PieceKind:
        """What texts are cut into."""
        return "words" if json.loads(self.content)["model"]["type"] == "WordLevel" else "bpe"

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without its end."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def length(self, text: str) -> int:
        """Return how many pieces a text has, without its end."""
        return len(self.numbers(text))

    def names(self, text: str) -> list[str]:
        """Return the pieces of a text as they are written in the vocabulary; words that it has not, too."""
        if self.kind == "words":
            return text.split()
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def text(self, numbers: Sequence[int], others: Sequence[str] = ()) -> str:
        """Return the text of pieces, up to the end if there is one; number V + i is the word others[i]."""
        kept: list[int] = []
        for number in numbers:
            if number == EOS:
                break
            if number != PAD:
                kept.append(number)
        if self.kind == "words":
            size = len(self)
            words = [
                others[number - size] if number >= size else str(self._tokenizer.id_to_token(number))
                for number in kept
            ]
            return " ".join(words)
        return self._tokenizer.decode(kept, skip_special_tokens=True).strip()
