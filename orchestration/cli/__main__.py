"""`python -m silverloom.orchestration.cli`: how a process of the project starts another one."""

from silverloom.orchestration.process import prepare

prepare()

from silverloom.orchestration.cli.app import main  # noqa: E402

main()
