"""Settle the empty years of papers while another holds one of them: prints which were settled."""

from orchestration.catalogue import workspace
from orchestration.execute.empty import settle_empty
from orchestration.execute.materialise import Materialisation
from orchestration.state.partition_locks import making

HERE = workspace()
PAPERS = HERE.datasets["sources/papers"]
Materialisation(HERE, PAPERS, "1974").make("run")
with making(HERE, PAPERS, "1975"):
    print(*settle_empty(HERE, PAPERS, "1974"))
