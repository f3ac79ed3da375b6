import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from silverloom.ops.models.encoder import encoder_folder
from silverloom.ops.models.entailment import NliModel
from silverloom.ops.models.installed import ModelNotInstalledError
from silverloom.ops.parasci.candidates.pairs import CoarseParams
from silverloom.ops.parasci.dataset.scored import ScoredParams, scored
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.partial.partial import PARTIAL
from silverloom.ops.parasci.schemas import CANDIDATES
from tests.ops.parasci.parasci_cases import candidate
from tests.parts import dealt

LABELS = ("contradiction", "ENTAILMENT", "neutral")
FIRSTS, SECONDS = (
    ["We parse all of the trees.", "We tag."],
    ["We parse trees.", "We sing, and we dance today."],
)


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "nli", LABELS)


def write(folder, labels):
    """Write a classifier with random weights in Hugging Face's format; return its folder."""
    tokenizer = AutoTokenizer.from_pretrained(str(encoder_folder()), local_files_only=True)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, initializer_range=0.5, id2label=dict(enumerate(labels)),
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def log_odds(folder, premise, hypothesis):
    """Return the log-odds of entailment by the classifier itself."""
    network = BertForSequenceClassification.from_pretrained(folder).eval()
    inputs = AutoTokenizer.from_pretrained(folder)(premise, hypothesis, return_tensors="pt")
    with torch.no_grad():
        contradiction, entailment, neutral = network(**inputs).logits[0].tolist()
    return entailment - np.logaddexp(contradiction, neutral)


def test_both_directions_are_the_classifiers_log_odds_of_entailment(folder):
    found = NliModel(str(folder)).predict(FIRSTS, SECONDS)
    pairs = list(zip(FIRSTS, SECONDS, strict=True))
    expected = [[log_odds(folder, a, b), log_odds(folder, b, a)] for a, b in pairs]
    assert found == pytest.approx(np.array(expected), abs=1e-3)
    assert abs(found[:, 0] - found[:, 1]).max() > 0.1
    assert NliModel(str(folder)).predict([], []).shape == (0, 2)


def test_scored_pairs_have_the_entailment_of_the_named_model(tmp_path, folder):
    intra = dealt(tmp_path / "intra", CANDIDATES.kept, [candidate("a", FIRSTS[0], SECONDS[0], cosine=0.9)])
    others = [dealt(tmp_path / name, CANDIDATES.kept, []) for name in ("definitions", "citations")]
    partial = dealt(tmp_path / "partial", PARTIAL.kept, [])
    params, scorer = ScoredParams(nli=str(folder)), ScorerParams(intercept=3, weights={"entailed": 0.1})
    outcomes = scored(intra, *others, partial, CoarseParams(), params, scorer, True)
    [row] = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    assert row["forward"] == pytest.approx(log_odds(folder, FIRSTS[0], SECONDS[0]), abs=0.01)
    assert row["backward"] == pytest.approx(log_odds(folder, SECONDS[0], FIRSTS[0]), abs=0.01)
    assert row["consistency"] == round(3 + 0.1 * min(row["forward"], row["backward"]), 2)


def test_a_classifier_without_a_label_for_entailment_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no model of entailment: its labels are positive, negative"):
        NliModel(str(write(tmp_path / "other", ("positive", "negative"))))
    with pytest.raises(ModelNotInstalledError, match="no such file"):
        NliModel("./nowhere")
