"""What a run removes before it begins."""

import pytest

from silverloom.orchestration.files.publish import making
from silverloom.orchestration.partition.prune import prune
from silverloom.orchestration.state.freshness import Manifest, manifest_file, write_manifest


@pytest.mark.parametrize(("name", "partition"), [("sources/papers", "2018-06"), ("talksumm/extractor", "")])
def test_a_half_written_manifest_of_a_killed_process_is_removed(tmp_workspace, name, partition):
    dataset = tmp_workspace.datasets[name]
    write_manifest(tmp_workspace, dataset, partition, Manifest({}, {}, {}))
    whole = manifest_file(tmp_workspace, dataset, partition)
    half = whole.with_name(f".{whole.name}.4242")
    half.write_text('{"checksum": "')
    with making(tmp_workspace, dataset, partition):  # another process may be writing it
        prune(tmp_workspace, dataset)
        assert half.exists()
    prune(tmp_workspace, dataset)
    assert [path.name for path in whole.parent.iterdir()] == [whole.name]
