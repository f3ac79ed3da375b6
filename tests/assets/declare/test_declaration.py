"""What a declaration takes from an asset function, and what it refuses."""

from dataclasses import replace

import pyarrow as pa
import pytest

from silverloom.assets.declare.checks import CHECKS, SOURCES
from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.dataset import AllParts, dataset
from silverloom.assets.declare.declaration import DECLARED, Trials, declared
from silverloom.assets.declare.params_file import settings
from silverloom.ops.core.outcome import Shape, columns
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, FilesFolder, Parts
from silverloom.ops.models.training import CheckpointFolder
from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.scan import Records
from silverloom.orchestration.definitions import defs, workspace
from silverloom.orchestration.state.sources import corpus

SHAPE = Shape(unit=columns(), kept=columns(("text", pa.string())))


pytestmark = pytest.mark.usefixtures("own_declarations")


def test_inputs_come_first_from_the_same_group_and_then_from_sources():
    @dataset(group="talksumm", shape=SHAPE)
    def longest(pairs: Parts, papers: AllParts):
        """The longest talk."""

    assert [(source.key.to_user_string(), source.all_partitions) for source in declared(longest).inputs] == [
        ("talksumm/pairs", False),
        ("sources/filtered_papers", True),
    ]


def test_a_replacement_dataset_is_read_unless_the_original_is_named():
    @dataset(group="talksumm", shape=SHAPE, inputs={"found": "pairs"}, replaces="pairs")
    def sure_pairs(found: Parts):
        """The pairs that are sure."""

    @dataset(group="talksumm", shape=SHAPE, inputs={"every": "pairs"})
    def longest(pairs: Parts, every: Parts):
        """The longest talk."""

    def read(asset):
        return {source.argument: source.key.to_user_string() for source in declared(asset).inputs}

    assert read(sure_pairs) == {"found": "talksumm/pairs"}
    assert read(longest) == {"pairs": "talksumm/sure_pairs", "every": "talksumm/pairs"}


def test_an_unknown_argument_is_refused():
    with pytest.raises(TypeError, match="the argument 'size' is no dataset, params or records"):

        @dataset(group="talksumm", shape=SHAPE)
        def wrong(size: int):
            """No."""


def test_a_single_task_gets_no_folder_of_the_drivers_machine():
    with pytest.raises(TypeError, match="talksumm/wrong: one task has neither records nor folders"):

        @dataset(group="talksumm", shape=SHAPE, one_task=True)
        def wrong(pairs: Parts, files: FilesFolder):
            """No."""


def test_raw_records_and_their_formats_are_declared_together():
    with pytest.raises(TypeError, match="sources/letters: raw records and the formats that read them"):

        @dataset(group="sources", shape=SHAPE)
        def letters(records: Records):
            """No."""

    with pytest.raises(TypeError, match="talksumm/letters: raw records and the formats that read them"):

        @dataset(group="talksumm", shape=SHAPE, formats=FORMATS)
        def letters(talks: Parts):
            """No."""


def test_every_corpus_in_params_is_read_by_the_formats_of_its_dataset():
    formats = {
        declaration.records: declaration.formats
        for declaration in workspace().datasets.values()
        if declaration.records
    }
    for name, sources in settings().sources.items():
        assert {source.kind for source in sources.values()} <= {*formats[name], ""}, name
        assert {*settings().folders(name)} == {*corpus(workspace(), name).sources}


@pytest.mark.parametrize(
    ("trials", "complaint"),
    [
        (Trials(params=("size",), metrics=()), "'size', which is no column"),
        (Trials(params=(), metrics=("text",)), "'text' as a metric, which is no number"),
    ],
)
def test_trials_of_an_unknown_or_non_numeric_column_are_refused(trials, complaint):
    with pytest.raises(LookupError, match=f"talksumm/grid: the trials name {complaint}"):

        @dataset(group="talksumm", shape=SHAPE, trials=trials)
        def grid(talks: Parts):
            """No."""


def test_an_input_that_does_not_exist_is_refused():
    with pytest.raises(
        LookupError, match=r"'pears' names no dataset of talksumm or sources .*there are .*pairs"
    ):

        @dataset(group="talksumm", shape=SHAPE)
        def wrong(pears: Parts):
            """No."""


def test_an_input_may_be_read_with_its_files_and_a_training_gets_what_it_needs():
    @dataset(group="talksumm", shape=SHAPE, partitioned=False)
    def better(
        extractor: Artifact,
        kept: CheckpointFolder,
        exact: Strict,
        training_sets: Parts,
        beside: FilesFolder,
    ):
        """A better one."""

    assert [(source.argument, source.whole, source.all_partitions) for source in declared(better).inputs] == [
        ("extractor", True, True),
        ("training_sets", False, True),
    ]
    declaration = declared(better)
    assert (declaration.checkpoints, declaration.strict, declaration.files) == ("kept", "exact", "beside")


def test_a_partitioned_dataset_cannot_be_read_as_an_artifact():
    with pytest.raises(
        TypeError, match="talksumm/wrong: sources/filtered_papers has partitions: no Artifact"
    ):

        @dataset(group="talksumm", shape=SHAPE)
        def wrong(papers: Artifact):
            """No."""


def test_a_plain_bool_is_not_strictness():
    with pytest.raises(TypeError, match="the argument 'strict' is no dataset, params or records"):

        @dataset(group="talksumm", shape=SHAPE)
        def wrong(strict: bool):
            """No."""


def test_every_asset_has_what_its_page_in_the_ui_shows():
    graph = defs.resolve_asset_graph()
    for declaration in workspace().datasets.values():
        node = graph.get(asset_key(declaration.key))
        layers = ("", "_filtered", "_evaluation")
        assert node.group_name in [f"{declaration.key.group}{layer}" for layer in layers]
        assert node.description and node.description.partition("\n")[0].endswith(".")
        assert node.code_version == declaration.code_version
        if declaration.shape is None:
            continue
        shown = [column.name for column in node.metadata["dagster/column_schema"].columns]
        assert shown == declaration.shape.kept.names
        checks = {key.name for key in graph.asset_check_keys if key.asset_key == asset_key(declaration.key)}
        assert checks == {*CHECKS, *([SOURCES] if declaration.records else [])}


def test_every_dataset_except_sources_declares_whose_units_it_conserves():
    without = {
        name
        for name, declaration in workspace().datasets.items()
        if declaration.shape and not (declaration.consumes or declaration.records)
    }
    # These list pairs. A document's fate is recorded where it is filtered; a document without repeats leaves no
    # trace here, so that a new month makes no other month stale.
    assert without == {f"sources/{name}_duplicates" for name in ("papers", "prose", "web_pages")}


def test_a_report_depends_on_every_dataset_and_on_its_declaration():
    report, papers = workspace().datasets["quality/pages"], workspace().datasets["sources/papers"]
    assert {source.key for source in report.inputs} == {
        declaration.key for declaration in workspace().datasets.values()
    } - {report.key}
    for declaration in (papers, workspace().datasets["talksumm/alignments"]):
        assert report.values.items() >= declaration.values.items()
        assert set(report.sections) >= set(declaration.sections)
    changed = replace(papers, measures=("text.words",))
    before = replace(report).code  # a copy, since the entry is cached
    DECLARED[papers.key] = changed
    after = replace(report).code
    assert after["code"] != before["code"]
    assert changed.code == papers.code
