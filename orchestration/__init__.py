"""How everything runs: Dagster, DVC, the store on disk, and the commands of the Makefile.

Importing this package fixes what must be fixed before numpy or torch is loaded: the kernels that
`numerics: strict` promises, and that no tool calls home.
"""

from orchestration.environment import fix

fix()
