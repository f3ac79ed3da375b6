import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save

from silverloom.ops.models.training import (
    CheckpointError,
    NotFiniteError,
    ProgressLines,
    TrainingError,
    TrainingParams,
    errors_of,
    train,
)
from tests.ops.models.training.toy_task import PARAMS, Folder, Memory, Toy

ROOT = Path(__file__).resolve().parents[4]


def trained(params=PARAMS, task=None, checkpoints=None, report=None, strict=True):
    task = task or Toy()
    outcome = train(task, params, checkpoints, report, strict)
    return save(dict(task.module.state_dict())), outcome


def run_children(*runs):
    """Train in a series of processes, each killed at an update of its run (0: never); return how they ended."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("toy_task.py"), *(str(one) for run in runs for one in run)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.mark.long
def test_a_run_that_is_killed_twice_ends_with_the_bytes_of_an_uninterrupted_one(tmp_path):
    broken, unbroken = tmp_path / "broken", tmp_path / "unbroken"
    # Updates 6 and 17 are between checkpoints, in the first and in the last epoch.
    assert run_children((broken, 6)) == [-signal.SIGKILL]
    assert Folder(broken).read() is not None
    assert run_children((broken, 17), (broken, 0), (unbroken, 0)) == [-signal.SIGKILL, 0, 0]
    assert Folder(broken).read() == Folder(unbroken).read()
    assert load(Folder(broken).read()["best.safetensors"]).keys() == Toy().module.state_dict().keys()


def test_a_run_resumes_from_every_checkpoint_to_the_same_weights_and_curve():
    class Every(Memory):
        def __init__(self):
            super().__init__()
            self.history = []

        def write(self, files):
            super().write(files)
            self.history.append(dict(files))

    kept = Every()
    weights, outcome = trained(PARAMS.model_copy(update={"checkpoint_every": 1}), checkpoints=kept)
    assert len(kept.history) == outcome.steps == 21
    for files in kept.history:
        again = Memory()
        again.files = files
        assert trained(checkpoints=again) == (weights, outcome)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others():
    weights, outcome = trained()
    assert trained() == (weights, outcome)
    assert trained(PARAMS.model_copy(update={"seed": 4}))[0] != weights


def test_training_does_not_change_the_callers_random_generator():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    trained()
    assert torch.equal(torch.rand(3), expected)


def test_a_run_may_follow_one_with_another_precision_in_the_same_process():
    from accelerate import Accelerator

    Accelerator(cpu=True, mixed_precision="bf16")
    _, outcome = trained()
    assert outcome.reason == "epochs"


@pytest.mark.parametrize("knob", [{"beta_1": 0.5}, {"beta_2": 0.9}, {"epsilon": 0.1}])
def test_the_params_of_the_optimiser_change_what_is_learnt(knob):
    tasks = Toy(), Toy()
    for task, params in zip(tasks, (PARAMS, PARAMS.model_copy(update=knob)), strict=True):
        train(task, params, Memory())
    plain, other = (task.module.state_dict()["0.weight"] for task in tasks)
    assert not torch.equal(plain, other)


def test_training_reduces_the_error():
    _, outcome = trained(PARAMS.model_copy(update={"epochs": 20}))
    errors = [point.value for point in outcome.curve if point.name == "error"]
    assert len(errors) == 20
    assert outcome.best == min(errors) < errors[0] / 4


def test_two_parts_of_an_update_equal_one_of_twice_the_size():
    class Plain(Toy):
        def __init__(self):
            super().__init__()
            self.module[2].p = 0.0

    once = TrainingParams(epochs=4, batch_size=8, metric="error")
    _, whole = trained(once, Plain())
    _, parts = trained(TrainingParams(epochs=4, batch_size=4, accumulation=2, metric="error"), Plain())
    assert parts.steps == whole.steps == 28
    for first, second in zip(whole.curve, parts.curve, strict=True):
        assert second.value == pytest.approx(first.value, rel=1e-5)


def test_options_that_are_off_are_in_no_report_and_no_checkpoint():
    written = TrainingParams().model_dump(mode="json")
    assert not {"gradient_checkpointing", "beta_1", "beta_2", "epsilon"} & written.keys()
    assert TrainingParams(beta_1=0.8).model_dump(mode="json")["beta_1"] == 0.8


def test_a_module_that_cannot_checkpoint_gradients_is_refused_by_name():
    with pytest.raises(TrainingError, match="Sequential cannot checkpoint gradients"):
        trained(PARAMS.model_copy(update={"gradient_checkpointing": True}))


@pytest.mark.parametrize("knob", ["precision", "batch_size", "processes", "accumulation"])
def test_a_param_with_a_bad_value_is_refused_by_both(knob):
    with pytest.raises(ValueError, match=rf"{knob}\n.*input_value='float16'"):
        TrainingParams(**{knob: "float16"})


def test_matrix_products_use_bfloat16_on_a_processor_that_has_it_and_never_under_strict_numerics(monkeypatch):
    learnt = {}
    for has in (True, False):
        monkeypatch.setattr("torch.cpu.get_capabilities", lambda has=has: {"avx512_bf16": has})
        learnt[has] = trained(strict=False)
    assert learnt[True][0] != learnt[False][0]
    assert learnt[True][1].best == pytest.approx(learnt[False][1].best, rel=0.1)
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: {"avx512_bf16": True})
    assert trained() == trained(PARAMS.model_copy(update={"precision": "float32"}))


def test_early_stopping_keeps_the_weights_with_the_best_validation():
    seen = []

    class Spy(Toy):
        def validate(self):
            seen.append(save(dict(self.module.state_dict())))
            return super().validate()

    params = PARAMS.model_copy(update={"epochs": 10, "patience": 2})
    weights, outcome = trained(params, Spy(metrics=[3.0, 1.0, 2.0, 1.5, 0.0]))
    assert (outcome.reason, outcome.best, outcome.best_step, outcome.steps) == ("patience", 1.0, 14, 28)
    assert weights == seen[1]


def test_a_metric_to_be_maximised_is_kept_at_its_highest():
    params = PARAMS.model_copy(update={"direction": "max"})
    _, outcome = trained(params, Toy(metrics=[0.1, 0.3, 0.2]))
    assert (outcome.reason, outcome.best, outcome.best_step) == ("epochs", 0.3, 14)


def test_of_equal_values_of_the_metric_the_one_with_the_lower_tie_breaker_is_kept():
    class Level(Toy):
        def validate(self):
            self.validations += 1
            return {
                "error": [0.0, 0.0, 0.0, 0.0, 0.0][self.validations - 1],
                "loss": [3, 1, 2, 1, 1][self.validations - 1],
            }

    params = PARAMS.model_copy(update={"epochs": 5, "tie": "loss", "patience": 3})
    _, outcome = trained(params, Level())
    assert (outcome.best, outcome.best_step, outcome.reason) == (0.0, 14, "patience")
    _, outcome = trained(params.model_copy(update={"tie": None}), Level())
    assert outcome.best_step == 7


def test_a_tie_breaker_that_validation_does_not_return_is_named():
    with pytest.raises(TrainingError, match="no metric 'loss'; it gives error"):
        trained(PARAMS.model_copy(update={"tie": "loss"}))


def test_the_rate_falls_with_its_schedule():
    def rates(steps=100, **knobs):
        params = TrainingParams(learning_rate=1.0, **knobs)
        return [params.rate(step, steps) for step in range(steps)]

    root = rates(schedule="inverse_sqrt", warmup=0.1)
    assert root[:10] == pytest.approx([(step + 1) / 10 for step in range(10)])
    # After the warm-up it is the reference: d^-0.5 min(n^-0.5, n w^-1.5), scaled to a peak of 1.
    noam = [min((n + 1) ** -0.5, (n + 1) * 10**-1.5) * 10**0.5 for n in range(100)]
    assert root == pytest.approx(noam)
    falling = rates(schedule="exponential", warmup=0.0, decay=0.5, decay_every=10)
    assert falling[0] == 1 and falling[10] == pytest.approx(0.5) and falling[25] == pytest.approx(0.5**2.5)
    assert rates(schedule="inverse_sqrt", warmup=0.0)[0] == 1


def test_the_number_of_updates_can_be_bounded():
    _, outcome = trained(PARAMS.model_copy(update={"steps": 5}))
    assert (outcome.steps, outcome.reason) == (5, "steps")
    assert [point.step for point in outcome.curve] == [5, 5]


def test_a_finished_run_is_not_started_again():
    kept = Memory()
    first = trained(checkpoints=kept)
    task = Toy()
    assert trained(task=task, checkpoints=kept) == first
    assert task.validations == 0


def test_a_training_set_without_examples_is_refused_before_training():
    with pytest.raises(TrainingError, match="the training set has no examples"):
        train(Toy(examples=0), PARAMS)


@pytest.mark.parametrize("kind", [TrainingError, NotFiniteError])
def test_errors_of_a_model_start_with_its_name_and_keep_their_type(kind):
    with pytest.raises(kind, match=r"^tiny: no examples$") as found, errors_of("tiny"):
        raise kind("no examples")
    assert type(found.value) is kind


def test_other_errors_are_unchanged():
    with pytest.raises(KeyError, match=r"^'text'$"), errors_of("tiny"):
        raise KeyError("text")


def test_a_metric_that_validation_does_not_return_is_named_with_those_it_returns():
    with pytest.raises(TrainingError, match="no metric 'rouge2'; it gives error"):
        trained(PARAMS.model_copy(update={"metric": "rouge2"}))


def test_a_loss_that_is_not_a_number_stops_at_once_and_the_last_checkpoint_stays():
    kept = Memory()
    params = PARAMS.model_copy(update={"checkpoint_every": 1, "accumulation": 1})
    with pytest.raises(
        NotFiniteError, match=r"update \d+, epoch 1: the loss is nan; examples: .*point-33"
    ) as error:
        trained(params, Toy(poisoned=33), kept)
    state = json.loads(kept.files["state.json"])["state"]
    assert f"update {state['step'] + 1}," in str(error.value)
    assert f"the checkpoint of update {state['step']} stays" in str(error.value)
    for name in ("weights.safetensors", "best.safetensors"):
        assert all(bool(value.isfinite().all()) for value in load(kept.files[name]).values())


@pytest.mark.parametrize("clip", [1.0, None])
def test_a_gradient_that_is_not_a_number_stops_training_as_well(clip):
    class Steep(Toy):
        def loss(self, indices):
            # sqrt at 0: the value is 0, the slope is infinite
            return (super().loss(indices) * 0).sqrt()

    with pytest.raises(NotFiniteError, match=r"update 1, epoch 1: the gradient's norm is nan"):
        trained(PARAMS.model_copy(update={"clip": clip}), task=Steep())


def test_a_checkpoint_of_another_config_is_refused_naming_the_difference():
    kept = Memory()
    trained(checkpoints=kept)

    class Wider(Toy):
        def identity(self):
            return {"model": {"width": 9}, "data": "other"}

    with pytest.raises(
        CheckpointError,
        match=r"task\.data was \"toy\", is \"other\"; task\.model\.width was 8, is 9; training\.seed was 3, is 4\. Remove it",
    ):
        trained(PARAMS.model_copy(update={"seed": 4}), Wider(), kept)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda files: files.pop("best.safetensors"), "has no best.safetensors; remove it"),
        (lambda files: files.update({"state.json": b"{"}), "cannot be read: .*; remove it"),
        (lambda files: files.update({"weights.safetensors": b"abc"}), "cannot be read: .*; remove it"),
    ],
)
def test_an_unreadable_checkpoint_says_so(spoil, message):
    kept = Memory()
    trained(checkpoints=kept)
    spoil(kept.files)
    with pytest.raises(CheckpointError, match=message):
        trained(checkpoints=kept)


def test_progress_reports_every_update_with_rate_and_remaining_time():
    told = []
    _, outcome = trained(report=told.append)
    assert [one.step for one in told] == list(range(1, outcome.steps + 1))
    assert {one.steps for one in told} == {outcome.steps}
    assert [one.epoch for one in told] == [0] * 7 + [1] * 7 + [2] * 7
    assert all(one.rate > 0 for one in told) and told[-1].remaining == 0
    assert [one.step for one in told if one.metrics] == [7, 14, 21]


def test_the_printer_writes_validations_and_nothing_in_between():
    stream = StringIO()
    trained(report=ProgressLines(stream=stream, seconds=3600))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("update 1/21  epoch 1  loss ")
    assert "updates/s" in lines[-1] and "0:00 left  error " in lines[-1]
