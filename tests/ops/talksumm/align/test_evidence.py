"""Posterior probabilities against dense forward-backward, and the evidence of good and bad alignments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.models.registry import word_vectors
from silverloom.ops.talksumm import GeometricTransition, HmmParams
from silverloom.ops.talksumm.align.evidence import evidence, posterior
from silverloom.ops.talksumm.align.hmm import DecodingTable, trellis

transitions = st.builds(
    GeometricTransition,
    states=st.integers(1, 10),
    stay=st.floats(0.01, 0.99),
    forward_decay=st.floats(0.05, 0.95),
    backward_factor=st.floats(0.05, 1),
    open_ends=st.booleans(),
)


def dense_posteriors(log_emission, log_start, matrix):
    """Textbook forward-backward (T x K), each step scaled."""
    likelihood = np.exp(log_emission)
    forward, backward = np.empty_like(likelihood), np.ones_like(likelihood)
    forward[0] = np.exp(log_start) * likelihood[0]
    for step in range(1, len(likelihood)):
        forward[step] = (forward[step - 1] / forward[step - 1].sum()) @ matrix * likelihood[step]
    for step in range(len(likelihood) - 2, -1, -1):
        after = matrix @ (likelihood[step + 1] * backward[step + 1])
        backward[step] = after / after.sum()
    joint = forward * backward
    return joint / joint.sum(axis=1, keepdims=True)


@given(
    transitions,
    st.integers(1, 120),
    st.integers(0, 2**32),
    st.sampled_from([0.1, 1.0, 5.0]),
    st.integers(1, 2000),
)
@settings(max_examples=2 * settings.default.max_examples)
def test_posteriors_are_those_of_dense_forward_backward_in_blocks_of_any_size(
    transition, steps, seed, sharpness, block_bytes
):
    random = np.random.default_rng(seed)
    table = -np.abs(random.normal(size=(7, transition.states))) * sharpness
    observations = random.integers(0, 7, steps)
    log_start = np.log(random.dirichlet(np.ones(transition.states)))
    path = random.integers(0, transition.states, steps).astype(np.int32)
    emission = DecodingTable(table, steps)
    made = posterior(emission, log_start, transition, observations, path, block_bytes)
    expected = dense_posteriors(table[observations], log_start, transition.dense())
    assert made == pytest.approx(expected[np.arange(steps), path], abs=1e-9)


PAPER = [
    "Dependency parsers analyse the grammar of a sentence.",
    "Neural networks translate languages into other languages.",
    "Bananas and oranges are kept in the refrigerator.",
    "Farmers wrote letters about harvests and prices.",
]


def of_talk(words, **params):
    chosen = HmmParams(**params)
    model = trellis(words.split(), PAPER, word_vectors(), chosen)
    return evidence(model, model.decode(chosen), chosen)


def test_evidence_counts_sentences_and_words():
    found = of_talk("parsers analyse grammar networks translate languages")
    assert (found.states, found.steps, found.stay) == (4, 6, 0.4)
    assert (found.coverage, found.last_three) == (0.5, 0.5)
    assert of_talk("parsers analyse grammar networks", model="paper").stay == 0.1


def test_a_paper_explains_its_own_talk_better_than_another():
    own = of_talk("parsers analyse the grammar and networks translate languages farmers wrote letters")
    other = of_talk("gravity bends light around galaxies while telescopes observe distant quasars tonight")
    assert own.explained > 0.6 > other.explained and own.posterior > other.posterior


def test_the_paper_model_has_no_background_so_that_everything_is_explained():
    assert of_talk("gravity bends light around galaxies", model="paper").explained == 1.0
