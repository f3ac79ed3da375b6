"""The model card beside a model's files: what it is, what it learnt from, what it is worth.

Belongs here: its text, in the form of Hugging Face's model cards. Not here: measuring (the systems).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

CARD = "README.md"

#: Where a pretrained model lies in its folder.
_FOLDER = "pretrained"
_REGISTERS = "import ops.models.long_sequences.model  # registers the architecture"

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
    """Return the card of a model: `what` it is for, the licences of what it learnt from, config and report.

    `report` is that of training (ops/models/training/report.py), and may lack any key.
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
        use += f"\nIt is `{config['model']}`, trained further; its own tokenizer is in `{_FOLDER}`, too.\n"
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
