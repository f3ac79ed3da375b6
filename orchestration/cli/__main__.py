"""`python -m orchestration.cli`: how a process of the project starts another one."""

from orchestration.cli.app import main

main()
