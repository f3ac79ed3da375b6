"""The model card beside a model's files: what it is, what it learnt from, what it is worth.

Belongs here: its text, in the form of Hugging Face's model cards. Not here: measuring (the systems).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

CARD = "README.md"

_TASK = """
## Use

```python
import ops.models.long_sequences.model  # registers the architecture
from transformers import {auto}

model = {auto}.from_pretrained("FOLDER")
```

{reads} Decoding is that of `generation_config.json`: beam {beam}, length penalty {penalty}.
"""


def model_card(
    name: str, what: str, licences: Sequence[str], config: Mapping[str, Any], report: Mapping[str, Any]
) -> bytes:
    """Return the card of a model: `what` it is for, the licences of what it learnt from, config and report.

    `report` is that of training (ops/models/training/report.py), and may lack any key.
    """
    decoder_only = config["architecture"] == "decoder"
    front = {"library_name": "transformers", "pipeline_tag": "summarization", "license": "other"}
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    reads = (
        "It reads source and separator, and goes on with the target and the end."
        if decoder_only
        else "It reads source and end, and writes the target and the end."
    )
    use = _TASK.format(
        auto="AutoModelForCausalLM" if decoder_only else "AutoModelForSeq2SeqLM",
        reads=reads,
        beam=config["beam"],
        penalty=config["length_penalty"],
    )
    facts = {
        "examples learnt from": report.get("examples"),
        "targets among them that were cut": report.get("cut_targets"),
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
