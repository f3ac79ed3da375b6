from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.coreference.links import DocumentLinks, Link, clusters
from silverloom.ops.coreference.network import calibrated

spans = st.integers(0, 12).map(lambda start: (start, start + 1))
scores = st.sampled_from([0.3, 0.6, 0.9])
links = st.lists(st.builds(Link, st.sampled_from(["pronoun", "nominal"]), spans, spans, scores), max_size=8)


def test_clusters_join_pronouns_names_and_nominals_above_their_thresholds():
    resolved = DocumentLinks(
        [
            Link("pronoun", (4, 5), (0, 1), 0.9),
            Link("pronoun", (4, 5), (2, 3), 0.1),
            Link("nominal", (8, 10), (0, 1), 0.75),
            Link("pronoun", (12, 13), (8, 10), 0.6),
        ],
        names=[[(0, 1), (6, 7)], [(20, 21), (22, 23)]],
    )
    assert clusters(resolved, 0.7, 0.8) == [[(0, 1), (4, 5), (6, 7)]]
    assert clusters(resolved, 0.7, 0.7) == [[(0, 1), (4, 5), (6, 7), (8, 10)]]
    assert clusters(resolved, 0.5, 0.7) == [[(0, 1), (4, 5), (6, 7), (8, 10), (12, 13)]]


def test_a_mention_joins_only_the_entity_of_its_best_link():
    resolved = DocumentLinks([Link("pronoun", (4, 5), (0, 1), 0.9), Link("pronoun", (4, 5), (2, 3), 0.8)])
    assert clusters(resolved, 0.5, 0.5) == [[(0, 1), (4, 5)]]


def test_a_name_that_comes_later_joins_the_cluster():
    resolved = DocumentLinks([], later=[Link("pronoun", (1, 2), (3, 4), 0.9)])
    assert clusters(resolved, 0.7, 0.7) == [[(1, 2), (3, 4)]]


@given(links, st.lists(st.lists(spans, min_size=2, max_size=3, unique=True), max_size=2), scores)
def test_clusters_are_the_connected_components_of_the_best_links(links, names, threshold):
    kept = [link for link in links if link.score >= threshold]
    edges = [
        (link.mention, link.antecedent)
        for link in kept
        if link.score == max(other.score for other in kept if other.mention == link.mention)
    ]
    touched = {span for edge in edges for span in edge}
    for group in names:
        if touched & set(group):
            edges += [(group[0], other) for other in group[1:]]
    components = [{a, b} for a, b in edges]
    merged = True
    while merged:
        merged = False
        for one in components:
            for other in components:
                if one is not other and one & other:
                    one |= other
                    components.remove(other)
                    merged = True
                    break
            if merged:
                break
    slow = sorted(sorted(part) for part in components if len(part) > 1)
    assert clusters(DocumentLinks(links, names=names), threshold, threshold) == slow


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 3), st.floats(-2, 2))
def test_a_calibrated_score_is_a_probability_and_grows_with_the_raw_one(first, second, slope, intercept):
    low, high = sorted((first, second))
    assert 0.0 <= calibrated(low, slope, intercept) <= calibrated(high, slope, intercept) <= 1.0


def test_calibration_is_the_logistic_function_of_log_odds_to_four_digits():
    assert calibrated(0.5, 2.0, 0.0) == 0.5
    assert calibrated(0.75, 1.0, 0.0) == 0.75
    assert calibrated(0.75, 0.5, 0.25) == 0.6898
