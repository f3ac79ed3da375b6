"""What is left of datasets that only another branch declares is named."""

from silverloom.orchestration.partition.prune import orphans


def test_folders_of_datasets_that_this_branch_does_not_declare_are_found(tmp_workspace):
    for name in ("talksumm/pairs", "talksumm/riddles", "mine/rows"):
        (tmp_workspace.root / "manifests" / name).mkdir(parents=True)
    (tmp_workspace.root / "manifests/mine/notes.txt").touch()
    assert orphans(tmp_workspace) == ["data/mine/rows", "data/talksumm/riddles"]
