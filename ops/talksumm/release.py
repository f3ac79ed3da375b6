"""The released files of TalkSumm: training sets and examples of talks, each with the names of paper and talk.

Belongs here: what the sources call a row's paper and talk. Not here: the rows (summarise.py,
talk_examples.py), the files (ops/core/release.py).
"""

from __future__ import annotations

from functools import partial

from silverloom.ops.core.joins import Lookup, looked_up, side_by_side
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.core.release import ReleaseParams, release_files


def released(
    training_sets: Parts,
    talk_examples: Parts,
    pairs: Parts,
    talks: Parts,
    papers: Parts,
    files: FilesFolder,
    params: ReleaseParams,
) -> Outcomes:
    """Write the files and yield a row for each, as `release_files` does; a set is a configuration.

    The column `paper` has the name of the paper in its source, `doi` its DOI, `talk` the name of the talk and
    `url` its address.
    """
    of_paper = Lookup("paper_id", papers, "id", {"paper": "document", "doi": "doi"})
    of_talk = Lookup("talk_id", talks, "id", {"talk": "document", "url": "url"})
    of_pair = Lookup("pair_id", pairs, "id", {"talk_id": "talk_id"})
    beside = partial(looked_up, lookups=[of_paper, of_pair, of_talk])
    with talk_examples.engine.scratch() as folder:
        named = looked_up(talk_examples, folder, [of_paper, of_talk])
        others = [side_by_side(talk_examples, named)]
        yield from release_files(training_sets, files, params, config="set", others=others, beside=beside)
