"""Power is cut after a commit of DVC: what was not synced is lost, and the next run ends like a clean one."""

import json
import shutil
from itertools import cycle
from pathlib import Path

import pytest
import yaml

from silverloom.orchestration.files.identity import file_md5
from tests.faults.file_operations import LOSSES, cut_power, library, operations, variables
from tests.projects import Project, Zygote, begin, copy_code
from tests.systems import leave_out, put_in_toy

#: A commit begins with the spare copy of dvc.lock and ends with the removal of it.
COPY = ".silverloom/dvc.lock"
BEGIN = ".silverloom/.dvc.lock."
#: How many operations after a commit are fatal, in turn.
AFTER = 6
#: What DVC writes in place; a kill just after that loses nothing either.
IN_PLACE = ("dvc.lock", "corpus/riddles.dvc")
#: Params of this checkout that a project with no system but the toy does not know.
UNKNOWN = ("release", "judge", "filters")


@pytest.fixture(scope="module")
def toy(made_once) -> Project:
    """A project with the toy as its only system, and a source that DVC tracks; made and committed."""

    def make(project: Project) -> None:
        copy_code(project)
        for system in ("discofuse", "parasci", "talksumm", "wikisum"):
            leave_out(project.root, system)
        project.params(lambda params: [params.pop(name) for name in UNKNOWN] and params["sources"].clear())
        put_in_toy(project.root)
        project.params(tracked)
        (project.root / "corpus").mkdir()
        (project.root / "data/sample/riddles").rename(project.root / "corpus/riddles")
        begin(project)
        project.git("rm", "-rq", "--cached", "corpus")
        project.dvc("add", "corpus/riddles")
        project.run()
        project.commit("made")

    return made_once("toy", make)


def tracked(params):
    params["partitions"] = {"start": "2018-06", "end": "2018-07"}
    params["sources"]["riddles"]["june"]["path"] = "corpus/riddles"


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory):
    """Runs programs whose file operations can be logged or made fatal."""
    folder = tmp_path_factory.mktemp("preloaded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(library(folder)))
        zygote = Zygote(folder)
    yield zygote
    zygote.end()


def changed(project: Project) -> None:
    """Add a riddle, and change a param."""
    riddles = project.root / "corpus/riddles/june.txt"
    riddles.chmod(0o644)
    riddles.write_text(riddles.read_text() + "What gets wet while it dries something? | A towel\n")
    project.params(lambda params: params["toy"]["questions"].update(words=3))


class Trial:
    """One project at one place, again and again: the paths in the log are those of this place."""

    def __init__(self, base: Project, place: Path, zygote: Zygote):
        self.base, self.project, self.log = base, Project(place / "project", zygote), place / "operations"

    def run(self, number: int = 0, base: Project | None = None) -> int:
        """Run everything in a copy of a project, killed at an operation since the commit began; return the status."""
        self.put(base or self.base)
        self.log.unlink(missing_ok=True)
        root = self.project.root
        environment = variables(root, self.log, BEGIN, number)
        return self.project.zygote.run(
            root, ["run"], module="silverloom.orchestration.cli", env=environment
        ).status

    def put(self, base: Project) -> None:
        shutil.rmtree(self.project.root, ignore_errors=True)
        base.copy(self.project.root)

    def operations(self) -> list[tuple[str, str, str]]:
        """The operations since the commit began."""
        done = operations(self.log)
        return done[next(number for number, (_, path, _) in enumerate(done) if BEGIN in path) :]


def state(project: Project) -> dict[str, object]:
    """All that a run leaves: what DVC tracks, its files, and whether its cache has just the right bytes."""
    cache = project.root / ".dvc/cache/files/md5"
    stages = yaml.safe_load(project.lock)["stages"].values()
    tracking = (project.root / "corpus/riddles.dvc").read_text()
    outs = [out for stage in stages for out in stage.get("outs", ())]
    outs = [out for out in outs if out["path"].startswith(("data", "manifests"))]
    hashes = {out["md5"] for out in [*outs, *yaml.safe_load(tracking)["outs"]]}
    folders = {md5 for md5 in hashes if md5.endswith(".dir")}
    listed = [json.loads((cache / md5[:2] / md5[2:]).read_bytes()) for md5 in folders]
    hashes |= {file["md5"] for folder in listed for file in folder}
    wrong = {md5 for md5 in hashes if file_md5(cache / md5[:2] / md5[2:], False) != md5.removesuffix(".dir")}
    return {"lock": project.lock, "data": project.data(), "tracking": tracking, "wrong": wrong}


@pytest.mark.long
def test_a_power_cut_after_a_commit_loses_nothing_for_good(toy, preloaded, tmp_path, tally):
    """The power fails after a commit, and what was not synced is gone, zeros or half."""
    begun = toy.copy(tmp_path / "begun")
    changed(begun)
    trial = Trial(begun, tmp_path, preloaded)
    assert trial.run(1) != 0, "it was not killed as the commit began"
    before = trial.project.copy(tmp_path / "before")
    assert trial.run(base=before) == 0
    wanted, done = state(trial.project), trial.operations()
    assert not wanted["wrong"] and wanted["tracking"] != (toy.root / "corpus/riddles.dvc").read_text()
    (end,) = [
        number
        for number, (call, path, _) in enumerate(done, 1)
        if (call, path[-len(COPY) :]) == ("unlink", COPY)
    ]
    rest = len(done) - end
    kills = [(end + 1 + rest * number // AFTER, True) for number in range(AFTER)]
    written = {path: number for number, (call, path, _) in enumerate(done[:end], 1) if call == "write"}
    kills += [(written[f"{trial.project.root}/{name}"] + 1, False) for name in IN_PLACE]
    for (number, power), loss in zip(kills, cycle(LOSSES)):
        assert trial.run(number, before) != 0, number
        if power:
            cut_power(trial.log, loss)
        tally.attempt()
        output = trial.project.run()
        assert state(trial.project) == wanted, (number, loss, done[number - 1], output)
        tally.survive()
    assert "everything is up to date" in trial.project.silverloom("plan")
