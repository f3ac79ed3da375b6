"""Rows of candidates and of examples, for the ops of DiscoFuse."""

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.discofuse.dataset.examples import examples
from tests.parts import in_memory


def made_of(candidates, params):
    """Return the outcome of examples, given the candidates of one part."""
    return Outcome.joined(list(examples(in_memory(candidates), params)))


def candidate(name, **more):
    """A row of candidates: by default a pair that no rule matched."""
    row = {
        "id": name, "source_ids": [f"sentence of {name}"], "licence": "MIT", "document_id": f"document of {name}",
        "month": "2018-06", "domain": "sports", "sentence": 0, "rule": "control",
        "coherent_first_sentence": f"The first sentence of {name} .",
        "coherent_second_sentence": f"The second sentence of {name} .",
        "incoherent_first_sentence": f"The first sentence of {name} .",
        "incoherent_second_sentence": f"The second sentence of {name} .",
        "discourse_type": "PAIR_NONE", "connective_string": "",
        "has_coref_type_pronoun": 0.0, "has_coref_type_nominal": 0.0,
        "fused_detokenised": f"The first sentence of {name}. The second sentence of {name}.",
        "unfused_detokenised": f"The first sentence of {name}. The second sentence of {name}.",
        "first_tokens": 10, "second_tokens": 10, "coreference_score": None, "links": [],
        "sense": None, "covered": 1.0, "supported": 1.0, "disfluency": None, "forward": None, "backward": None,
    }  # fmt: skip
    return row | more


def example(name, **more):
    row = candidate(name) | {"split": "train"} | more
    row = {"control": row["discourse_type"] == "PAIR_NONE"} | row
    fused = f"{row['coherent_first_sentence']} {row['coherent_second_sentence']}".strip()
    unfused = f"{row['incoherent_first_sentence']} {row['incoherent_second_sentence']}"
    return {"fused": fused, "unfused": unfused, **row}
