"""`python -m orchestration.cli`: how a process of the project starts another one."""

from orchestration.process import prepare

prepare()

from orchestration.cli.app import main  # noqa: E402

main()
