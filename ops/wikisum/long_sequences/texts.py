"""Long-sequence models from text to text, and the model card in a model's folder.

Belongs here: a model with its tokenizer, used here and without this project (`KIND`); the card, in Hugging
Face's format: what the model is, what it was trained on and how well it does. Not here: the model (model.py),
training a tokenizer, measuring (ops/wikisum/models). torch is imported when a model is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from silverloom.ops.models.trained import text_to_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from silverloom.ops.wikisum.long_sequences.model import SequenceModel
    from silverloom.ops.wikisum.long_sequences.pretrained import PretrainedSequence

TOKENIZER = "tokenizer.json"


class TextModel:
    """A model with its tokenizer."""

    def __init__(self, model: SequenceModel, tokenizer: Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return an answer to each source; `beam` replaces the params' beam."""
        encoded = self.tokenizer.encode_batch(list(sources), add_special_tokens=False)
        return self.texts(self.model.generate([encoding.ids for encoding in encoded], beam))

    def texts(self, answers: Sequence[Sequence[int]]) -> list[str]:
        """Return answers as texts."""
        return [text.strip() for text in self.tokenizer.decode_batch(list(map(list, answers)))]


class PretrainedTexts(TextModel):
    """A pretrained model with its own tokenizer; `tokenizer` is ours and counts the scored sub-words."""

    model: PretrainedSequence

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return an answer to each source; `beam` replaces the params' beam."""
        return self.texts(self.model.generate([self.model.source(text) for text in sources], beam))

    def texts(self, answers: Sequence[Sequence[int]]) -> list[str]:
        """Return answers as texts."""
        return self.model.answers(answers)


def load(files: Mapping[str, bytes]) -> TextModel:
    """Load a model from its files. Raises ModelFilesError if they contain none."""
    from tokenizers import Tokenizer

    from silverloom.ops.models.trained import ModelFilesError
    from silverloom.ops.wikisum.long_sequences import model, pretrained

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


CARD = "README.md"

#: The folder of a pretrained network and its tokenizer within the model's folder.
_FOLDER = "pretrained"
_REGISTERS = "import silverloom.ops.wikisum.long_sequences.model  # registers the architecture"

_TASK = """
## Use

```python
{imports}

model = {auto}.from_pretrained("{folder}")
```

{reads} Decoding is that of `generation_config.json`: beam {beam}, length penalty {penalty}.
"""


def model_card(
    name: str, what: str, licences: Sequence[str], config: Mapping[str, Any], report: Mapping[str, Any]
) -> bytes:
    """Return the model card: `what` the model is for, the licences of its training texts, config and report.

    `report` is the training report (ops/models/training/report.py), and may lack any key.
    """
    decoder_only, pretrained = (config["architecture"] == kind for kind in ("decoder", "pretrained"))
    front = {"library_name": "transformers", "pipeline_tag": "summarization", "license": "other"}
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    reads = (
        "It reads source and separator, and goes on with the target and the end."
        if decoder_only
        else "It reads source and end, and writes the target and the end."
    )
    auto = "AutoModelForCausalLM" if decoder_only else "AutoModelForSeq2SeqLM"
    loading = f"from transformers import {auto}"
    use = _TASK.format(
        auto=auto,
        folder=f"FOLDER/{_FOLDER}" if pretrained else "FOLDER",
        imports=loading if pretrained else f"{_REGISTERS}\n{loading}",
        reads=reads,
        beam=config["beam"],
        penalty=config["length_penalty"],
    )
    if pretrained:
        text = "cased, as on the pages" if config["text"] == "natural" else "normalised"
        use += (
            f"\nIt is `{config['model']}`, trained further; its own tokenizer is in `{_FOLDER}`, too. "
            f"Its texts are {text}.\n"
        )
    facts = {
        "examples learnt from": report.get("examples"),
        "targets among them that were cut": report.get("cut_targets"),
        "sources among them that were cut": report.get("cut_sources"),
        "examples it was chosen by": report.get("validation_examples"),
        "updates": report.get("steps"),
        report.get("metric", "loss"): report.get("best"),
        "weights": report.get("weights"),
    }
    rows = "".join(f"| {key} | {value} |\n" for key, value in facts.items() if value is not None)
    return (
        f"---\n{head}---\n\n# {name}\n\n{what}\n{use}\n## Training\n\n| | |\n|---|---|\n{rows}\n"
        f"Licences of the texts: {', '.join(licences) or 'none'}.\n\n"
        f"```json\n{json.dumps(dict(config), indent=1, sort_keys=True)}\n```\n"
    ).encode()
