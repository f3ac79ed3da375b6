"""Where a checkout keeps its data and its local state.

Belongs here: these folders. Not here: what lies in them (files/, state/).
"""

from assets.declare.settings import ROOT

DATA = ROOT / "data"
STATE = ROOT / ".silverloom"

#: Where partitions are built before they are published: on the file system of the data.
STAGING = DATA / ".building"
