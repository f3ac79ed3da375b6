"""A real Ray cluster of three nodes, as processes of this machine: the head, where the driver runs, and two more.

The head has no processor, so that every task runs on a node other than the driver's.
"""

import contextlib
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[1])


@contextlib.contextmanager
def three_nodes(besides=2):
    """Yield the cluster: the head and two more nodes, or as many as given.

    Workers find the modules of the tests, and the code that drivers send.
    """
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", ROOT)
        patch.setenv("RAY_DEDUP_LOGS", "0")
        cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": 150 << 20},
        )
        try:
            for _ in range(besides):
                add_node(cluster)
            yield cluster
        finally:
            cluster.shutdown()


def add_node(cluster, **what):
    """Add a node with one processor, or with the given resources."""
    return cluster.add_node(**{"num_cpus": 1, "object_store_memory": 100 << 20, **what})


#: The module that parses papers.
PARSER = "ops/parse/papers/__init__.py"


def counted(log, seconds=1.0):
    """Code for the end of PARSER: parse slowly, and write a line to a log first."""
    return f"""
parse = parse_papers
def parse_papers(records):
    import time
    with open({str(log)!r}, "a") as file:
        file.write(records[0].id + "\\n")
    time.sleep({seconds})
    return parse(records)
"""
