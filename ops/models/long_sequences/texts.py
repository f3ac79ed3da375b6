"""Models of long sequences from text to text.

Belongs here: a model with its tokenizer, called here and where the project is not (`KIND`). Not here: the
model (model.py), learning a tokenizer (the systems).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ops.models.served import text_to_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ops.models.long_sequences.model import SequenceModel
    from ops.models.long_sequences.pretrained import PretrainedSequence

TOKENIZER = "tokenizer.json"


class TextModel:
    """A model with its tokenizer."""

    def __init__(self, model: SequenceModel, tokenizer: Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return an answer to each source; `beam` replaces that of the model's params."""
        encoded = self.tokenizer.encode_batch(list(sources), add_special_tokens=False)
        return self.texts(self.model.generate([found.ids for found in encoded], beam))

    def texts(self, answers: Sequence[Sequence[int]]) -> list[str]:
        """Return answers as texts."""
        return [text.strip() for text in self.tokenizer.decode_batch(list(map(list, answers)))]


class PretrainedTexts(TextModel):
    """One that reads texts; `tokenizer` is the one beside it, whose sub-words count what is scored."""

    model: PretrainedSequence

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return an answer to each source; `beam` replaces that of the model's params."""
        return self.texts(self.model.generate([self.model.source(text) for text in sources], beam))

    def texts(self, answers: Sequence[Sequence[int]]) -> list[str]:
        """Return answers as texts."""
        return self.model.answers(answers)


def load(files: Mapping[str, bytes]) -> TextModel:
    """Return a model of its files. Raises ModelFilesError if they hold none."""
    from tokenizers import Tokenizer

    from ops.models.long_sequences import model, pretrained
    from ops.models.network_files import ModelFilesError

    if TOKENIZER not in files:
        raise ModelFilesError(f"no {TOKENIZER} among the model's files")
    try:
        tokenizer = Tokenizer.from_str(files[TOKENIZER].decode())
    except Exception as error:  # the package raises no narrower type
        raise ModelFilesError(f"{TOKENIZER}: {str(error).splitlines()[0]}") from None
    if pretrained.is_pretrained(files):
        return PretrainedTexts(pretrained.load(files), tokenizer)
    return TextModel(model.load(files), tokenizer)


KIND = text_to_text(__name__, load)
