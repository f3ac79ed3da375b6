"""Hashes of nodes that may reach each other, compared with everything that each reaches, unfolded to a depth."""

import functools

from hypothesis import given
from hypothesis import strategies as st

from assets.declare.merkle import components, hashes_together

NODES = range(6)

#: Few labels and names, so that some nodes are equal.
graphs = st.fixed_dictionaries(
    {
        node: st.tuples(
            st.sampled_from("ab"),
            st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from(NODES)), max_size=2),
        )
        for node in NODES
    }
)


def hashes(graph, nodes=NODES):
    found = {}
    for node in nodes:
        if node not in found:
            for component in components(node, lambda one: [used for _, used in graph[one][1]], found):
                known, inner = {}, {}
                for one in component:
                    label, edges = graph[one]
                    outer = sorted((name, found[used]) for name, used in edges if used not in component)
                    known[one] = repr([label, outer])
                    inner[one] = [(name, used) for name, used in edges if used in component]
                found |= hashes_together(known, inner)
    return found


#: The trees seen so far, by number: equal trees have equal numbers.
TREES: dict[object, int] = {}


def unfolded(graph):
    """Everything that each node reaches, in twice as many steps as there are nodes."""

    @functools.cache
    def tree(node, depth):
        label, edges = graph[node]
        below = sorted((name, tree(used, depth - 1)) for name, used in edges) if depth else []
        return TREES.setdefault((label, tuple(below), depth), len(TREES))

    return {node: tree(node, 2 * len(NODES)) for node in NODES}


@given(graphs, graphs)
def test_nodes_that_reach_different_things_have_different_hashes(one, other):
    trees = unfolded(one) | {(node,): tree for node, tree in unfolded(other).items()}
    found = hashes(one) | {(node,): hash_ for node, hash_ in hashes(other).items()}
    for node, tree in trees.items():
        for second, second_tree in trees.items():
            if tree != second_tree:
                assert found[node] != found[second]


@given(graphs, st.permutations(NODES), st.permutations(NODES))
def test_neither_the_names_of_nodes_nor_their_order_matters(graph, renamed, order):
    other = {
        renamed[node]: (label, [(name, renamed[used]) for name, used in reversed(edges)])
        for node, (label, edges) in graph.items()
    }
    found, again = hashes(graph), hashes(other, order)
    assert all(again[renamed[node]] == found[node] for node in NODES)


@given(graphs, st.sampled_from(NODES))
def test_an_edit_changes_exactly_the_hashes_of_the_nodes_that_reach_it(graph, edited):
    label, edges = graph[edited]
    before, after = hashes(graph), hashes({**graph, edited: (f"{label}!", edges)})
    reaching = {edited}
    for _ in NODES:
        reaching |= {node for node, (_, edges) in graph.items() if reaching & {used for _, used in edges}}
    assert {node for node in NODES if before[node] != after[node]} == reaching


def test_components_come_after_everything_that_they_reach():
    uses = {1: [2], 2: [3, 4], 3: [1], 4: [5], 5: [4, 6], 6: []}
    found = [sorted(component) for component in components(1, uses.__getitem__, ())]
    assert found == [[6], [4, 5], [1, 2, 3]]


def test_a_chain_of_thousands_does_not_recurse():
    found = list(components(0, lambda node: [node + 1] if node < 5000 else [], ()))
    assert len(found) == 5001
