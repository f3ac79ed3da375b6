import numpy as np
import pytest
import torch

from silverloom.ops.parse.roles import ROLES
from silverloom.ops.talksumm.extractors.features import (
    CUES,
    WIDTH,
    conclusion,
    features,
    introduction,
    recurrence,
)
from silverloom.ops.talksumm.extractors.paper import Extraction, ExtractorPaper, Labelled
from silverloom.ops.talksumm.extractors.tasks import TransformerTask
from silverloom.ops.talksumm.extractors.transformer import PaperTransformers, encoder_layer
from tests.ops.talksumm.extractors.extractor_cases import embed, paper_of, spans, transformer


def set_scores(extractor, wanted):
    """Make an extractor give the logits `wanted`."""

    class Fixed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.score = torch.nn.Linear(1, 1)

        def forward(self, embeddings, features):
            return torch.tensor([wanted], dtype=torch.float32)

    extractor.network = Fixed()
    return extractor


def test_sentences_are_added_by_descending_score_until_the_budget_is_reached():
    paper = paper_of(["a b c", "d e", "", "f", "g h i j"])
    found = set_scores(transformer(), [0.0, 2.0, 9.0, 1.0, 2.0]).extract(paper, 6)
    assert found.indices == (1, 4)
    assert found.scores == pytest.approx([0.880797, 0.880797])


def test_a_summary_longer_than_the_paper_consists_of_all_its_sentences_with_words():
    paper = paper_of(["a b c", "", "d e"])
    assert set_scores(transformer(), [0.0, 9.0, 1.0]).extract(paper, 10_000).indices == (2, 0)


def test_without_a_budget_sentences_above_one_half_are_taken():
    paper = paper_of(["a b c", "d e", "f"])
    assert set_scores(transformer(), [0.1, -1.0, 3.0]).extract(paper, None).indices == (2, 0)
    assert set_scores(transformer(), [-0.1, -1.0, -3.0]).extract(paper, None).indices == (0,)


def test_a_layer_adds_attention_and_then_a_feed_forward_network_each_of_normalised_states():
    torch.manual_seed(0)
    layer = encoder_layer(8, 2, 0.5).eval()
    states = torch.randn(1, 5, 8)
    attention = layer.self_attn
    with torch.no_grad():
        found = layer(states)[0]
        mixed = layer.norm1(states)[0] @ attention.in_proj_weight.T + attention.in_proj_bias
        query, key, value = mixed.split(8, dim=1)
        heads = []
        for head in (slice(0, 4), slice(4, 8)):
            weights = torch.softmax(query[:, head] @ key[:, head].T / 2, dim=1)
            heads.append(weights @ value[:, head])
        after = states[0] + attention.out_proj(torch.cat(heads, dim=1))
        hidden = torch.nn.functional.gelu(layer.linear1(layer.norm2(after)))
        expected = after + layer.linear2(hidden)
    assert torch.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("sentences", [1, 5, 40, 300])
def test_evaluation_gives_the_same_bits_as_training_without_dropout(sentences):
    network = PaperTransformers(2, 8, 5, 16, 2, 2, 0.0)
    generator = torch.Generator().manual_seed(sentences)
    inputs = (torch.randn(sentences, 8, generator=generator), torch.randn(sentences, 5, generator=generator))
    trained = network.train()(*inputs)
    with torch.no_grad():
        assert torch.equal(network.eval()(*inputs), trained)


def test_a_score_comes_from_the_mean_of_the_members_and_members_differ():
    one, three = transformer(), transformer(members=3)
    paper = paper_of(spans(6, 1))
    with torch.no_grad():
        inputs = three.inputs(paper)
        apart = [member(*inputs) for member in three.network.members]
        [alone] = one.network(*inputs)
    assert torch.equal(alone, apart[0])
    assert not torch.allclose(apart[0], apart[1], atol=1e-3)
    found = three.extract(paper, 10_000)
    expected = torch.sigmoid((apart[0] + apart[1] + apart[2]) / 3)
    assert found.scores == pytest.approx(sorted(expected.tolist(), reverse=True), abs=1e-6)


def test_each_member_learns_only_from_its_own_error():
    papers = [paper_of(spans(6, 1))]
    labels = Labelled(papers, [[2, 4]])
    three = transformer(members=3, dropout=0.0)
    task = TransformerTask(three, labels, labels)
    task.loss([0]).backward()
    member = three.network.members[1]
    found = [weight.grad.clone() for weight in member.parameters()]
    three.network.zero_grad()
    scores = member(*three.inputs(papers[0]))
    target = torch.zeros(6)
    target[[2, 4]] = 1
    errors = -(target * torch.log(torch.sigmoid(scores)) + (1 - target) * torch.log(torch.sigmoid(-scores)))
    (errors.sum() / 2 / 3).backward()
    expected = [weight.grad for weight in member.parameters()]
    assert all(torch.allclose(one, other, atol=1e-6) for one, other in zip(found, expected, strict=True))


def test_the_features_of_a_small_paper_equal_those_counted_by_hand():
    paper = ExtractorPaper(
        "P",
        ["We present a parser of words.", "", "See Section 2."],
        "A parser",
        ["introduction", "introduction", "no such role"],
        [0, 0, 4],
    )
    rows = features(paper)
    assert rows.shape == (3, WIDTH)
    place, section = rows[:, 2], rows[:, 6]
    np.testing.assert_allclose(place, [0, 1 / 3, 2 / 3], rtol=1e-6)
    np.testing.assert_allclose(section, [0, 0, 0.5])
    np.testing.assert_allclose(rows[:, 5], [0, 0.5, 0])
    assert rows[:, 11].tolist() == [1, 0, 0]
    roles = rows[:, -len(CUES) - len(ROLES) : -len(CUES)]
    assert roles.argmax(axis=1).tolist() == [
        ROLES.index("introduction"),
        ROLES.index("introduction"),
        ROLES.index("other"),
    ]
    assert rows[0, -len(CUES) :].tolist() == [0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert rows[2, -len(CUES) :].tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0]


def test_similarities_are_those_to_means_to_the_title_and_to_the_first_sentence():
    paper = paper_of(
        spans(5, 0), roles=["introduction", "introduction", "method", "conclusion", "conclusion"]
    )
    embeddings, known = transformer().inputs(paper)
    rows, [title] = embed(paper.sentences), embed([paper.title])
    whole, first, last = (
        some.mean(axis=0) / np.linalg.norm(some.mean(axis=0)) for some in (rows, rows[:2], rows[3:])
    )
    np.testing.assert_allclose(embeddings.numpy(), rows)
    expected = np.stack([rows @ one for one in (whole, title, rows[0], first, last)], axis=1)
    np.testing.assert_allclose(known.numpy()[:, -5:], expected, atol=1e-6)


def test_recurrence_in_a_small_paper_equals_that_counted_by_hand():
    paper = ExtractorPaper(
        "P",
        ["Neural parser of trees.", "A neural parser wins.", "Of the", "", "Trees win: neural parser"],
        "The neural parser",
        ["introduction", "introduction", "method", "method", "conclusion"],
        [0, 0, 1, 1, 2],
    )
    three, two = np.log(3), np.log(2)
    # Pairs: "neural parser" (in 3 sentences), "parser of", "of trees"; "a neural", "neural parser", "parser
    # wins"; none without a content word; none; "trees win", "win neural", "neural parser".
    expected = [
        [three / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 2, (2 * three + two) / 3 / 3, 3 / 4, three / 10],
        [three / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 2 * three / 3 / 3, 3 / 4, three / 10],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [three / 3, 1 / 3, 1 / 3, 0, 1 / 2, (two + 2 * three) / 4 / 3, 1, three / 10],
    ]
    np.testing.assert_allclose(recurrence(paper), expected, atol=1e-6)


def test_without_such_sections_a_paper_opens_with_30_sentences_and_closes_with_15():
    paper = paper_of(spans(50, 0))
    assert list(introduction(paper)) == list(range(30))
    assert list(conclusion(paper)) == list(range(35, 50))
    short = paper_of(["w1", "w2"])
    assert list(introduction(short)) == list(conclusion(short)) == [0, 1]


def test_a_paper_without_sentences_gives_none():
    assert transformer().extract(paper_of([]), 150) == Extraction((), ())
    assert transformer().extract(paper_of(["", " "]), 150) == Extraction((), ())
