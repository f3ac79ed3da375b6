"""Features of other tools that have no public interface still behave as expected."""

import contextlib
import errno
import subprocess
import sys
from datetime import UTC, datetime

import dagster as dg
import pytest
import yaml
from mlflow import MlflowClient
from starlette.testclient import TestClient

from silverloom.orchestration import compat


@dg.asset(code_version="3")
def words() -> dg.MaterializeResult:
    return dg.MaterializeResult(data_version=dg.DataVersion("seven"))


@dg.asset(deps=[words])
def sentences() -> None:
    pass


def test_the_tags_of_a_materialisation_are_those_that_a_run_writes():
    with dg.instance_for_test() as instance:
        assert dg.materialize([words, sentences], instance=instance).success
        made, read = (
            instance.get_latest_materialization_event(dg.AssetKey(name)) for name in ("words", "sentences")
        )
        stored = instance.fetch_materializations(dg.AssetKey("words"), limit=1).records[0].storage_id
    tags = made.asset_materialization.tags
    assert tags[compat.DATA_VERSION_TAG] == "seven" and tags[compat.CODE_VERSION_TAG] == "3"
    assert tags[compat.DATA_VERSION_IS_USER_PROVIDED_TAG] == "true"
    of_input = read.asset_materialization.tags
    assert of_input[compat.get_input_data_version_tag(dg.AssetKey("words"))] == "seven"
    assert of_input[compat.get_input_event_pointer_tag(dg.AssetKey("words"))] == str(stored)


def test_staleness_is_evaluated_over_as_many_partitions_as_documented():
    assert compat.SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD == 100


def test_runs_of_a_repository_are_found_by_its_label():
    assert compat.REPOSITORY_LABEL_TAG == ".dagster/repository"


def test_a_run_of_a_process_can_be_shown_in_the_timeline():
    @dg.op
    def shown(context):
        compat.add_to_timeline(context.instance, context.run)

    @dg.job
    def made():
        shown()

    with dg.instance_for_test() as instance:
        tags = {compat.REPOSITORY_LABEL_TAG: "__repository__@located", "kept": "yes"}
        ran = made.execute_in_process(instance=instance, tags=tags)
        run = instance.get_run_by_id(ran.run_id)
        other = instance.get_run_by_id(made.execute_in_process(instance=instance).run_id)
    assert run.is_success and tags.items() <= run.tags.items()
    assert run.remote_job_origin.job_name == "made"
    assert run.remote_job_origin.repository_origin.get_label() == "__repository__@located"
    assert other.is_success and other.remote_job_origin is None


def test_dagsters_application_answers_of_a_code_location(tmp_path):
    (tmp_path / "located.py").write_text("import dagster as dg\ndefs = dg.Definitions()\n")
    place = tmp_path / "workspace.yaml"
    place.write_text("load_from: [{python_module: {module_name: located, working_directory: .}}]")
    with (
        dg.instance_for_test() as instance,
        compat.web_application(instance, place) as app,
    ):
        client = TestClient(app)
        query = "{ workspaceOrError { ... on Workspace { locationEntries { name loadStatus } } } }"
        found = client.post("/graphql", json={"query": query}).json()["data"]["workspaceOrError"]
    assert found["locationEntries"] == [{"name": "located", "loadStatus": "LOADED"}]


def test_a_failed_materialisation_leads_to_the_last_run_of_the_all_assets_job_and_its_log():
    @dg.asset(partitions_def=dg.StaticPartitionsDefinition(["a", "b"]))
    def fragile(context: dg.AssetExecutionContext) -> None:
        if context.partition_key == "b":
            raise ValueError("this one fails")

    job, key, kinds = (
        dg.Definitions(assets=[fragile]).resolve_implicit_global_asset_job_def(),
        dg.AssetKey("fragile"),
        dg.DagsterEventType,
    )
    with dg.instance_for_test() as instance:
        ran = {
            part: job.execute_in_process(instance=instance, partition_key=part, raise_on_error=False)
            for part in ("a", "b")
        }
        assert compat.last_attempt(instance, key, "c") is None
        for part, result in ran.items():
            run_id, storage_id = compat.last_attempt(instance, key, part)
            after = dg.AssetRecordsFilter(key, [part], after_storage_id=storage_id)
            assert run_id == result.run_id
            assert len(instance.fetch_materializations(after, limit=9).records) == (part == "a")
        (failure,) = compat.events_of_run(instance, ran["b"].run_id, {kinds.STEP_FAILURE})
    assert failure.step_key == "fragile" and "this one fails" in str(failure.event_specific_data)


def test_a_run_whose_process_is_gone_ends_as_failed():
    job = dg.Definitions(assets=[words]).resolve_implicit_global_asset_job_def()
    with dg.instance_for_test() as instance:
        run = instance.create_run_for_job(job)
        compat.end_run(instance, run, "its process was killed")
        assert instance.get_run_by_id(run.run_id).status is dg.DagsterRunStatus.FAILURE


def test_an_instance_without_capture_does_not_redirect_the_output_of_its_runs(tmp_path, capfd):
    (tmp_path / "dagster.yaml").write_bytes(compat.NO_CAPTURE)

    @dg.asset
    def spoken() -> None:
        print("said aloud")

    with compat.open_instance(tmp_path, "dagster.yaml") as instance:
        assert dg.materialize([spoken], instance=instance).success
    assert "said aloud" in capfd.readouterr().out


def test_an_instance_with_one_event_log_keeps_the_events_of_all_runs_in_one_file(tmp_path, monkeypatch):
    (tmp_path / "dagster.yaml").write_bytes(compat.ONE_EVENT_LOG)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))

    @dg.asset
    def made() -> None: ...

    with compat.open_instance(tmp_path, "dagster.yaml") as instance:
        for _ in range(2):
            assert dg.materialize([made], instance=instance).success
    assert [path.name for path in tmp_path.rglob("*.db") if "event" in path.name or "-" in path.name] == [
        "event_log.db"
    ]


def test_mlflows_store_has_the_artifact_root_that_it_is_given(tmp_path):
    url = f"sqlite:///{tmp_path / 'mlflow.db'}"
    compat.open_mlflow_store(url, "mlflow-artifacts:/")
    (default,) = MlflowClient(url).search_experiments()
    assert default.artifact_location == "mlflow-artifacts:/0"


@pytest.mark.parametrize(("ancestors", "recorded"), [(True, {"one", "two"}), (False, {"two"})])
def test_dvc_commits_a_stage_alone_or_with_its_ancestors(tmp_path, ancestors, recorded):
    from dvc.repo import Repo

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    Repo.init(str(tmp_path)).close()
    stages = {
        "one": {"cmd": "make it", "outs": [{"made": {"persist": True}}]},
        "two": {"cmd": "make more", "deps": ["made"], "outs": [{"more": {"persist": True}}]},
        "other": {"cmd": "make other", "outs": [{"another": {"persist": True}}]},
    }
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    for name in ("made", "more", "another"):
        (tmp_path / name).write_text(name)
    compat.dvc_commit(tmp_path, {"two": ancestors})
    locked = yaml.safe_load((tmp_path / "dvc.lock").read_text())["stages"]
    assert set(locked) == recorded
    assert locked["two"]["deps"][0]["path"] == "made"


def test_an_error_while_dvc_copies_a_file_to_its_cache_is_raised(tmp_path, monkeypatch):
    """DVC itself only logs it, and records the file all the same."""
    from dvc.repo import Repo

    def fail(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    Repo.init(str(tmp_path)).close()
    (tmp_path / "dvc.yaml").write_text("stages:\n  one:\n    cmd: make it\n    outs:\n    - made\n")
    (tmp_path / "made").write_text("1")
    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfile", fail)
        with pytest.raises(OSError, match="Input/output error"):
            compat.dvc_commit(tmp_path, {"one": False})
    compat.dvc_commit(tmp_path, {"one": False})
    assert len(list((tmp_path / ".dvc/cache/files/md5/c4").iterdir())) == 1


def test_dvc_commits_stages_and_says_when_its_lock_is_held(tmp_path):
    from dvc.repo import Repo

    from silverloom.orchestration.compat import dvc_commit

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    Repo.init(str(tmp_path)).close()
    (tmp_path / "dvc.yaml").write_text("stages:\n  one:\n    cmd: make it\n    outs:\n    - made\n")
    (tmp_path / "made").write_text("1")
    dvc_commit(tmp_path, {"one": False})
    assert "c4ca4238a0b923820dcc509a6f75849b" in (tmp_path / "dvc.lock").read_text()
    (tmp_path / "dvc.yaml").write_text("stages: 1\n")
    with pytest.raises(RuntimeError, match=r"dvc\.lock was not written: "):
        dvc_commit(tmp_path, {None: False})
    holder = (
        "import sys; from dvc.repo import Repo, lock_repo; repo = Repo(sys.argv[1]);"
        "held = lock_repo(repo); held.__enter__(); print('held', flush=True); sys.stdin.read()"
    )
    (tmp_path / "dvc.yaml").write_text("stages:\n  one:\n    cmd: make it\n    outs:\n    - made\n")
    process = subprocess.Popen(
        [sys.executable, "-c", holder, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError, match="another process holds DVC's lock"):
            dvc_commit(tmp_path, {"one": False})
        process.stdin.close()


def test_an_error_of_dagsters_event_log_is_raised_and_not_printed_first(capsys, monkeypatch):
    @dg.asset
    def words(): ...

    announced = []
    for quiet in (contextlib.nullcontext, compat.errors_once):
        with dg.DagsterInstance.ephemeral() as instance, monkeypatch.context() as patch:
            working = instance.handle_new_event

            def failing(event, working=working, **more):
                if event.dagster_event and event.dagster_event.is_step_event:
                    raise OSError("the log is broken")
                working(event, **more)

            patch.setattr(instance, "handle_new_event", failing)
            with quiet(), pytest.raises(OSError, match="the log is broken"):
                dg.materialize([words], instance=instance)
        announced.append("Exception while writing logger call to event log" in capsys.readouterr().err)
    assert announced == [True, False]


def test_a_known_result_of_great_expectations_is_stored_once_under_its_names(tmp_path):
    import great_expectations as gx
    from great_expectations.core import ExpectationSuiteValidationResult

    context = gx.get_context(mode="file", project_root_dir=tmp_path)
    context.suites.add(gx.ExpectationSuite("toy.texts"))
    result = ExpectationSuiteValidationResult(True, [], "toy.texts", statistics={}, meta={})
    for _ in range(2):
        compat.store_validation(context, result, "2018-06", datetime(2026, 1, 1, tzinfo=UTC), "version")
    assert set(compat.stored_validations(context)) == {("toy.texts", "2018-06", "version")}
    assert compat.suite_page("toy.texts").to_tuple() == ("toy", "texts")
