"""How everything runs: Dagster, DVC, the store on disk, and the commands of the Makefile.

Importing this package fixes what must be fixed before numpy or torch is loaded: the kernels that
`numerics: strict` promises, that no tool calls home, and that a full disk damages no compiled module. Code
and params that are edited from then on are noticed.
"""

from orchestration.workspace.workspace import Workspace, fix, protect

protect()

from orchestration.files.identity import code_marks, keep_hashes  # noqa: E402

fix(Workspace.here())
keep_hashes(Workspace.here().state / "hashes")
code_marks(Workspace.here())
