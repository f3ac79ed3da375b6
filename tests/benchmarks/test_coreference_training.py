"""Reading GAP, and fitting and storing the network of the coreference ranker."""

import numpy as np
import pytest
import typer

from benchmarks import gap
from benchmarks.coreference_network import Lists, fit, save, together
from benchmarks.coreference_training import main, platt
from silverloom.ops.coreference.network import Network, network

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
ROW = "x-1\tAnna met Eve. She left.\tShe\t14\tAnna\t0\tTRUE\tEve\t9\tFALSE\thttp://example.org/wiki/Zo%C3%AB_Lee_(singer)\n"


def test_gap_is_read_with_the_offsets_of_its_names(tmp_path):
    file = tmp_path / "gap.tsv"
    file.write_text(HEADER + ROW)
    (example,) = gap.read(file)
    assert example.feminine
    assert [example.text[name.start : name.end] for name in example.names] == ["Anna", "Eve"]
    assert [name.meant for name in example.names] == [True, False]
    assert example.title == "Zoë Lee (singer)"


def test_a_row_without_a_name_is_refused_with_its_offset(tmp_path):
    file = tmp_path / "gap.tsv"
    file.write_text(HEADER + ROW + "x-2\tAnna left.\tShe\n")
    with pytest.raises(ValueError, match=r"gap\.tsv, row 3: no Pronoun-offset, A, .*not a file of GAP"):
        gap.read(file)


def test_f1_counts_two_decisions_an_example():
    def example(first, second):
        return gap.GapExample("", "she", 0, (gap.GapName(0, 1, first), gap.GapName(1, 2, second)), "")

    scored = gap.score(
        [
            (example(True, False), (True, False)),
            (example(True, False), (False, True)),
            (example(False, False), (False, False)),
        ]
    )
    assert scored == (50.0, 50.0, 50.0)


def test_a_network_learns_the_right_candidate_and_the_same_twice():
    random = np.random.default_rng(0)
    rows, targets = [], []
    for _ in range(200):
        table = random.normal(size=(4, 6))
        table[-1] = 0.0
        best = int(table[:3, 0].argmax())
        rows.append(table.tolist())
        targets.append([float(index == best) for index in range(4)])
    lists = Lists.of(rows, targets)
    first, second = fit(lists, seed=3), fit(lists, seed=3)
    right = sum(
        int(first.probabilities(row).argmax()) == target.index(1.0)
        for row, target in zip(rows, targets, strict=True)
    )
    assert right >= 180
    assert first.hidden.tolist() == second.hidden.tolist()


def test_the_score_of_an_ensemble_is_the_mean_of_its_networks_scores():
    random = np.random.default_rng(0)
    rows = [random.normal(size=(4, 6)).tolist() for _ in range(100)]
    lists = Lists.of(rows, [[1.0, 0.0, 0.0, 0.0]] * 100)
    members = [fit(lists, seed) for seed in range(3)]
    logs = np.mean([np.log(member.probabilities(rows[0])) for member in members], axis=0)
    expected = np.exp(logs) / np.exp(logs).sum()
    assert together(members).probabilities(rows[0]) == pytest.approx(expected)


def test_platt_scaling_estimates_how_often_a_probability_is_right():
    known = [(0.9, number % 10 < 6) for number in range(100)] + [
        (0.2, number % 10 < 4) for number in range(100)
    ]
    slope, intercept = platt(known)
    for probability, share in ((0.9, 0.6), (0.2, 0.4)):
        odds = slope * np.log(probability / (1 - probability)) + intercept
        assert 1 / (1 + np.exp(-odds)) == pytest.approx(share, abs=0.01)


def test_training_without_its_file_says_which_file_is_needed(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["train", "none.tsv"])
    with pytest.raises(SystemExit) as ended:
        typer.run(main)
    assert ended.value.code == 2 and "'none.tsv' does not exist" in capsys.readouterr().err


def test_weights_are_read_back_unchanged(tmp_path):
    save(network(), tmp_path / "weights.safetensors")
    again = Network.load(tmp_path / "weights.safetensors")
    rows = [[float(number % 3)] * len(again.mean) for number in range(4)]
    assert again.probabilities(rows).tolist() == network().probabilities(rows).tolist()
    assert abs(float(again.probabilities(rows).sum()) - 1.0) < 1e-12
