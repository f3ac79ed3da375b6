import math
import os
import platform
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from silverloom.ops.models.word_vectors import WordVectors
from silverloom.ops.talksumm.align.emission import PAPER, Emission, Similarity, log_emission

VECTORS = WordVectors(["east", "north", "west"], np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]], np.float32))


ROBUST = Similarity(sharpness=9, background=0.6, by_spelling=True)


def normalised(*similarities, floor=0.8):
    rest = [value - floor * min(similarities) for value in similarities]
    return [value / sum(rest) for value in rest]


def test_emissions_equal_those_computed_by_hand():
    table = np.exp(log_emission(["east", "north"], [["east"], ["north", "west"]], VECTORS))
    # Sentence 0: cosines 1 and 0. Sentence 1: the best of (0, -1) for east, of (1, 0) for north.
    assert table[:, 0] == pytest.approx(normalised(math.e, 1.0), abs=1e-15)
    assert table[:, 1] == pytest.approx(normalised(1.0, math.e), abs=1e-15)


def test_a_spoken_word_without_a_vector_gets_the_mean_of_all():
    mean = np.array([1 / 3, 1.0])
    cosine = mean[1] / np.linalg.norm(mean)
    table = np.exp(log_emission(["north", "xyzzy"], [["north"]], VECTORS))
    assert table[:, 0] == pytest.approx(normalised(math.e, math.exp(cosine)), abs=1e-7)


def test_a_paper_word_without_a_vector_is_skipped_and_a_sentence_without_any_gets_the_mean():
    spoken = ["east", "north"]
    with_unknown = log_emission(spoken, [["east", "xyzzy"], ["xyzzy"], []], VECTORS)
    assert with_unknown[:, 0].tolist() == log_emission(spoken, [["east"]], VECTORS)[:, 0].tolist()
    mean = np.array([1 / 3, 1.0]) / np.linalg.norm([1 / 3, 1.0])
    expected = normalised(math.exp(mean[0]), math.exp(mean[1]))
    assert np.exp(with_unknown[:, 1]) == pytest.approx(expected, abs=1e-7)
    assert with_unknown[:, 2].tolist() == with_unknown[:, 1].tolist()


def test_each_sentence_is_a_distribution_over_the_spoken_words():
    table = log_emission(
        ["east", "north", "west"], [["east"], ["west", "north"], []], VECTORS, Similarity(floor=0.3)
    )
    assert np.exp(table).sum(axis=0) == pytest.approx(np.ones(3), abs=1e-14)


def test_a_zero_vector_is_similar_to_nothing():
    vectors = WordVectors(["nil", "one"], np.array([[0.0, 0.0], [1.0, 0.0]], np.float32))
    table = np.exp(log_emission(["nil", "one"], [["one"]], vectors))
    assert table[:, 0] == pytest.approx(normalised(1.0, math.e), abs=1e-15)


def test_emissions_agree_with_numpy():
    random = np.random.default_rng(1)
    words = [f"w{index}" for index in range(60)]
    matrix = random.normal(size=(60, 17)).astype(np.float32)
    sentences = [list(random.choice(words, size)) for size in (1, 4, 9, 30)]
    spoken = words[:25]
    unit = matrix.astype(float) / np.linalg.norm(matrix.astype(float), axis=1, keepdims=True)
    expected = np.empty((25, 4))
    for state, sentence in enumerate(sentences):
        rows = unit[[words.index(word) for word in sentence]]
        similarity = np.exp((unit[:25] @ rows.T).max(axis=1))
        rest = similarity - 0.8 * similarity.min()
        expected[:, state] = np.log(rest / rest.sum())
    assert log_emission(spoken, sentences, WordVectors(words, matrix)) == pytest.approx(expected, abs=1e-12)


def corpus():
    random = np.random.default_rng(4)
    words = [f"w{index}" for index in range(400)]
    vectors = WordVectors(words, random.normal(size=(400, 8)).astype(np.float32))
    sentences = [list(random.choice(words, 5)) for _ in range(300)]
    return words[:350], sentences, vectors, random.integers(0, 350, 1000)


@pytest.mark.parametrize(("kept", "fresh"), [(0, 1), (0, 7 * 300), (100 * 300, 50 * 300), (349 * 300, 300)])
@pytest.mark.parametrize("similarity", [PAPER, ROBUST])
def test_rows_computed_on_demand_equal_those_of_the_table(kept, fresh, similarity):
    spoken, sentences, vectors, observed = corpus()
    table = log_emission(spoken, sentences, vectors, similarity)
    emission = Emission(
        spoken, sentences, vectors, similarity, np.bincount(observed, minlength=350), kept, fresh
    )
    for first in range(0, len(observed), emission.at_once):
        words = observed[first : first + emission.at_once]
        made, rows = emission.rows(words)
        assert made[rows].tobytes() == table[words].tobytes()


def test_memory_of_emissions_is_bounded_by_what_is_kept_and_computed_at_once():
    spoken, sentences, vectors, _ = corpus()
    log_emission(spoken[:2], sentences, vectors)  # loads and compiles
    peaks = []
    for kept in (350 * 300, 10 * 300):
        tracemalloc.start()
        Emission(spoken, sentences, vectors, kept_cells=kept, fresh_cells=10 * 300)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] / 2


def test_sharp_emissions_equal_those_computed_by_hand():
    similarity = Similarity(sharpness=3, background=0.5)
    table = np.exp(log_emission(["east", "north"], [["east"], ["north", "west"]], VECTORS, similarity))
    share = math.e**3 / (math.e**3 + 1)
    assert table[:, 0] == pytest.approx([share / 2 + 0.25, (1 - share) / 2 + 0.25], abs=1e-15)
    assert table[:, 1] == pytest.approx([(1 - share) / 2 + 0.25, share / 2 + 0.25], abs=1e-15)


def test_by_spelling_a_word_without_a_vector_equals_itself_and_is_unlike_others():
    similarity = Similarity(by_spelling=True)
    spoken = ["east", "xyzzy", "plugh"]
    table = np.exp(log_emission(spoken, [["east"], ["xyzzy", "north"], ["other"]], VECTORS, similarity))
    assert table[:, 0] == pytest.approx(normalised(math.e, 1.0, 1.0, floor=0), abs=1e-15)
    assert table[:, 1] == pytest.approx(normalised(1.0, math.e, 1.0, floor=0), abs=1e-15)
    assert table[:, 2] == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_with_a_background_a_word_that_no_sentence_has_tells_little_about_sentences():
    spoken, sentences, vectors, _ = corpus()
    away = ["?", *spoken]
    table = log_emission(away, sentences, vectors, ROBUST)
    assert np.ptp(table[0]) < 0.1 < np.ptp(table[1:], axis=1).min()


def test_word_vectors_that_are_not_numbers_are_refused():
    vectors = WordVectors(["east", "nowhere"], np.array([[2.0, 0.0], [math.nan, 0.0]], np.float32))
    with pytest.raises(ValueError, match="NaN or infinity"):
        log_emission(["east"], [["nowhere"]], vectors)


def test_exp_and_log_are_as_accurate_as_the_library():
    from silverloom.ops.core.logarithms import log
    from silverloom.ops.talksumm.align import kernels

    for value in np.linspace(-1, 1, 2001):
        assert kernels.exp(value) == pytest.approx(math.exp(value), rel=4e-16)
    for value in np.linspace(-690, 0, 2001):
        assert kernels.exps(np.array([value]))[0] == pytest.approx(math.exp(value), rel=1e-13)
    assert kernels.exps(np.array([-math.inf, 0.0])).tolist() == [0.0, 1.0]
    for value in [*np.geomspace(1e-300, 1e300, 2001), *np.linspace(0.5, 2, 2001), 5e-324]:
        assert log(value) == pytest.approx(math.log(value), rel=4e-16, abs=1e-300)
    assert log(0.0) == -math.inf and log(1.0) == 0.0


SAME_BITS = """
import hashlib, numpy as np
from silverloom.ops.models.word_vectors import WordVectors
from silverloom.ops.talksumm import GeometricTransition
from silverloom.ops.talksumm import viterbi
from silverloom.ops.talksumm.align.emission import Similarity, log_emission
random = np.random.default_rng(2)
words = [f"w{i}" for i in range(90)]
vectors = WordVectors(words, random.normal(size=(90, 50)).astype(np.float32))
table = log_emission(words[:40] + ["?"], [words[i : i + 7] for i in range(60)], vectors)
robust = Similarity(sharpness=9, background=0.6, by_spelling=True)
sharp = log_emission(words[:40] + ["?"], [words[i : i + 7] for i in range(60)], vectors, robust)
beta = GeometricTransition(60, 0.3).logs[0]
path = viterbi(table, np.zeros(60), GeometricTransition(60, 0.3), random.integers(0, 41, 300))
print(hashlib.sha256(table.tobytes() + sharp.tobytes() + beta.tobytes() + path.tobytes()).hexdigest())
"""


@pytest.mark.long
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names processors of this family")
def test_old_and_new_processors_compute_the_same_bits(tmp_path):
    digests = set()
    for processor in ("x86-64", "x86-64-v2", None):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
            environment.pop(name, None)
        if processor:
            environment |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
        done = subprocess.run(
            [sys.executable, "-c", SAME_BITS], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1
