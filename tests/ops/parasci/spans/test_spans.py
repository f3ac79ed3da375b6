import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.models.encoder import encoder
from silverloom.ops.models.trained import CONFIG, WEIGHTS, ModelFilesError
from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.parasci.spans.model import SpanModel, SpanTask, load
from silverloom.ops.parasci.spans.served import KIND
from silverloom.ops.parasci.spans.spans import SpanConfig, best_span, overlap
from tests.ops.parasci.spans.span_cases import TEXTS, examples

scores = st.sampled_from([-np.inf, -3.0, -1.0, -0.5, 0.0])


@st.composite
def rows(draw):
    length = draw(st.integers(0, 9))
    row = st.lists(scores, min_size=length, max_size=length)
    return np.array(draw(row)), np.array(draw(row))


def slow_best(starts, ends):
    spans = [(i, j, starts[i] + ends[j]) for j in range(len(ends)) for i in range(j + 1)]
    best = max((total for *_, total in spans if np.isfinite(total)), default=None)
    return None if best is None else next(span for span in spans if span[2] == best)


@given(rows())
def test_the_best_span_equals_that_of_all_pairs_of_positions(both):
    assert best_span(*both) == slow_best(*both)


@given(*[st.none() | st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda p: (p[0], sum(p)))] * 2)
def test_the_overlap_is_f1_over_characters(found, wanted):
    sides = [set(range(*side)) if side else set() for side in (found, wanted)]
    shared = len(sides[0] & sides[1])
    expected = float(sides[0] == sides[1]) if not all(sides) else 2 * shared / sum(map(len, sides))
    assert overlap(found, wanted) == pytest.approx(expected)


@pytest.fixture(scope="module")
def model():
    return SpanModel(SpanConfig(trained_layers=1))


def read(model):
    return model.tokens([wanted for wanted, *_ in TEXTS], [text for _, text, _ in TEXTS])


def test_spans_begin_and_end_with_words_of_the_second_text(model):
    for tokens, (_, text, _) in zip(read(model), TEXTS, strict=True):
        words = [text[tokens.offsets[i][0] : tokens.offsets[j][1]]
                 for i, j in zip(tokens.starts[1:], tokens.ends[1:], strict=True)]  # fmt: skip
        assert "".join(words) == "".join(text.split())
    for span, (_, text, _) in zip(model.predict(read(model)), TEXTS, strict=True):
        assert 0 <= span.start < span.end <= len(text) and 0 < span.confidence < 1
        assert text[span.start : span.end] == text[span.start : span.end].strip()


def test_positions_outside_the_second_text_have_probability_zero(model):
    tokens = read(model)
    with torch.no_grad():
        found = model.scores(tokens)
    torch.testing.assert_close(found.exp().sum(dim=-1), torch.ones(2, len(tokens)))
    for number, its in enumerate(tokens):
        for row, allowed in zip(found[:, number], (its.starts, its.ends), strict=True):
            outside = [place for place in range(found.shape[2]) if place not in allowed]
            assert torch.isneginf(row[outside]).all() and torch.isfinite(row[allowed]).all()


def test_a_pair_is_read_the_same_alone_and_among_others(model):
    together, alone = model.predict(read(model)), [model.predict([its])[0] for its in read(model)]
    assert [span[:2] for span in together] == [span[:2] for span in alone]
    assert [span.confidence for span in together] == pytest.approx(
        [span.confidence for span in alone], rel=1e-3
    )
    assert model.tokens([], []) == [] and model.predict([]) == []


def test_the_best_span_of_the_model_is_the_best_of_all_its_spans(model):
    for tokens, span in zip(read(model), model.predict(read(model)), strict=True):
        with torch.no_grad():
            starts, ends = model.scores([tokens])[:, 0].double().exp().numpy()
        every = {(i, j): starts[i] * ends[j] for i in tokens.starts[1:] for j in tokens.ends[1:] if i <= j}
        first, last = max(every, key=every.get)
        assert span[:2] == (tokens.offsets[first][0], tokens.offsets[last][1])
        assert span.confidence == pytest.approx(every[first, last], rel=1e-5)


@pytest.mark.parametrize("layers", [0, 2])
def test_gradients_reach_only_the_head_and_the_trained_layers(layers):
    made = SpanModel(SpanConfig(trained_layers=layers))
    whole = encoder()[0].auto_model
    before = {name: value.clone() for name, value in whole.state_dict().items()}
    task = SpanTask(made, examples(), examples())
    task.loss([0, 1, 2]).backward()
    names = {
        name.split(".")[0] for name, weights in made.network.named_parameters() if weights.grad is not None
    }
    assert names == ({"head", "layers"} if layers else {"head"})
    assert {name.split(".")[1] for name in made.network.state_dict() if name.startswith("layers")} == {
        str(layer) for layer in range(layers)
    }
    train(task, TrainingParams(epochs=2, batch_size=2, learning_rate=0.01, metric="loss"))
    after = encoder()[0].auto_model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before), "the shared encoder never changes"


@pytest.mark.long
def test_the_model_learns_its_examples_and_is_read_back_from_its_files():
    made = SpanModel(SpanConfig(trained_layers=2))
    knobs = TrainingParams(
        epochs=40, batch_size=4, learning_rate=0.002, metric="overlap", direction="max", tie="loss"
    )
    outcome = train(SpanTask(made, examples(), examples()), knobs)
    assert outcome.best == 1.0
    again = load(made.save())
    assert again.save() == made.save() and made.save().keys() == {CONFIG, WEIGHTS}
    tokens = read(made)
    spans = again.predict(tokens)
    assert spans == made.predict(tokens)
    for example, span in zip(examples(), spans, strict=True):
        assert example.span is None or span[:2] == example.span
    answers = KIND.answer(KIND.load(made.save()), [{"wanted": w, "text": t} for w, t, _ in TEXTS], {})
    assert answers[0]["part"] == TEXTS[0][2] and answers[2]["confidence"] < 0.5 < answers[0]["confidence"]


def test_a_pair_that_is_too_long_is_no_example_and_has_no_part():
    made = SpanModel(SpanConfig(trained_layers=0, longest=12))
    with pytest.raises(ValueError, match="12 are read"):
        SpanTask(made, examples(), [])
    wanted, text, _ = TEXTS[0]
    assert KIND.answer(made, [{"wanted": wanted, "text": text}], {}) == [{"part": "", "confidence": 0.0}]


def test_more_layers_than_the_encoder_has_are_refused():
    with pytest.raises(ValueError, match="the encoder has 6"):
        SpanModel(SpanConfig(trained_layers=7))


def test_files_of_another_model_are_refused():
    files = SpanModel(SpanConfig(trained_layers=0)).save()
    with pytest.raises(ModelFilesError, match="not the weights"):
        load({**files, CONFIG: files[CONFIG].replace(b'"trained_layers": 0', b'"trained_layers": 1')})
