"""Publish the empty years of papers while another process holds one of them. Prints the published years."""

from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.publish import making
from silverloom.orchestration.partition.empty import copy_empty
from silverloom.orchestration.partition.materialise import Materialisation

HERE = workspace()
PAPERS = HERE.datasets["sources/papers"]
Materialisation(HERE, PAPERS, "1974").make()
with making(HERE, PAPERS, "1975"):
    print(*copy_empty(HERE, PAPERS, "1974"))
