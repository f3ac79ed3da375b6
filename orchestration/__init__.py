"""How everything runs: Dagster, DVC, the store on disk, and the Makefile's commands.

Importing this package sets what must be set before numpy or torch is loaded: the kernels for
`numerics: strict`, no telemetry from any tool, and no compiled modules damaged by a full disk. It also
records the code and params, so that later edits are noticed.
"""

from orchestration.workspace.workspace import Workspace, fix, protect

protect()

from orchestration.files.edits import code_stamp  # noqa: E402
from orchestration.files.identity import keep_hashes  # noqa: E402

fix(Workspace.here())
keep_hashes(Workspace.here().state / "hashes")
code_stamp(Workspace.here())
