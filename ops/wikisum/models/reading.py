"""What a model reads of an example, and by how many sub-words its target is scored.

Belongs here: tokens of examples as models take them. Not here: which examples these are (learning_sets.py).

A model that is trained from scratch reads the example's sub-words. One that was trained before has its own
tokenizer, and reads the example's texts: the source is what the others read, cut where theirs is. Its
log-perplexity is still per sub-word of wikisum/tokenizer, so that all compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ops.outcome import Row
from ops.wikisum.tokenizer import END

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ops.models.long_sequences.model import TokenExample
    from ops.models.long_sequences.texts import PretrainedTexts, TextModel


class Reader(Protocol):
    """What a model reads."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of an example that are read."""
        ...

    @property
    def counts_tokens(self) -> bool:
        """Whether the tokens are those that targets are scored by."""
        ...

    def example(self, row: Row) -> TokenExample:
        """Return an example's tokens, without those that end source and target."""
        ...

    def sub_words(self, row: Row) -> int:
        """Return how many sub-words of wikisum/tokenizer a target is scored by, its end included."""
        ...


class SubWords:
    """Sub-words of wikisum/tokenizer."""

    columns = ("source_tokens", "target_tokens")
    counts_tokens = True

    def __init__(self, tokenizer: Tokenizer, longest_target: int | None = None) -> None:
        """`longest_target`: of which as many are scored at most."""
        self._end, self._most = tokenizer.token_to_id(END), longest_target

    def example(self, row: Row) -> TokenExample:
        """Return an example's sub-words."""
        from ops.models.long_sequences.model import TokenExample

        source, target = (
            tokens[:-1] if tokens and tokens[-1] == self._end else tokens
            for tokens in (row["source_tokens"], row["target_tokens"])
        )
        return TokenExample(source, target)

    def sub_words(self, row: Row) -> int:
        """Return how many are scored of a target."""
        target = len(self.example(row).target)
        return (target if self._most is None else min(target, self._most)) + 1


class OwnTokens:
    """Tokens of a pretrained model's own tokenizer."""

    columns = ("source", "target", "source_tokens", "target_tokens")
    counts_tokens = False

    def __init__(self, model: PretrainedTexts) -> None:
        self._model, self._whole = model, SubWords(model.tokenizer)

    def example(self, row: Row) -> TokenExample:
        """Return an example's texts as tokens."""
        return self._model.model.example(str(row["source"]), str(row["target"]))

    def sub_words(self, row: Row) -> int:
        """Return how many sub-words are in what is scored; what is cut has no end."""
        target = str(row["target"])
        learnt = self._model.model.learnt_text(target)
        if learnt == target:
            return self._whole.sub_words(row)
        return len(self._model.tokenizer.encode(learnt, add_special_tokens=False).ids)


def reader_of(model: TextModel) -> Reader:
    """Return what a model reads."""
    from ops.models.long_sequences.texts import PretrainedTexts

    if isinstance(model, PretrainedTexts):
        return OwnTokens(model)
    return SubWords(model.tokenizer, model.model.params.longest_target)
