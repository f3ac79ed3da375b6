from collections import Counter

import numpy as np
import pytest

from ops.core.parts import Artifact
from ops.parasci.candidates.pairs import CoarseParams
from ops.parasci.dataset.scored import ScoredParams, scored
from ops.parasci.dataset.scorer import ScorerParams, consistency
from ops.parasci.entailment.config import EntailmentConfig, EntailmentExample
from ops.parasci.entailment.edits import CLAUSES, SENSE, Choices, edited
from ops.parasci.entailment.entailment import ENTAILMENT, MODELS, EntailmentParams, entailment
from ops.parasci.entailment.examples import of_mined, of_pair
from ops.parasci.entailment.model import EntailmentModel, EntailmentTask, load
from ops.parasci.entailment.served import KIND
from ops.parasci.entailment.stored import MODEL, entailment_model
from ops.parasci.partial.partial import PARTIAL
from ops.parasci.schemas import CANDIDATES
from tests.checkpoints import Memory
from tests.ops.parasci.parasci_cases import candidate, no_entailment
from tests.parts import dealt, parts

SENTENCE = "The parser of Smith outperforms it on 12 tasks, which makes the method useful for long texts."
OTHER = "We read SemCor from left to right by using a stack that holds open brackets."


def edits(sentence, kind, other=OTHER):
    """Return the results of one kind of edit of a sentence, from several draws."""
    found = (edited(sentence, other, Choices(number), [kind]) for number in range(30))
    return {edit.text: edit for edit in found if edit is not None}


@pytest.mark.parametrize(
    ("kind", "sentence", "texts"),
    [
        ("number", "It has two parts in all.", {f"It has {word} parts in all." for word in
         ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")}),
        ("number", "It wins 7 times.", {f"It wins {digit} times." for digit in "12345689"}),
        ("negation", "It is not long.", {"It is long."}),
        ("negation", "It is long.", {"It is not long."}),
        ("opposite", "Higher values are kept.", {"lower values are kept."}),
        ("turned", "Clearly BERT is faster than GloVe.", {"Clearly GloVe is faster than BERT."}),
        ("name", "We use BERT here.", {"We use SemCor here."}),
        ("dropped", "We find the sense of a word, which is hard for a parser.", {"We find the sense of a word, which is hard.",
         "We find the sense of a word, for a parser."}),
        ("added", "We find the sense.", {"We find the sense from left to right.",
         "We find the sense using a stack that holds open brackets."}),
    ],
)  # fmt: skip
def test_an_edit_makes_these_texts_from_a_sentence(kind, sentence, texts):
    assert set(edits(sentence, kind)) <= texts
    assert edits(sentence, kind)


def test_a_content_word_is_replaced_by_one_of_the_other_sentence():
    words = {"semcor", "right", "using", "stack", "holds", "brackets"}
    texts = {text for word in words for text in (f"We {word} trees.", f"We parse {word}.")}
    assert len(edits("We parse trees.", "word").keys() & texts) > 3
    assert edits("We parse trees.", "word").keys() <= texts


@pytest.mark.parametrize("kind", [*SENSE, *CLAUSES])
def test_an_edit_knows_which_side_entails_the_other_and_ends_like_the_sentence(kind):
    for text, edit in edits(SENTENCE, kind).items():
        assert text != SENTENCE
        assert text.endswith(".")
        assert not text.endswith((",.", "..", " ."))
        assert (edit.forward, edit.backward) == (kind == "dropped", kind == "added")


@pytest.mark.parametrize("kind", [*SENSE, *CLAUSES])
def test_a_sentence_without_material_for_a_kind_of_edit_has_none(kind):
    assert edits("We go on.", kind, "We see it.") == {}


def test_the_examples_of_a_pair_are_the_pair_an_edit_of_it_and_an_edit_of_a_sentence():
    pair = SENTENCE, "Smith's parser beats it on 12 tasks; so the method is of use for long texts."
    kinds = Counter()
    for number in range(40):
        found = list(of_pair(f"pair {number}", pair, OTHER))
        assert found == list(of_pair(f"pair {number}", pair, OTHER))
        assert [example.kind.split(":")[0] for example in found] == ["pair", "pair", "same"]
        assert {found[0].first, found[0].second} == set(pair)
        assert (found[0].forward, found[0].backward) == (True, True)
        assert all(not (example.forward and example.backward) for example in found[1:])
        for example in found[2:]:
            assert len({example.first, example.second} & set(pair)) == 1
        kinds.update(example.kind.split(": ")[1] for example in found[1:])
    assert set(kinds) >= {"number", "negation", "word", "dropped", "added"}


def test_a_swapped_example_has_its_directions_swapped():
    example = next(
        example
        for number in range(40)
        for example in of_pair(str(number), (SENTENCE, SENTENCE), OTHER)
        if example.kind.endswith(("dropped", "added"))
    )
    assert example.swapped() == (
        example.kind,
        example.second,
        example.first,
        example.backward,
        example.forward,
    )
    longer = max(example.first, example.second, key=len)
    assert (longer == example.first) == example.forward
    assert of_mined(("a", "b"))[1:] == ("a", "b", False, False)


def related(name, cosine=0.7, **more):
    """Return a pair of related sentences with few words in common."""
    return candidate(
        name, f"Trees of {name} words.", "The sense of a word is in SemCor.", cosine=cosine, **more
    )


def pairs(mined=30):
    """Return pairs within papers: similar, related, and those that are neither."""
    rows = [
        candidate(
            f"alike {number}",
            f"We train {number + 3} models of a parser, which is hard.",
            f"A parser has {number + 3} models that we train, which is hard.",
            cosine=0.9,
            key=f"paper {number % 5}",
            papers=(f"paper {number % 5}",) * 2,
        )
        for number in range(10)
    ]
    papers = [f"paper {number % 5}" for number in range(mined)]
    rows += [
        related(f"mined{number}", key=paper, papers=(paper, paper)) for number, paper in enumerate(papers)
    ]
    rows += [related("between", 0.8), related("unlike", 0.59)]
    rows.append(candidate("overlap", "We parse all trees.", "We tag all trees.", cosine=0.7))
    return [*rows, candidate("identical", "We parse.", "we  parse.", cosine=1.0)]


def run(folder, intra, definitions=(), citations=(), **params):
    """Return the outcomes for pairs of each origin."""
    several = {"intra": intra, "definitions": definitions, "citations": citations}
    lists = [dealt(folder / name, CANDIDATES.kept, list(rows)) for name, rows in several.items()]
    return list(entailment(*lists, EntailmentParams(**params), Memory(), True))


def test_no_model_is_made_unless_requested(tmp_path):
    outcomes = run(tmp_path, pairs())
    dropped = [row for outcome in outcomes for row in outcome.dropped.to_pylist()]
    assert {row["reason"] for row in dropped} == {"not_wanted"}
    assert len(dropped) == len(pairs())
    assert [dict(outcome.files) for outcome in outcomes if outcome.files] == [{MODELS: b"[]"}]
    assert entailment_model(Artifact(parts(tmp_path / "rows", ENTAILMENT.kept, []), tmp_path), None) is None


def test_a_model_learns_from_similar_pairs_their_edits_and_as_many_related_pairs(tmp_path):
    outcomes = run(tmp_path, pairs(), wanted=True)
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    reasons = Counter(row["reason"] for outcome in outcomes for row in outcome.dropped.to_pylist())
    of_kind = Counter(row["kind"].split(":")[0] for row in kept)
    assert of_kind["pair"] == 20
    assert of_kind["same"] == 10
    assert of_kind["mined"] == 30 - reasons.pop("not_drawn")
    assert 3 <= of_kind["mined"] <= 20
    assert not any(row["forward"] or row["backward"] for row in kept if row["kind"] == "mined")
    assert reasons == {"between": 1, "unlike": 1, "shared_words": 1, "identical": 1}
    assert {unit for outcome in outcomes for unit in outcome.units.to_pylist()} == {
        row["id"] for row in pairs()
    }
    assert Counter(row["split"] for row in kept).keys() == {"train", "validation"}
    of_split = {(row["pair_id"], row["split"]) for row in kept}
    assert len(of_split) == len({row["pair_id"] for row in kept})
    files = next(dict(outcome.files) for outcome in outcomes if outcome.files)
    for name, content in files.items():
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    model = entailment_model(
        Artifact(parts(tmp_path / "rows", ENTAILMENT.kept, []), tmp_path / "files"), None
    )
    assert model is not None
    rows = [{"first": "We parse.", "second": "We tag."}]
    [answer] = KIND.answer(model, rows, {})
    assert all(0 < value < 1 for value in answer.values())
    assert answer == KIND.answer(KIND.load(model.save()), rows, {})[0]


def test_pairs_of_a_term_or_a_cited_paper_are_hard_negatives_unless_their_papers_are_in_two_splits(tmp_path):
    papers = [(f"paper {number % 5}", f"paper {number // 5}") for number in range(25)]
    groups = {
        name: [related(f"{name}{number}", key="term", papers=both) for number, both in enumerate(papers)]
        for name in ("definitions", "citations")
    }
    similar = candidate("similar", "We parse all trees.", "We do parse all trees.", cosine=0.95)
    groups["citations"].append(similar)
    outcomes = run(tmp_path, pairs(mined=0), **groups, wanted=True, mined={"rate": 6.0})
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    counts = outcomes[-1].combinations
    split = {row["pair_id"]: row["split"] for row in kept}
    its = {f"paper {number % 5}": split[f"alike {number}"] for number in range(5)}
    assert sorted(its.values()) == ["train"] * 4 + ["validation"]
    for name, rows in groups.items():
        of_origin = [row for row in kept if row["kind"] == "mined" and row["pair_id"].startswith(name)]
        apart = {row["id"] for row in rows[:25] if its[row["first_paper"]] != its[row["second_paper"]]}
        assert len(apart) == counts[f"{name}: two_splits"] == 8
        assert {row["pair_id"] for row in of_origin} == {row["id"] for row in rows[:25]} - apart
        assert all(row["source_ids"] == [row["pair_id"]] for row in of_origin)
    assert counts["citations: similar"] == 1
    assert "similar" not in split


def test_edits_by_other_sentences_are_made_when_all_related_pairs_are_drawn(tmp_path):
    outcomes = run(tmp_path, pairs(mined=3), wanted=True)
    kept = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
    kinds = {row["kind"].split(": ")[-1] for row in kept}
    assert "mined" in kinds and kinds & {"word", "name", "added"}


def test_a_pair_is_either_similar_or_a_hard_negative():
    with pytest.raises(ValueError, match="a pair would be both"):
        EntailmentParams(cosine=0.7, mined={"ceiling": 0.75})


@pytest.fixture(scope="module")
def model():
    return EntailmentModel(EntailmentConfig(trained_layers=1, longest=64))


def test_a_swapped_pair_has_both_directions_swapped_and_no_pair_depends_on_others(model):
    firsts, seconds = [SENTENCE, "We parse.", OTHER], [OTHER, "We tag trees.", "We parse."]
    found = model.predict(firsts, seconds)
    assert found.shape == (3, 2)
    assert np.allclose(found, model.predict(seconds, firsts)[:, ::-1], atol=1e-5)
    alone = np.concatenate([model.predict([a], [b]) for a, b in zip(firsts, seconds, strict=True)])
    assert np.allclose(found, alone, atol=1e-5)
    assert model.predict([], []).shape == (0, 2)


def test_a_pair_that_is_longer_than_the_models_input_is_truncated(model):
    assert [len(tokens) for tokens in model.tokens(["word " * 200], ["We tag."])] == [64]
    assert np.isfinite(model.predict(["word " * 200], ["word " * 200])).all()


def test_saved_weights_give_the_same_answers(model):
    again = load(model.save())
    assert np.array_equal(again.predict([SENTENCE], [OTHER]), model.predict([SENTENCE], [OTHER]))


def test_validation_counts_the_known_directions(model):
    examples = [
        EntailmentExample("a", SENTENCE, OTHER, False, False),
        EntailmentExample("b", OTHER, OTHER, True, True),
    ]
    task = EntailmentTask(model, examples, examples)
    told = model.scores(model.tokens([SENTENCE, OTHER], [OTHER, OTHER])).detach().numpy() > 0
    expected = np.mean(told == np.array([[False, False], [True, True]]))
    assert task.validate()["accuracy"] == pytest.approx(expected)
    assert list(task.names) == ["a", "b"]
    assert task.loss([0, 1]).item() == pytest.approx(task.validate()["loss"], rel=1e-5)


def test_a_weight_for_entailment_without_a_model_is_refused():
    params = ScorerParams(intercept=1.0, weights={"f1": 1.0, "entailed": 0.5})
    assert consistency({"f1": 0.5, "entailed": 2.0}, params) == 2.5
    with pytest.raises(ValueError, match=r"parasci\.entailment\.wanted"):
        consistency({"f1": 0.5, "entailed": None}, params)


def test_scored_pairs_have_both_directions_if_there_is_a_model(tmp_path, model):
    lists = [dealt(tmp_path / "intra", CANDIDATES.kept, [candidate("a", SENTENCE, OTHER)])]
    lists += [parts(tmp_path / name, CANDIDATES.kept, []) for name in ("definitions", "citations")]
    lists.append(parts(tmp_path / "partial", PARTIAL.kept, []))
    for name, content in model.save().items():
        path = tmp_path / "files" / MODEL / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    without = no_entailment(tmp_path)

    def row(artifact, weights):
        scorer = ScorerParams(intercept=1.0, weights=weights)
        outcomes = scored(*lists, artifact, CoarseParams(cosine=0.5), ScoredParams(), scorer, True)
        [found] = [row for outcome in outcomes for row in outcome.kept.to_pylist()]
        return found

    found = row(Artifact(without.rows, tmp_path / "files"), {"entailed": 2.0})
    forward, backward = model.predict([found["first"]], [found["second"]]).round(2)[0]
    assert (found["forward"], found["backward"]) == (forward, backward)
    assert found["entailed"] == min(forward, backward)
    assert found["consistency"] == pytest.approx(1 + 2 * found["entailed"], abs=0.005)
    plain = row(without, {"f1": 1.0})
    assert plain["forward"] is plain["backward"] is plain["entailed"] is None
    with pytest.raises(ValueError, match=r"parasci\.entailment\.wanted"):
        row(without, {"entailed": 2.0})
