"""Properties of both extractors."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.models.trained import CONFIG, WEIGHTS, ModelFilesError
from silverloom.ops.models.training import TrainingError, TrainingParams, train
from silverloom.ops.talksumm.extractors import paper as paper_module
from silverloom.ops.talksumm.extractors.files import load, save
from silverloom.ops.talksumm.extractors.paper import ExtractorPaper, LabelError, Labelled
from silverloom.ops.talksumm.extractors.tasks import PointerTask, TransformerTask, task_of
from tests.ops.talksumm.extractors.extractor_cases import (
    VECTORS,
    embed,
    paper_of,
    pointer,
    spans,
    transformer,
)

BOTH = pytest.mark.parametrize("extractor", [pointer(), transformer()], ids=["pointer", "transformer"])
SENTENCES = st.lists(st.lists(st.sampled_from(["w1", "w2", "x", "naïve", "§"]), max_size=6).map(" ".join))


@BOTH
@given(sentences=SENTENCES, words=st.integers(1, 40))
def test_no_sentence_is_repeated_or_empty_and_the_last_one_reaches_the_budget(extractor, sentences, words):
    found = extractor.extract(paper_of(sentences), words)
    lengths = [len(text.split()) for text in sentences]
    assert len(found.indices) == len(found.scores) == len(set(found.indices))
    assert all(lengths[index] for index in found.indices)
    used = sum(lengths[index] for index in found.indices)
    if used < words:
        assert len(found.indices) == sum(length > 0 for length in lengths)
    else:
        assert used - lengths[found.indices[-1]] < words


@BOTH
def test_a_paper_of_one_sentence_gives_that_sentence(extractor):
    assert extractor.extract(paper_of(["w1 w2 w3"])).indices == (0,)
    assert extractor.extract(paper_of(["w1 w2 w3"]), None).indices == (0,)


@BOTH
def test_a_budget_below_one_word_is_refused(extractor):
    with pytest.raises(ValueError, match="a summary of 0 words"):
        extractor.extract(paper_of(["w1"]), 0)


@BOTH
def test_a_saved_extractor_extracts_as_before_and_saves_to_the_same_bytes(extractor):
    files = save(extractor)
    again = load(files, VECTORS, embed)
    assert save(again) == files
    paper = paper_of(spans(30, 5))
    assert again.extract(paper) == extractor.extract(paper)
    assert again.config == extractor.config


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda files: files.pop(WEIGHTS), "no weights.safetensors among"),
        (
            lambda files: files.update({CONFIG: b'{"kind": "pointer", "chanels": 3}'}),
            "config.json: .*chanels",
        ),
        (lambda files: files.update({WEIGHTS: b"no"}), "weights.safetensors: "),
        (lambda files: files.update({WEIGHTS: save(transformer())[WEIGHTS]}), "weights.safetensors: "),
    ],
)
def test_files_that_are_not_an_extractor_are_refused_by_name(spoil, message):
    files = save(pointer())
    spoil(files)
    with pytest.raises(ModelFilesError, match=message):
        load(files, VECTORS, embed)


def test_the_same_seed_makes_the_same_weights():
    assert save(pointer(3)) == save(pointer(3)) != save(pointer(4))
    assert save(transformer(3)) == save(transformer(3)) != save(transformer(4))


def test_a_paper_without_sections_is_one_section_with_the_role_other():
    paper = ExtractorPaper("P", ["a", "b"])
    assert (paper.roles, paper.sections) == (("other", "other"), (0, 0))
    with pytest.raises(ValueError, match="paper P: 2 sentences, 1 roles"):
        ExtractorPaper("P", ["a", "b"], roles=["data"])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0], [3]], r"row 1 \(paper B\): label 3 is outside the paper, which has 3 sentences"),
        ([[-1], [0]], r"row 0 \(paper A\): label -1 is outside"),
        ([[0], [1, 1]], r"row 1 \(paper B\): a sentence is labelled twice"),
        ([[0]], "2 papers, labels of 1"),
    ],
)
def test_labels_that_are_not_sentences_are_refused_by_row(labels, message):
    with pytest.raises(LabelError, match=message):
        Labelled([ExtractorPaper("A", ["x", "y"]), ExtractorPaper("B", ["x", "y", "z"])], labels)


def test_gains_that_do_not_fit_their_paper_are_refused_by_row():
    with pytest.raises(LabelError, match=r"row 0 \(paper A\): 2 sentences, 1 gains"):
        Labelled([ExtractorPaper("A", ["x", "y"])], [[0]], [[1.0]])


MARKED = "w7 w8 w9"


def marked(papers, seed):
    """Papers whose summary is the sentences with three words in a row."""
    found, labels = [], []
    for number in range(papers):
        sentences = [text.replace("w7", "w6") for text in spans(12, 100 * seed + number)]
        chosen = [(number * 5 + seed) % 12, (number * 5 + seed + 7) % 12]
        for index in chosen:
            sentences[index] = MARKED
        found.append(ExtractorPaper(f"P{number}", sentences))
        labels.append(chosen)
    return Labelled(found, labels)


def share(labelled):
    """The share of chosen sentences that are labelled, as a validation score."""

    def judge(row, extraction):
        chosen = extraction.indices[:2]
        return len({*chosen} & {*labelled.labels[row]}) / 2

    return judge


TASKS = pytest.mark.parametrize(
    ("extractor", "task", "rate"),
    [(pointer, PointerTask, 0.03), (transformer, TransformerTask, 0.01)],
    ids=["pointer", "transformer"],
)


@TASKS
def test_an_extractor_learns_to_find_the_marked_sentences(extractor, task, rate):
    training, validation = marked(24, 1), marked(8, 2)
    model = extractor()
    begun = task(model, training, validation, share(validation), words=6)
    before = begun.validate()["score"]
    params = TrainingParams(
        epochs=12, batch_size=4, learning_rate=rate, warmup=0.0, metric="score", direction="max"
    )
    outcome = train(begun, params)
    assert before < 0.6 < 0.9 < outcome.best
    assert sorted({point.name for point in outcome.curve}) == ["loss", "score", "train/loss"]


@TASKS
def test_validation_gives_no_score_without_a_scorer_and_no_loss_without_labels(extractor, task, rate):
    validation = marked(2, 2)
    assert list(task(extractor(), marked(2, 1), validation).validate()) == ["loss"]
    unlabelled = Labelled([ExtractorPaper("A", []), *validation.papers], [[], [], []])
    found = task(extractor(), marked(2, 1), unlabelled, lambda row, extraction: float(row)).validate()
    assert found == {"score": 1.0}


@TASKS
def test_papers_without_labels_are_skipped_and_none_at_all_is_an_error(extractor, task, rate):
    empty = Labelled([ExtractorPaper("A", []), ExtractorPaper("B", ["w1 w2"])], [[], []])
    with pytest.raises(TrainingError, match="the training set has no examples"):
        train(task(extractor(), empty, marked(2, 1)), TrainingParams())


@TASKS
def test_the_identity_of_a_task_has_data_size_and_initial_weights(extractor, task, rate):
    one = task(extractor(), marked(2, 1), marked(2, 2)).identity()
    assert task(extractor(), marked(2, 1), marked(2, 2)).identity() == one
    other = task(extractor(seed=1), marked(3, 1), marked(2, 3)).identity()
    assert {key for key in one if one[key] != other[key]} == {
        "initial weights",
        "training set",
        "validation set",
    }


def test_gains_are_learnt_instead_of_labels():
    labels = marked(24, 1)
    others = [[(index + 1) % 12 for index in chosen] for chosen in labels.labels]
    gains = [[float(index in chosen) for index in range(12)] for chosen in labels.labels]
    soft = Labelled(labels.papers, others, gains)
    assert soft.digest() != Labelled(labels.papers, others).digest()
    validation = marked(8, 2)
    task = TransformerTask(transformer(), soft, validation, share(validation), words=6)
    params = TrainingParams(
        epochs=12, batch_size=4, learning_rate=0.01, warmup=0.0, metric="score", direction="max"
    )
    assert train(task, params).best > 0.9


def test_the_loss_of_gains_is_the_cross_entropy_of_two_softmaxes():
    paper = paper_of(spans(3, 0))
    gains = [1.0, 0.0, 0.4]
    model = transformer(members=2)
    soft = Labelled([paper], [[0]], [gains])
    wanted = [math.exp(5 * gain) for gain in gains]
    losses = []
    for member in model.network.members:
        scores = [math.exp(score) for score in member(*model.inputs(paper)).tolist()]
        losses.append(
            -sum(
                one / sum(wanted) * math.log(score / sum(scores))
                for one, score in zip(wanted, scores, strict=True)
            )
        )
    assert TransformerTask(model, soft, soft).validate()["loss"] == pytest.approx(sum(losses) / 2, rel=1e-5)


def test_only_the_first_sentences_of_a_training_paper_are_read(monkeypatch):
    monkeypatch.setattr(paper_module, "LONGEST", 3)
    papers = [ExtractorPaper("A", spans(5, 0)), ExtractorPaper("B", spans(5, 1))]
    [(paper, labels, gains)] = Labelled(papers, [[4, 2], [3]]).learnable()
    assert (paper.id, len(paper), len(paper.roles), labels, gains) == ("A", 3, 3, [2], [])


def test_each_extractor_is_trained_by_its_own_task():
    empty = Labelled([], [])
    assert type(task_of(pointer(), empty, empty)) is PointerTask
    assert type(task_of(transformer(), empty, empty)) is TransformerTask


def test_a_task_scores_by_the_words_that_it_is_given():
    papers = Labelled([paper_of(spans(9, 1))], [[0, 3]])
    heard = []

    def judge(row, extraction):
        heard.append((row, extraction))
        return 0.25

    for model in (pointer(), transformer()):
        assert task_of(model, papers, papers, judge, 11).validate()["score"] == 0.25
        assert heard.pop() == (0, model.extract(papers.papers[0], 11))
